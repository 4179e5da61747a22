"""Plugins from outside, watched: what goes wrong in one is told as its own, and so are answers that are none."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from kschedctl.errors import KschedError, Place, PluginError
from kschedctl.framework.plugin import AnyPlugin, Plugin, PreFilterResult, PreScoreResult
from kschedctl.framework.status import Status
from kschedctl.framework.verdicts import Verdicts

_QUIET: Final = frozenset({"signature", "works_before_binding"})
"""Methods that are left alone: they are called often, and hardly anybody writes one."""


_GUARDED: Final[dict[type[AnyPlugin], type[AnyPlugin]]] = {}


def guarded(plugin: type[AnyPlugin]) -> type[AnyPlugin]:
    """The same plugin, a class of its own whose calls are watched."""
    if plugin not in _GUARDED:
        _GUARDED[plugin] = _guarded(plugin)
    return _GUARDED[plugin]


def _guarded(plugin: type[AnyPlugin]) -> type[AnyPlugin]:
    watched: dict[str, Any] = {"__module__": plugin.__module__, "__init__": _watched(plugin, "__init__")}
    for method, given in vars(Plugin).items():
        if method.startswith("_") or method in _QUIET or not callable(given):
            continue
        if getattr(plugin, method) is not given:
            watched[method] = _watched(plugin, method)
    return type(plugin.__name__, (plugin,), watched)


def _watched(plugin: type[AnyPlugin], method: str) -> Callable[..., Any]:
    call, check = getattr(plugin, method), _CHECKS.get(method)
    name = plugin.spec.name

    @functools.wraps(call)
    def watched(self: AnyPlugin, *args: Any) -> Any:
        try:
            answer = call(self, *args)
        except KschedError:
            raise
        except Exception as error:
            text = f"plugin {name} failed in {method}: {type(error).__name__}: {error}"
            raise PluginError(text, place=_place(error), hint="--debug shows the traceback") from error
        if check is not None and (wrong := check(answer, args)):
            raise PluginError(f"{method} of plugin {name} {wrong}")
        return answer

    return watched


def _place(error: Exception) -> Place | None:
    """Where in the plugin's own files it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames[1:] if "/kschedctl/framework/" not in frame.filename.replace("\\", "/")]
    return Place(own[0].filename, line=own[0].lineno) if own else None


def _verdicts(answer: object, args: tuple[Any, ...]) -> str:
    rows = len(args[1])
    if not isinstance(answer, Verdicts):
        return f"gives {_kind(answer)}, and not Verdicts"
    if answer.codes is not None and answer.codes.shape != (rows,):
        return f"gives codes of shape {answer.codes.shape} for {rows} rows"
    for mask, _ in answer.reasons:
        if mask.shape != (rows,):
            return f"gives a reason for rows of shape {mask.shape}, of {rows}"
    return ""


def _scores(answer: object, args: tuple[Any, ...]) -> str:
    return "" if isinstance(answer, Status) else _numbers(answer, len(args[1]))


def _normalized(answer: object, args: tuple[Any, ...]) -> str:
    return _numbers(answer, len(args[1]))


def _numbers(answer: object, rows: int) -> str:
    if not isinstance(answer, np.ndarray):
        return f"gives {_kind(answer)}, and not an array"
    if answer.dtype != np.int64 or answer.shape != (rows,):
        return f"gives {answer.dtype} of shape {answer.shape}, and not int64 of shape ({rows},)"
    return ""


def _of(kind: type) -> Callable[[object, tuple[Any, ...]], str]:
    def check(answer: object, args: tuple[Any, ...]) -> str:
        return "" if isinstance(answer, kind) else f"gives {_kind(answer)}, and not {kind.__name__}"

    return check


def _kind(answer: object) -> str:
    return "None" if answer is None else f"a {type(answer).__name__}"


_CHECKS: Final[dict[str, Callable[[object, tuple[Any, ...]], str]]] = {
    "pre_filter": _of(PreFilterResult),
    "filter": _verdicts,
    "pre_score": _of(PreScoreResult),
    "score": _scores,
    "normalize": _normalized,
}
"""Method -> what is wrong with an answer of it, empty where nothing is."""
