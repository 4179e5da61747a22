"""`kschedctl drain`: can these nodes go, in which waves, and where does everything go."""

from __future__ import annotations

from typing import Annotated

import typer

from kschedctl.errors import UsageError
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions
from .errors import ExitCode
from .option_groups import grouped
from .options import (
    ClusterOptions,
    Effects,
    LetPreempt,
    ReportOptions,
    SchedulerOptions,
    Timeline,
    TimingOptions,
    formats,
)
from .ordered import OrderedVerb, option_order
from .verb import HELP

WRITERS = CATALOGUE["Drain"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl drain n4 n5 -c prod.json.gz
kschedctl drain topology.kubernetes.io/zone=eu-1b -c prod.json.gz
kschedctl drain n4 -c prod.json.gz --add-node like=n4=2
"""


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def drain(
    context: typer.Context,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    timing: TimingOptions,
    nodes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NODE|SELECTOR]...", help="Nodes by name, or by labels: zone=eu-1b.", show_default=False
        ),
    ] = None,
    selector: Annotated[
        list[str] | None,
        typer.Option("--selector", "-l", metavar="SELECTOR", help="Nodes by labels; repeatable."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete pods that no controller would make anew.")
    ] = False,
    preemption: LetPreempt = True,
    effects: Effects = EffectsModel.IN_FLIGHT,
    timeline: Timeline = False,
    always: Annotated[
        bool,
        typer.Option(
            *("--ignore-daemonsets", "--delete-emptydir-data", "--dry-run"),
            help="Always so; taken for kubectl's sake.",
            show_default=False,
        ),
    ] = True,
) -> int:
    """Can these nodes go, in which waves, and where does everything go.

    All nodes are cordoned, then pods are evicted in waves, each as large as the disruption budgets allow; daemons,
    static and finished pods, local data and pods without a controller are treated as
    `kubectl drain --ignore-daemonsets --delete-emptydir-data` does.
    Changes are applied before. Exit code 0: the nodes become empty and every pod finds another one; 1: not so; 2:
    no answer.
    """
    from kschedctl.questions.drain import DrainQuestion
    from kschedctl.questions.drain import drain as ask

    from .inputs import load_cluster
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing
    from .timings import measuring

    targets = [*(nodes or []), *(selector or [])]
    if not targets:
        raise UsageError("no node to drain is named", hint="Write drain NODE, or drain -l KEY=VALUE.")
    write = writer_for(WRITERS, report.output)
    texts = changes.texts(option_order(context))
    with measuring(timing) as timings, progressing(report) as observer:
        loaded = load_cluster(cluster, scheduler, observer, timings=timings)
        question = DrainQuestion(
            nodes=targets,
            changes=changes.parse(texts),
            change_texts=changes.change_texts(texts),
            force=force,
            preemption=preemption,
            effects=effects,
            timeline=timeline,
        )
        answer = ask(loaded, question, observer=observer)
    emit_pieces(write([answer], look_of(report)), report)
    code = ExitCode.YES if answer.possible else ExitCode.FAILED if answer.undecided else ExitCode.NO
    return with_caveats(code, [answer.cluster], report)
