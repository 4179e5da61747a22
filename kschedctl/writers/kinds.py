"""Which formats each kind of report has, and how to get what writes it: start-up is paid for one format, not for all.

A kind of report has a module that makes documents of its reports: `documents(reports, context)`, and where it has a
format for scripts, `names(reports)` with the lines of it. Everything else is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar, cast

from kschedctl.reports.document import Context, ReportDocument
from kschedctl.reports.formats import Format, Look
from kschedctl.safe_text import safe_text

R = TypeVar("R", contravariant=True)


class Writer(Protocol[R]):
    """Writes reports one by one."""

    def __call__(
        self, reports: Iterable[R], look: Look, above: Iterable[ReportDocument] = ()
    ) -> Iterator[str]:
        """Pieces of the text, each of whole lines.

        Args:
            reports: the reports, at least one.
            look: how text is to look.
            above: what is to stand above them where they are written for people.
        """


Writers = Mapping[Format, Callable[[], Writer[R]]]
"""Format -> how to get what writes reports in it."""

_PEOPLE: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.TABLE: "kschedctl.writers.terminal.document:table_pieces",
        Format.WIDE: "kschedctl.writers.terminal.document:wide_pieces",
        Format.MARKDOWN: "kschedctl.writers.markdown:markdown_pieces",
    }
)
_DATA: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.JSON: "kschedctl.writers.structured:json_pieces",
        Format.YAML: "kschedctl.writers.structured:yaml_pieces",
    }
)


def writers(module: str, *, wide: bool = True, names: bool = True) -> Writers[Any]:
    """The writers of a kind of report.

    Args:
        module: the module that makes documents of them.
        wide: whether there is more to show than fits into a table.
        names: whether there is a format for scripts, in lines.
    """
    found: dict[Format, Callable[[], Writer[R]]] = {}
    for form in Format:
        if form in _PEOPLE and (wide or form is not Format.WIDE):
            found[form] = partial(_for_people, module, _PEOPLE[form])
        elif form in _DATA:
            found[form] = partial(_for_programs, _DATA[form])
        elif form is Format.NAME and names:
            found[form] = partial(_for_scripts, module)
    return MappingProxyType(found)


def _for_people(module: str, place: str) -> Writer[Any]:
    documents, pieces = _at(f"{module}:documents"), _at(place)

    def write(reports: Iterable[Any], look: Look, above: Iterable[ReportDocument] = ()) -> Iterator[str]:
        def all_documents() -> Iterator[ReportDocument]:
            yield from above
            yield from documents(reports, Context(look.now, look.registry))

        return cast("Iterator[str]", pieces(all_documents(), look))

    return write


def _for_programs(place: str) -> Writer[Any]:
    pieces = _at(place)
    return lambda reports, look, above=(): pieces(reports, look)


def _for_scripts(module: str) -> Writer[Any]:
    names = _at(f"{module}:names")
    return lambda reports, look, above=(): (f"{safe_text(name)}\n" for name in names(reports))


def _at(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), name))
