"""Renderers by format, each imported when it is used: start-up is paid for one format, not for all.

What is written for people is made of reports with safe text; data says the same with escapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar, cast

from kschedctl.reports.formats import DATA, Format, Look
from kschedctl.safe_text import with_safe_text

R = TypeVar("R")
Renderer = Callable[[Sequence[R], Look], str]
Renderers = Mapping[Format, Callable[[], Renderer[R]]]
"""Format -> how to get the function that writes reports in it."""

Stream = Callable[[Iterable[R], Look], Iterator[str]]
"""Writes reports one by one: pieces of the text, each of whole lines."""
Streams = Mapping[Format, Callable[[], Stream[R]]]
"""Format -> how to get the function that writes reports in it one by one."""

_STRUCTURED = {
    Format.JSON: "kschedctl.reports.render.lazy:json_text",
    Format.YAML: "kschedctl.reports.render.lazy:yaml_text",
}


def renderers(_: type[R], places: Mapping[Format, str]) -> Renderers[R]:
    """The renderers of one kind of report; JSON and YAML are those that all reports share.

    Args:
        _: the kind of report.
        places: format -> `module:function`.
    """
    known = _STRUCTURED | dict(places)
    return MappingProxyType({form: partial(_load, known[form], form) for form in Format if form in known})


def streams(_: type[R], places: Mapping[Format, str]) -> Streams[R]:
    """The renderers of a kind of report of which there may be thousands.

    Args:
        _: the kind of report.
        places: format -> `module:function`.
    """
    return MappingProxyType(
        {form: partial(_load_stream, places[form], form) for form in Format if form in places}
    )


def _load(place: str, form: Format) -> Renderer[R]:
    write = cast("Renderer[R]", _at(place))
    return write if form in DATA else lambda reports, look: write(list(map(with_safe_text, reports)), look)


def _load_stream(place: str, form: Format) -> Stream[R]:
    write = cast("Stream[R]", _at(place))
    return write if form in DATA else lambda reports, look: write(map(with_safe_text, reports), look)


def _at(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def json_text(reports: Sequence[Any], look: Look) -> str:
    """The reports as indented JSON."""
    from kschedctl.writers.structured import json_pieces

    return "".join(json_pieces(reports, look)).removesuffix("\n")


def yaml_text(reports: Sequence[Any], look: Look) -> str:
    """The reports as YAML."""
    from kschedctl.writers.structured import yaml_pieces

    return "".join(yaml_pieces(reports, look)).removesuffix("\n")
