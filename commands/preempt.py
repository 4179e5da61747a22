"""`kschedctl preempt`: whom would a pod evict, on which node and why there, and what becomes of the victims."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions, PreparedChanges
from .option_groups import grouped
from .options import (
    CandidateOptions,
    ClusterOptions,
    DryRun,
    ReportOptions,
    SchedulerOptions,
    TimingOptions,
    formats,
)
from .ordered import OrderedVerb, option_order
from .verb import HELP

WRITERS = CATALOGUE["Preemption"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl preempt pod.yaml -c prod.json.gz
kschedctl preempt pod/web-7 -n shop -c prod.json.gz --graph evictions.dot
"""


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def preempt(
    context: typer.Context,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    timing: TimingOptions,
    pods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE | TYPE/NAME]...",
            help="Pods to ask for, each alone; without any: every pending pod of the cluster.",
            show_default=False,
        ),
    ] = None,
    dry_run: DryRun = True,
    graph: Annotated[
        str | None,
        typer.Option("--graph", metavar="FILE", help="Write the evictions as a graph: .dot or .graphml."),
    ] = None,
) -> int:
    """Whom would a pod evict, on which node and why there, and what becomes of the victims.

    Candidates are those of explain. Nothing is evicted and nothing is written to any cluster, with --dry-run or
    without it. Exit code 0: all fit, or preemption makes room; 1: one stays pending; 2: no answer.
    """
    from kschedctl.questions.preempt import preempt_question
    from kschedctl.reports.explain.overview import preempted

    from .output import observer_for, writer_for
    from .pod_arguments import asked_for, tell
    from .timings import measuring

    write = writer_for(WRITERS, report.output)
    with measuring(timing) as timings:
        found = asked_for(
            pods or [],
            candidates,
            cluster,
            scheduler,
            observer_for(report),
            changes=PreparedChanges.of(changes, option_order(context)),
            timings=timings,
        )
        rooms = report.tells_nodes and not found.pending
        answers = found.answers(partial(preempt_question, rooms=rooms))
        yes = {"Scheduled", "Preempts"}
        if graph is None:
            return tell(found, answers, write, preempted, yes, report)
        from kschedctl.reports.preempt.graph import graph_of_answers

        with graph_of_answers(graph) as passed:
            return tell(found, passed(answers), write, preempted, yes, report)
