"""`kschedctl view`: a saved report in another format, a page first of all."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from kschedctl.writers.catalogue import CATALOGUE
from kschedctl.writers.formats import Format

from .errors import ExitCode
from .option_groups import grouped
from .options import PageOptions, output_option
from .verb import HELP, Verb

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

_FORMATS: Final = [form for form in Format if any(form in kind.writers for kind in CATALOGUE.values())]

EXAMPLES = """
kschedctl view report.json > report.html
kschedctl view report.json --open
kschedctl drain n4 -o json | kschedctl view - -o markdown
"""


class ViewOptions(PageOptions, frozen=True):
    """How the report is written."""

    output: Annotated[Format, output_option(_FORMATS)] = Format.HTML


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def view(
    report: ViewOptions,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A report that was saved with -o json, yaml or html.")
    ],
) -> int:
    """Write a saved report in another format; without -o as a page.

    Exit code 0: it is written; 2: it is no report.
    """
    from kschedctl.writers.saved import read_saved

    from .output import emit_pieces, look_of, writer_for

    found = read_saved(file, sys.stdin.buffer)
    pieces = found.written(writer_for(found.kind.writers, report.output)(found.reports, look_of(report)))
    emit_pieces(pieces, report)
    return ExitCode.YES
