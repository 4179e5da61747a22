"""`kschedctl preempt`: whom would a pod evict, on which node and why there, and what becomes of the victims."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.options import (
    CandidateOptions,
    ClusterOptions,
    DryRun,
    ReportOptions,
    SchedulerOptions,
    formats,
)
from commands.verb import HELP, Verb
from kschedctl.errors import UsageError
from kschedctl.reports.render.preempt import RENDERERS

if TYPE_CHECKING:
    from kschedctl.api import Cluster
    from kschedctl.observer import Observer
    from kschedctl.reports.preempt import Preemption

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl preempt pod.yaml -c prod.json.gz
kschedctl preempt pod/web-7 -n shop -c prod.json.gz --graph evictions.dot
"""


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def preempt(
    candidates: CandidateOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(RENDERERS)],
    pods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE | pod/NAME]...",
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

    Nothing is evicted and nothing is written to any cluster, with --dry-run or without it. Exit code 0: all fit,
    or preemption makes room; 1: one stays pending; 2: no answer.
    """
    from commands.inputs import check_stdin, load_cluster, split_arguments
    from commands.output import emit, look_of, observer_for, renderer_for, with_caveats

    render = renderer_for(RENDERERS, report.output)
    paths, references = split_arguments(pods or [])
    paths += map(str, candidates.filename or [])
    check_stdin(paths, cluster.cluster, [scheduler.scheduler_config or ""])
    observer = observer_for(report)
    loaded = load_cluster(cluster, scheduler, observer)
    answers = _answers(loaded, paths, references, candidates.namespace, observer)
    if graph is not None:
        from kschedctl.reports.preempt_graph import write_graph

        write_graph(answers, graph)
    emit(render(answers, look_of(report)))
    code = exit_code([answer.outcome for answer in answers])
    return with_caveats(code, (answer.cluster for answer in answers), report)


def _answers(
    cluster: Cluster,
    paths: Sequence[str],
    references: Sequence[tuple[str, str]],
    namespace: str | None,
    observer: Observer,
) -> list[Preemption]:
    """Everything that is asked for; all that is pending where nothing is."""
    from kschedctl import preempt as question

    if not paths and not references:
        found = question.preempt_pending(cluster, namespace)
        if not found:
            raise UsageError("no pod of the cluster is pending", hint="Pass a file with a pod, or pod/NAME.")
        return found
    stdin = sys.stdin.buffer
    answers = question.preempt(cluster, *paths, namespace=namespace, stdin=stdin, observer=observer)
    return answers + [
        question.preempt_existing(cluster, name, namespace or "default", kind) for kind, name in references
    ]


def exit_code(outcomes: Sequence[str]) -> ExitCode:
    """The worst of the outcomes decides."""
    if any(outcome in ("Invalid", "Error") for outcome in outcomes):
        return ExitCode.FAILED
    return ExitCode.YES if all(o in ("Scheduled", "Preempts") for o in outcomes) else ExitCode.NO
