"""`kschedctl explain`: where would a pod go and why; if nowhere, why not, node by node."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.options import CandidateOptions, ClusterOptions, ReportOptions, SchedulerOptions, formats
from commands.verb import HELP, Verb
from kschedctl.errors import UsageError
from kschedctl.reports.render.explanation import RENDERERS

if TYPE_CHECKING:
    from kschedctl.api import Cluster
    from kschedctl.observer import Observer
    from kschedctl.reports.explanation import Explanation

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl explain pod.yaml -c prod.json.gz
kschedctl explain pod/web-7 -n shop -c prod.json.gz -o wide
kubectl get nodes,pods -A -o yaml | kschedctl explain pod.yaml -c -
"""


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def explain(
    candidates: CandidateOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(RENDERERS)],
    pods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE | TYPE/NAME]...",
            help="Pods to explain, each alone; without any: every pending pod of the cluster.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Where would a pod go and why; if nowhere, why not, node by node.

    Candidates come from files, or from the cluster by TYPE/NAME: a pending pod as it is, a running one as if it
    were to be placed anew, of a workload one more pod. Exit code 0: all find a node; 1: one does not; 2: no answer.
    """
    from commands.inputs import check_stdin, load_cluster, split_arguments
    from commands.output import emit, look_of, observer_for, renderer_for, with_caveats

    render = renderer_for(RENDERERS, report.output)
    paths, references = split_arguments(pods or [])
    paths += map(str, candidates.filename or [])
    check_stdin(paths, cluster.cluster, [scheduler.scheduler_config or ""])
    observer = observer_for(report)
    loaded = load_cluster(cluster, scheduler, observer, every_failure=True)
    explanations = _explain(loaded, paths, references, candidates.namespace, observer)
    emit(render(explanations, look_of(report)))
    code = exit_code([explanation.outcome for explanation in explanations])
    return with_caveats(code, (explanation.cluster for explanation in explanations), report)


def _explain(
    cluster: Cluster,
    paths: Sequence[str],
    references: Sequence[tuple[str, str]],
    namespace: str | None,
    observer: Observer,
) -> list[Explanation]:
    """Everything that is asked for; all that is pending where nothing is."""
    if not paths and not references:
        found = cluster.explain_pending(namespace)
        if not found:
            raise UsageError("no pod of the cluster is pending", hint="Pass a file with a pod, or pod/NAME.")
        return found
    answers = cluster.explain(*paths, namespace=namespace, stdin=sys.stdin.buffer, observer=observer)
    return answers + [
        cluster.explain_existing(name, namespace or "default", kind) for kind, name in references
    ]


def exit_code(outcomes: Sequence[str]) -> ExitCode:
    """The worst of the outcomes decides."""
    if any(outcome in ("Invalid", "Error") for outcome in outcomes):
        return ExitCode.FAILED
    return ExitCode.YES if all(outcome == "Scheduled" for outcome in outcomes) else ExitCode.NO
