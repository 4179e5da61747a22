"""`kschedctl simulate`: what happens to many pods, one after another, after some changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from commands.change_options import ChangeOptions
from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.options import CandidateOptions, ClusterOptions, ReportOptions, SchedulerOptions
from commands.ordered import OrderedCommand, option_order

if TYPE_CHECKING:
    from kschedctl.reports.simulation import Simulation

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@app.command(cls=OrderedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@grouped
def simulate(
    context: typer.Context,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: ReportOptions,
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Manifests to apply first.", show_default=False),
    ] = None,
    single_pass: Annotated[bool, typer.Option("--single-pass", help="Try each pod once.")] = False,
    preemption: Annotated[
        bool, typer.Option("--preemption/--no-preemption", help="Let pods preempt others.")
    ] = True,
    detail: Annotated[
        bool, typer.Option("--detail", help="With -o json|yaml: verdicts and scores of each pod.")
    ] = False,
) -> int:
    """Schedule the pending pods of the cluster and those of manifests, one after another, after some changes.

    Manifests are applied first, then the changes in the order in which they are given. A workload that is in the
    cluster already is replaced. Exit code 0: every pod finds a node; 1: some stay pending; 2: no answer.
    """
    from commands.inputs import load_cluster
    from commands.output import emit, look_of, renderer_for
    from commands.progress import progressing
    from kschedctl import planning
    from kschedctl.reports.render.simulation import RENDERERS

    render = renderer_for(RENDERERS, report.output)
    texts = changes.texts(option_order(context))
    with progressing(report) as observer:
        loaded = load_cluster(cluster, scheduler, observer)
        answer = planning.simulate(
            loaded,
            [*(manifests or []), *map(str, candidates.filename or [])],
            changes.parse(texts),
            told=[" ".join(text) for text in texts],
            rollout=changes.rollout,
            namespace=candidates.namespace,
            single_pass=single_pass,
            preemption=preemption,
            detail=detail,
            stdin=sys.stdin.buffer,
            observer=observer,
        )
    emit(render([answer], look_of(report)))
    return exit_code(answer)


def exit_code(answer: Simulation) -> ExitCode:
    """The worst outcome decides."""
    if answer.failed:
        return ExitCode.FAILED
    return ExitCode.YES if answer.fits else ExitCode.NO
