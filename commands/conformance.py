"""`kschedctl conformance`: agreement with kube-scheduler on golden decisions."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from kschedctl.errors import UsageError

if TYPE_CHECKING:
    from kschedctl.conformance.golden_files import GoldenFile
    from kschedctl.conformance.report import Agreement, Tally


class Format(StrEnum):
    """How the agreement is shown."""

    TABLE = "table"
    JSON = "json"


def conformance(
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
        typer.Option(
            "--emit", help="Print our results in the golden shape, a line a case, and judge nothing."
        ),
    ] = False,
    minimum: Annotated[
        float, typer.Option("--min", metavar="PCT", help="Least agreement, in percent, for exit code 0.")
    ] = 100.0,
    show: Annotated[
        int, typer.Option("--show", metavar="N", help="How many differences to show in full.")
    ] = 3,
    output: Annotated[
        Format, typer.Option("--output", "-o", help="How the agreement is shown.")
    ] = Format.TABLE,
) -> None:
    """Replay golden decisions of kube-scheduler and count the pods on which we agree.

    A pod agrees when its outcome, the verdict of every node, every score, the ties, the event and the preemption
    are those of kube-scheduler. Exit code 0: at least --min percent agree; 1: fewer; 2: it could not be told.
    """
    from kschedctl.conformance.golden_files import golden_files

    found = golden_files(files or [])
    if emit:
        _emit(found)
        return
    agreement = _agreement(found)
    if not agreement.total.pods:
        raise UsageError("the files hold no case with golden results", hint="--emit needs none.")
    if output is Format.JSON:
        typer.echo(json.dumps(agreement.as_dict(show), indent=2))
    else:
        typer.echo("\n".join(_table(agreement, show)))
    raise typer.Exit(0 if agreement.total.percent >= minimum else 1)


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

    for file in files:
        for answer in answers(file, sys.stdin.buffer):
            name = answer.case.scenario.name
            typer.echo(json.dumps({"name": name, "results": answer.results}, ensure_ascii=False))
            if answer.failure is not None:
                typer.echo(f"{name}: {answer.failure}: {answer.reason}", err=True)


def _table(agreement: Agreement, show: int) -> list[str]:
    total = agreement.total
    mark = "✓" if total.agreeing == total.pods else "✗"
    lines = [
        f"{mark} {_count(total)} of {total.pods:,} pods agree with kube-scheduler ({agreement.cases:,} cases)",
        "",
    ]
    width = max(len("category"), *map(len, agreement.categories))
    heads = ("pods", "agree", "percent", "preemption only", "unsupported", "otherwise")
    lines.append("  ".join((f"{'category':{width}}", *heads)).rstrip())
    for category, tally in agreement.categories.items():
        cells = (
            f"{tally.pods:,}",
            f"{tally.agreeing:,}",
            f"{tally.percent:.2f}",
            f"{tally.preemption_only:,}",
            f"{tally.unsupported:,}",
            f"{tally.otherwise:,}",
        )
        row = (f"{cell:>{len(head)}}" for cell, head in zip(cells, heads, strict=True))
        lines.append("  ".join((f"{category:{width}}", *row)))
    lines += _counts("first difference in", agreement.fields.most_common())
    lines += _counts("answered by", agreement.plugins.most_common())
    lines += _counts("no results", [(f"{k}: {r}", n) for (k, r), n in agreement.failures.most_common()])
    for found in agreement.differences[:show]:
        lines += [
            "",
            f"{found.category}: {found.case} {found.pod}: {found.difference.field}",
            f"  want  {json.dumps(found.difference.want, ensure_ascii=False)}",
            f"  got   {json.dumps(found.difference.got, ensure_ascii=False)}",
        ]
    return lines


def _count(tally: Tally) -> str:
    return "all" if tally.agreeing == tally.pods else f"{tally.agreeing:,}"


def _counts(title: str, counts: Sequence[tuple[str, int]]) -> list[str]:
    if not counts:
        return []
    return ["", title, *(f"  {pods:>6,}  {name}" for name, pods in counts)]
