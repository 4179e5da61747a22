"""`kschedctl capacity`: how many more of a pod fit, what limits each node, how many nodes are missing."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.whatif.capacity.capacity import MOST_SETS
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions
from .errors import ExitCode
from .option_groups import grouped
from .options import (
    CandidateOptions,
    ClusterOptions,
    Headrooms,
    ReportOptions,
    SchedulerOptions,
    TimingOptions,
    formats,
)
from .ordered import OrderedVerb, option_order
from .verb import HELP

if TYPE_CHECKING:
    from kschedctl.reports.capacity.model import Capacity
    from kschedctl.whatif.world.changes import AddNode

WRITERS = CATALOGUE["Capacity"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl capacity pod.yaml -c prod.json.gz
kschedctl capacity deploy/web -c prod.json.gz --headroom cpu=10%
kschedctl capacity pod.yaml --target 20 --shape like=n4
"""
_REPLICAS = "replicas"
_PROPORTION = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)


class TargetOptions(Struct, frozen=True):
    """What is to fit, and on which nodes beside those that are there."""

    target: Annotated[
        int | None, typer.Option("--target", metavar="N", help="So many more are to fit.", show_default=False)
    ] = None
    shape: Annotated[
        list[str] | None,
        typer.Option(
            "--shape",
            metavar="FILE|like=NODE",
            help="How many nodes like this the target lacks; several take turns.",
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """How many nodes are missing hangs on how many pods they are for.

        Raises:
            UsageError: a shape is given alone.
        """
        if self.shape and self.target is None:
            raise UsageError("--shape needs a --target")

    def shapes(self) -> list[tuple[str, AddNode]]:
        """The shapes by what people call them.

        Raises:
            UsageError: a text is none.
            InputError: a file that is named cannot be used.
        """
        from kschedctl.whatif.world.change_context import ChangeContext
        from kschedctl.whatif.world.change_text import parse_change
        from kschedctl.whatif.world.changes import AddNode

        texts = self.shape or ()
        changes = [
            one for text in texts for one in parse_change("add-node", text, ChangeContext(), name="shape")
        ]
        found = [change for change in changes if isinstance(change, AddNode)]
        return [(f"like {c.like or (c.template.name if c.template else '')}", c) for c in found]


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def capacity(
    context: typer.Context,
    wanted: TargetOptions,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    timing: TimingOptions,
    pods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE | TYPE/NAME]...", help="Pods or workloads to multiply.", show_default=False
        ),
    ] = None,
    proportions: Annotated[
        str,
        typer.Option(
            "--proportions",
            metavar="A:B...|replicas",
            help="How many of each make up one set; replicas: as many as each workload has.",
        ),
    ] = "",
    headroom: Headrooms = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="Count up to so many.")
    ] = MOST_SETS,
    pending: Annotated[
        bool, typer.Option("--pending", help="Place the pods that are pending in the cluster first.")
    ] = False,
) -> int:
    """How many more of a pod fit, what limits each node, how many nodes are missing.

    Copies are placed one after another, none is preempted, until one finds no node. With several pods whole sets
    are counted. Exit code 0: at least one fits, or as many as --target wants; 1: not so; 2: no answer.
    """
    from kschedctl.questions.capacity import CapacityQuestion
    from kschedctl.questions.capacity import capacity as ask
    from kschedctl.whatif.capacity.headroom import parse_headroom

    from .inputs import load_cluster, split_arguments
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing
    from .timings import measuring

    write = writer_for(WRITERS, report.output)
    paths, references = split_arguments(pods or [])
    paths = candidates.paths(paths)
    texts = changes.texts(option_order(context))
    with measuring(timing) as timings, progressing(report) as observer:
        loaded = load_cluster(
            cluster, scheduler, observer, beside=paths, namespace=candidates.namespace, timings=timings
        )
        question = CapacityQuestion(
            manifests=paths,
            references=["/".join(reference) for reference in references],
            changes=changes.parse(texts, candidates.namespace),
            change_texts=changes.change_texts(texts),
            proportions=[] if proportions == _REPLICAS else _proportions(proportions),
            by_replicas=proportions == _REPLICAS,
            limit=limit,
            target=wanted.target,
            shapes=wanted.shapes(),
            headroom=[parse_headroom(text) for text in headroom or []],
            place_pending=pending,
            namespace=candidates.namespace,
        )
        answer = ask(loaded, question, stdin=sys.stdin.buffer, observer=observer)
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer), [answer.cluster], report)


def exit_code(answer: Capacity) -> ExitCode:
    """Whether as many fit as are wanted."""
    enough = answer.sets > 0 if answer.target is None else not answer.target.missing
    if enough:
        return ExitCode.YES
    return ExitCode.FAILED if not_judged(answer.cluster) else ExitCode.NO


def _proportions(text: str) -> list[int]:
    numbers = text.split(":") if text else []
    if not all(_PROPORTION.fullmatch(number) for number in numbers):
        raise UsageError(
            f"{text!r} are no proportions", hint="Write 3:1, in the order of the pods, or replicas."
        )
    return [int(number) for number in numbers]
