"""`kschedctl conformance`: agreement with kube-scheduler on golden decisions."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.plain_options import PlainReportOptions, TableOrJson
from kschedctl.errors import UsageError

if TYPE_CHECKING:
    from kschedctl.conformance.golden_files import GoldenFile
    from kschedctl.conformance.report import Agreement

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command(context_settings={"help_option_names": ["-h", "--help"]})
@grouped
def conformance(
    report: PlainReportOptions,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...",
            help="Golden cases: files (plain or gzip), directories, or - for stdin.",
            show_default="the cases that are shipped",
        ),
    ] = None,
    emit: Annotated[
        bool,
        typer.Option("--emit", help="Print our results in the golden shape, a line a case; judge nothing."),
    ] = False,
    minimum: Annotated[
        float, typer.Option("--min", metavar="PCT", help="Least agreement, in percent, for exit code 0.")
    ] = 100.0,
    show: Annotated[
        int, typer.Option("--show", metavar="N", help="How many differences to show in full.")
    ] = 3,
) -> int:
    """Replay golden decisions of kube-scheduler and count the pods on which we agree.

    A pod agrees when its outcome, the verdict of every node, every score, the ties, the event and the preemption
    are those of kube-scheduler. Exit code 0: at least --min percent agree; 1: fewer; 2: it could not be told.
    """
    from commands.output import emit as write
    from kschedctl.conformance.golden_files import golden_files

    found = golden_files(files or [])
    if emit:
        _emit(found)
        return ExitCode.YES
    agreement = _agreement(found)
    if not agreement.total.pods:
        raise UsageError("the files hold no case with golden results", hint="--emit needs none.")
    if report.output is TableOrJson.JSON:
        write(json.dumps(agreement.as_dict(show), indent=2, ensure_ascii=False))
    else:
        from kschedctl.conformance.table import render_table

        write(render_table(agreement, report.look, show=show))
    return ExitCode.YES if agreement.total.percent >= minimum else ExitCode.NO


def _agreement(files: Sequence[GoldenFile]) -> Agreement:
    from kschedctl.conformance.answer import answers
    from kschedctl.conformance.report import Agreement

    agreement = Agreement()
    for file in files:
        for answer in answers(file, sys.stdin.buffer):
            agreement.add(file.category, answer)
    return agreement


def _emit(files: Sequence[GoldenFile]) -> None:
    from commands.output import emit as write
    from kschedctl.conformance.answer import answers

    for file in files:
        for answer in answers(file, sys.stdin.buffer):
            name = answer.case.scenario.name
            write(json.dumps({"name": name, "results": answer.results}, ensure_ascii=False))
            if answer.failure is not None:
                typer.echo(f"{name}: {answer.failure}: {answer.reason}", err=True)
