"""Strict decoding: wrong types, unknown fields and foreign kinds, in the order kube-scheduler finds them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec
from msgspec import Struct

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.args import DynamicResourcesArgs, PluginArgs
from kschedctl.framework.configuration.base import API_VERSION, GROUP, KIND
from kschedctl.framework.configuration.duration import Duration, parse_duration
from kschedctl.framework.configuration.types import KubeSchedulerConfiguration, Plugins
from kschedctl.framework.versions import Facts, Version
from kschedctl.objects.go import quote

S = TypeVar("S", bound=msgspec.Struct)
ArgsTypes = Mapping[str, type[PluginArgs]]
"""The type of the arguments of each plugin that takes some."""

_STRICT: Final = "strict decoding error: "

_WORDS: Final = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "str": "a string",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_TYPE = re.compile(r"`([^`]*)`")
_SIMILAR: Final = 0.7
"""Names at least this similar, of 1, are taken for each other's misspellings."""


class _Unknown(Struct, frozen=True):
    """A problem with unknown fields, and what the first of them may have been meant for."""

    text: str
    meant: str | None


def decode_configuration(
    data: Mapping[str, Any], version: Version, args_types: ArgsTypes
) -> tuple[KubeSchedulerConfiguration, tuple[tuple[PluginArgs | None, ...], ...]]:
    """The configuration as written, and the typed arguments of each profile in the order of `pluginConfig`.

    Arguments of a name without a registered type are None: they pass untouched.

    Raises:
        ConfigurationError: the document is of another kind, a value has a wrong type, or fields are unknown.
    """
    _check_kind(data, args_types)
    config, problems = _strict(data, KubeSchedulerConfiguration, version)
    typed = tuple(
        tuple(
            _decode_args(
                entry.name,
                entry.args,
                version,
                args_types,
                f"decoding .profiles[{i}].pluginConfig[{j}]: ",
                problems,
            )
            for j, entry in enumerate(profile.plugin_config)
        )
        for i, profile in enumerate(config.profiles)
    )
    if problems:
        raise ConfigurationError(_STRICT + _texts(problems), hint=_hint(problems))
    return config, typed


def _kinds(args_types: ArgsTypes) -> frozenset[str]:
    return frozenset({KIND, *(f"{plugin}Args" for plugin in args_types)})


def _check_kind(data: object, args_types: ArgsTypes) -> None:
    if not isinstance(data, Mapping):
        raise ConfigurationError("a KubeSchedulerConfiguration is a mapping", hint=_EXPECTED_KIND)
    kind, api_version = data.get("kind"), data.get("apiVersion")
    if not kind:
        raise ConfigurationError("Object 'Kind' is missing", hint=_EXPECTED_KIND)
    if not api_version:
        raise ConfigurationError("Object 'apiVersion' is missing", hint=_EXPECTED_KIND)
    if api_version != API_VERSION or str(kind) not in _kinds(args_types):
        raise ConfigurationError(_not_registered(kind, api_version), hint=_hint_for(data))
    if kind != KIND:
        raise ConfigurationError(
            f"couldn't decode as KubeSchedulerConfiguration, got {GROUP}/v1, Kind={kind}: ",
            hint=_EXPECTED_KIND,
        )


def _hint_for(data: Mapping[str, Any]) -> str:
    """What to do about a file of another kind; one of an older kube-scheduler can be translated."""
    from kschedctl.framework.configuration.legacy import is_legacy

    return _TRANSLATE if is_legacy(data) else _EXPECTED_KIND


_TRANSLATE: Final = f"Older kube-schedulers took this: kschedctl config translate writes it as {API_VERSION}."
_EXPECTED_KIND: Final = f"The file begins with apiVersion: {API_VERSION} and kind: {KIND}."


def _not_registered(kind: object, api_version: object) -> str:
    return f"no kind {quote(str(kind))} is registered for version {quote(str(api_version))}"


def _decode_args(
    name: str,
    args: object,
    version: Version,
    args_types: ArgsTypes,
    prefix: str,
    problems: list[_Unknown],
) -> PluginArgs | None:
    """The typed arguments of one entry; unknown fields go to `problems`, anything else is raised at once."""
    expected = args_types.get(name)
    if expected is None:
        return None
    inner = f"decoding args for plugin {name}: "
    if args is None:
        return expected()
    if not isinstance(args, Mapping):
        raise ConfigurationError(f"{prefix}{inner}args: expected a mapping, got {_word(args)}")
    kind = str(args.get("kind") or f"{name}Args")
    api_version = args.get("apiVersion") or API_VERSION
    if api_version not in (API_VERSION, GROUP) or str(kind) not in _kinds(args_types):
        raise ConfigurationError(f"{prefix}{inner}{_not_registered(kind, api_version)}")
    if kind != f"{name}Args":
        raise ConfigurationError(
            f"{prefix}args for plugin {name} were not of type {name}Args.{GROUP}, got {kind}.{GROUP}"
        )
    body = {key: value for key, value in args.items() if key not in ("kind", "apiVersion")}
    try:
        decoded, unknown = _strict(body, expected, version)
    except ConfigurationError as error:
        raise ConfigurationError(f"{prefix}{inner}{error.message}") from error
    if unknown:
        problems.append(_Unknown(f"{prefix}{_STRICT}{inner}{_STRICT}{_texts(unknown)}", unknown[0].meant))
    return decoded


def _texts(problems: Sequence[_Unknown]) -> str:
    return ", ".join(problem.text for problem in problems)


def _hint(problems: Sequence[_Unknown]) -> str | None:
    meant = problems[0].meant
    return f'did you mean "{meant}"?' if meant else None


def _strict(data: Mapping[str, Any], target: type[S], version: Version) -> tuple[S, list[_Unknown]]:
    """The decoded value and its unknown fields.

    Raises:
        ConfigurationError: a value has a wrong type.
    """
    unknown: list[_Unknown] = []
    known = _without_unknown(data, target, version, "", unknown)
    try:
        return msgspec.convert(known, target, dec_hook=_decode_duration), unknown
    except msgspec.ValidationError as error:
        raise ConfigurationError(_wrong_type(str(error))) from error


def _without_unknown(data: Any, target: Any, version: Version, path: str, unknown: list[_Unknown]) -> Any:
    """The data without nulls and unknown fields; the latter are told in the order of sorted keys."""
    target = _unwrapped(target)
    if isinstance(data, Mapping) and isinstance(target, type) and issubclass(target, msgspec.Struct):
        fields = _fields(target, version)
        kept = {}
        for key in sorted(data, key=str):
            at = f"{path}.{key}" if path else str(key)
            if key not in fields:
                similar = get_close_matches(str(key), fields, n=1, cutoff=_SIMILAR)
                unknown.append(_Unknown(f"unknown field {quote(at)}", similar[0] if similar else None))
            elif data[key] is not None:
                kept[key] = _without_unknown(data[key], fields[key], version, at, unknown)
        return kept
    if isinstance(data, (list, tuple)) and get_origin(target) is tuple:
        item = get_args(target)[0]
        return [_without_unknown(d, item, version, f"{path}[{i}]", unknown) for i, d in enumerate(data)]
    return data


@lru_cache(maxsize=256)
def _fields(target: type[msgspec.Struct], version: Version) -> Mapping[str, Any]:
    unknown = _unknown_fields(target, version.facts)
    return {f.encode_name: f.type for f in msgspec.structs.fields(target) if f.encode_name not in unknown}


def _unknown_fields(target: type[msgspec.Struct], facts: Facts) -> frozenset[str]:
    """Fields that later versions brought."""
    if target is Plugins:
        return facts.unknown_points
    if target is DynamicResourcesArgs and not facts.binding_timeout_is_known:
        return frozenset({"bindingTimeout"})
    return frozenset()


def _unwrapped(target: Any) -> Any:
    """The type without `| None`."""
    present = [arg for arg in get_args(target) if arg is not type(None)]
    return present[0] if type(None) in get_args(target) else target


def _decode_duration(target: type, value: object) -> Duration:
    if target is not Duration:
        raise NotImplementedError(target)
    if not isinstance(value, str):
        raise ValueError(f'expected a duration such as "10s", got {_word(value)}')
    return parse_duration(value)


def _wrong_type(text: str) -> str:
    """The message of msgspec as a sentence with the field path in front."""
    problem, _, place = text.partition(" - at `$")
    path = place.rstrip("`").lstrip(".")
    problem = _TYPE.sub(lambda match: _WORDS.get(match[1], match[1]), problem.replace(" | null", ""))
    problem = problem[0].lower() + problem[1:]
    return f"{path}: {problem}" if path else problem


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    for kind, word in ((str, "a string"), (int, "an integer"), (float, "a number"), (Mapping, "a mapping")):
        if isinstance(value, kind):
            return word
    return "a list"
