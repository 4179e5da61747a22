"""The effective configuration, as text and as data."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kschedctl.framework.configuration import Profile, SchedulerConfiguration, effective
from kschedctl.framework.configuration.legacy import Translation
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.safe_text import safe_json, safe_text, without_commands
from kschedctl.writers.formats import Look
from kschedctl.writers.yaml_text import yaml_text

_COMMENT: Final = 80
_HEADS: Final = ("apiVersion", "kind")


def configuration_json(configuration: SchedulerConfiguration) -> str:
    """The effective configuration as JSON."""
    return safe_json(json.dumps(effective(configuration), indent=2, ensure_ascii=False))


def configuration_yaml(configuration: SchedulerConfiguration) -> str:
    """The effective configuration as YAML."""
    return yaml_text(effective(configuration)).rstrip("\n")


def translation_yaml(found: Translation) -> str:
    """A translated configuration as YAML, below comments that say what has no equal, and what is said otherwise."""
    parts = [
        *_comment("What has no equal in kube-scheduler any more, and is left out:", found.lost),
        *_comment("What is said in another way now:", found.notes),
    ]
    return "\n".join([*map(safe_text, parts), yaml_text(found.configuration).rstrip("\n")])


def translation_json(found: Translation) -> str:
    """A translated configuration as JSON."""
    return safe_json(json.dumps(found.configuration, indent=2, ensure_ascii=False))


def _comment(head: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"# {head}"
    for line in lines:
        yield from textwrap.wrap(line, _COMMENT, initial_indent="# - ", subsequent_indent="#   ")


def configuration_table(configuration: SchedulerConfiguration, look: Look) -> str:
    """The profiles: plugins of every extension point with their weights, and what arguments say."""
    source = configuration.origin or "defaults"
    lines = [f"kube-scheduler {configuration.version}, configuration: {source}"]
    if configuration.gates.changed:
        gates = (f"{name}={str(on).lower()}" for name, on in configuration.gates.changed.items())
        lines.append(f"feature gates: {', '.join(gates)}")
    arguments = {
        shown["schedulerName"]: shown["pluginConfig"] for shown in effective(configuration)["profiles"]
    }
    for profile in configuration.profiles:
        lines += ["", f"profile {profile.scheduler_name}"]
        lines += _aligned(list(_points(profile)), look.width)
        lines += ["", *_aligned(list(_arguments(arguments[profile.scheduler_name])), look.width)]
    for extender in configuration.extenders:
        lines += ["", f"extender {extender.url_prefix}"]
    return without_commands("\n".join(map(safe_text, lines)))


def _points(profile: Profile) -> Iterator[tuple[str, str]]:
    for point in ExtensionPoint:
        names = profile.plugins(point)
        if point is ExtensionPoint.SCORE:
            names = tuple(f"{name} x{profile.weight(name)}" for name in names)
        if names:
            yield str(point), ", ".join(names)


def _arguments(entries: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What the arguments of each plugin say, empty values left out."""
    for entry in entries:
        args = entry["args"]
        if isinstance(args, dict):
            args = {key: value for key, value in args.items() if key not in _HEADS and value not in ([], "")}
        if args:
            yield entry["name"], json.dumps(args, ensure_ascii=False)


def _aligned(rows: list[tuple[str, str]], width: int) -> Iterator[str]:
    head = max((len(name) for name, _ in rows), default=0)
    margin = " " * (head + 4)
    for name, text in rows:
        yield from textwrap.wrap(
            text,
            width,
            initial_indent=f"  {name:{head}}  ",
            subsequent_indent=margin,
            break_long_words=False,
            break_on_hyphens=False,
        )
