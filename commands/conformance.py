"""`kschedctl conformance`: agreement with kube-scheduler on golden decisions."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from kschedctl.errors import UsageError
from kschedctl.safe_text import safe_json
from kschedctl.writers.catalogue import CATALOGUE

from .errors import ExitCode
from .messages import say
from .option_groups import grouped
from .options import DataOptions, formats
from .verb import HELP, Verb

if TYPE_CHECKING:
    from kschedctl.conformance.golden_files import GoldenFile
    from kschedctl.conformance.report import Agreement

WRITERS = CATALOGUE["ConformanceReport"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl conformance
kschedctl conformance golden/ --min 99.9 --show 10
kschedctl conformance cases.jsonl.gz --emit > results.jsonl
"""


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def conformance(
    report: Annotated[DataOptions, formats(WRITERS)],
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Golden cases: files (plain or gzip), directories, or - for stdin.",
            show_default="those that are shipped",
        ),
    ] = None,
    emit: Annotated[
        bool,
        typer.Option("--emit", help="Print our results in the golden shape, a line a case; judge nothing."),
    ] = False,
    minimum: Annotated[
        float,
        typer.Option(
            "--min", metavar="PCT", min=0, max=100, help="Least agreement, in percent, for exit code 0."
        ),
    ] = 100.0,
    show: Annotated[
        int, typer.Option("--show", metavar="N", min=0, help="How many differences to show in full.")
    ] = 3,
) -> int:
    """Replay golden decisions of kube-scheduler and count the pods on which we agree.

    A pod agrees when its outcome, the verdict of every node, every score, the ties, the event and the preemption
    are those of kube-scheduler. Exit code 0: at least --min percent agree; 1: fewer; 2: it could not be told.
    """
    from kschedctl.conformance.golden_files import golden_files

    from .output import emit_pieces, look_of, writer_for

    found = golden_files(files or [])
    if emit:
        _emit(found)
        return ExitCode.YES
    agreement = _agreement(found)
    if not agreement.total.pods:
        raise UsageError("the files hold no case with golden results", hint="--emit needs none.")
    emit_pieces(writer_for(WRITERS, report.output)([agreement.report(show)], look_of(report)), report)
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
    from kschedctl.conformance.answer import answers

    from .output import emit as write

    for file in files:
        for answer in answers(file, sys.stdin.buffer):
            write(safe_json(json.dumps(answer.output, ensure_ascii=False)))
            if answer.failure is not None:
                say(f"{answer.case.name}: {answer.failure}: {answer.reason}")
