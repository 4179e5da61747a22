"""Plugins from outside: installed packages announce them, or somebody names one in a module or a file."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kschedctl.errors import PluginError
from kschedctl.framework.configuration.base import API_VERSION, KIND
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import AnyPlugin, Plugin
from kschedctl.framework.registry import Registry
from kschedctl.plugins.priority_sort import PrioritySort

GROUP: Final = "kschedctl.plugins"
"""The group of entry points by which packages announce plugins, each under the name of the plugin."""


def load_plugin(reference: str) -> type[AnyPlugin]:
    """The plugin that `MODULE:CLASS` or `FILE.py:CLASS` names; modules are looked for beside the caller, too.

    Raises:
        PluginError: there is no such thing, or it is no plugin.
    """
    where, _, name = reference.rpartition(":")
    if not where or not name.isidentifier():
        raise PluginError(f"{reference} names no plugin", hint="Write MODULE:CLASS, or FILE.py:CLASS.")
    module = _file(where) if where.endswith(".py") else _module(where)
    return _checked(getattr(module, name, None), reference)


def _module(name: str) -> object:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    return _run(name, lambda: import_module(name))


def _file(path: str) -> object:
    file = Path(path)
    if not os.path.isfile(file):
        raise PluginError(f"there is no file {path}", hint="Write MODULE:CLASS, or FILE.py:CLASS.")
    name = file.stem
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _run(path, lambda: loader.exec_module(module))
    return module


def _run(what: str, load: Any) -> object:
    try:
        return load()
    except Exception as error:
        text = f"{what} cannot be loaded: {type(error).__name__}: {error}"
        raise PluginError(text, hint="--debug shows the traceback") from error


def _checked(found: object, reference: str) -> type[AnyPlugin]:
    if found is None:
        raise PluginError(f"{reference} cannot be loaded: there is no such class")
    if not (isinstance(found, type) and issubclass(found, Plugin)):
        raise PluginError(
            f"{reference} is no plugin", hint="A plugin is a subclass of kschedctl.plugin_api.Plugin."
        )
    if not hasattr(found, "spec"):
        raise PluginError(f"{reference} has no spec", hint="Give the class a PluginSpec.")
    return found


def with_installed(registry: Registry, data: object) -> Registry:
    """The plugins with those from outside that a configuration names, as far as an installed package has them.

    Packages are looked for only where a name is not known: the search takes its time.

    Args:
        registry: the plugins that are known.
        data: the configuration as written.

    Raises:
        PluginError: a package announces one that cannot be loaded, or is none.
    """
    unknown = set(_names(data)) - registry.keys()
    return registry.with_plugins(*_installed(unknown)) if unknown else registry


def _installed(names: Iterable[str]) -> Iterator[type[AnyPlugin]]:
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        if point.name in names:
            reference = f"{point.value} (entry point {point.name} of {GROUP})"
            yield _checked(_run(reference, point.load), reference)


def _names(data: object) -> Iterator[str]:
    """The names of plugins that profiles give, whatever else is wrong with the configuration."""
    for profile in _list(_mapping(data).get("profiles")):
        for point in _mapping(_mapping(profile).get("plugins")).values():
            for entry in _list(_mapping(point).get("enabled")):
                if isinstance(name := _mapping(entry).get("name"), str):
                    yield name


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else ()


def enabling(plugins: Sequence[type[AnyPlugin]]) -> dict[str, Any]:
    """The default configuration with some plugins at all the points that they have."""
    names = [plugin.spec.name for plugin in plugins]
    sorts = any(ExtensionPoint.QUEUE_SORT in plugin.spec.points for plugin in plugins)
    off = [{"name": PrioritySort.spec.name}] * sorts
    multi_point = {"enabled": [{"name": name} for name in names], "disabled": off}
    return {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"plugins": {"multiPoint": multi_point}}]}
