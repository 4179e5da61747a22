"""The formats of a kind of report, and how to get what writes them: start-up is paid for one format, not for all.

A kind of report has a module that makes documents of its reports: `documents(reports, context)`, and where there is a
format for scripts, `names(reports)` with the lines of it. Everything else is shared.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar, cast

from kschedctl.reports.document import Context, ReportDocument
from kschedctl.safe_text import safe_text, without_commands
from kschedctl.writers.formats import Format, Look

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

_NONE: Final[Mapping[Format, str]] = MappingProxyType({})
_PEOPLE: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.TABLE: "kschedctl.writers.terminal.document:table_pieces",
        Format.WIDE: "kschedctl.writers.terminal.document:wide_pieces",
        Format.MARKDOWN: "kschedctl.writers.markdown:markdown_pieces",
        Format.HTML: "kschedctl.writers.html.page:html_pieces",
    }
)
_DATA: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.JSON: "kschedctl.writers.structured:json_pieces",
        Format.YAML: "kschedctl.writers.structured:yaml_pieces",
    }
)


def writers(
    module: str | None,
    *,
    documents: str = "documents",
    wide: bool = True,
    names: bool = True,
    own: Mapping[Format, str] = _NONE,
) -> Writers[Any]:
    """The writers of a kind of report; JSON and YAML have all.

    Args:
        module: the module that makes documents of them; None: they have none.
        documents: its function that does.
        wide: whether there is more to show than fits into a table.
        names: whether there is a format for scripts, in lines.
        own: format -> `module:function` of the formats that this kind alone has; it yields pieces.
    """
    found = {form: partial(_direct, place) for form, place in {**_DATA, **own}.items()}
    if module is not None:
        for form, place in _PEOPLE.items():
            if wide or form is not Format.WIDE:
                made = _as_page if form is Format.HTML else _for_people
                found[form] = partial(made, f"{module}:{documents}", place)
        if names:
            found[Format.NAME] = partial(_for_scripts, f"{module}:names")
    return MappingProxyType({form: found[form] for form in Format if form in found})


def _for_people(documents_at: str, place: str) -> Writer[Any]:
    documents, pieces = _at(documents_at), _at(place)

    def write(reports: Iterable[Any], look: Look, above: Iterable[ReportDocument] = ()) -> Iterator[str]:
        def all_documents() -> Iterator[ReportDocument]:
            yield from above
            yield from documents(reports, Context(look.now, look.registry))

        return cast("Iterator[str]", pieces(all_documents(), look))

    return write


def _as_page(documents_at: str, place: str) -> Writer[Any]:
    documents, pieces = _at(documents_at), _at(place)

    def write(reports: Iterable[Any], look: Look, above: Iterable[ReportDocument] = ()) -> Iterator[str]:
        passed: deque[Any] = deque()

        def noted() -> Iterator[Any]:
            for report in reports:
                passed.append(report)
                yield report

        def all_documents() -> Iterator[ReportDocument]:
            yield from above
            yield from documents(noted(), Context(look.now, look.registry))

        return cast("Iterator[str]", pieces(all_documents(), look, passed))

    return write


def _direct(place: str) -> Writer[Any]:
    pieces = _at(place)
    return lambda reports, look, above=(): pieces(reports, look)


def _for_scripts(place: str) -> Writer[Any]:
    names = _at(place)
    return lambda reports, look, above=(): (
        f"{without_commands(safe_text(name))}\n" for name in names(reports)
    )


def _at(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    return cast("Callable[..., Any]", getattr(import_module(module), name))
