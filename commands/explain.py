"""`kschedctl explain`: where would a pod go and why; if nowhere, why not, node by node."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions, PreparedChanges
from .option_groups import grouped
from .options import (
    CandidateOptions,
    ClusterOptions,
    ReportOptions,
    SchedulerOptions,
    TimingOptions,
    formats,
)
from .ordered import OrderedVerb, option_order
from .verb import HELP

if TYPE_CHECKING:
    from kschedctl.questions.nodes import NodesAskedAbout

WRITERS = CATALOGUE["Explanation"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl explain pod.yaml -c prod.json.gz
kschedctl explain pod/web-7 -n shop -c prod.json.gz -o wide
kschedctl explain pod.yaml -c prod.json.gz --uncordon n6 --node n6
kubectl get nodes,pods -A -o yaml | kschedctl explain pod.yaml -c -
"""


class NodeOptions(Struct, frozen=True):
    """Why not there."""

    node: Annotated[
        list[str] | None,
        typer.Option(
            "--node",
            metavar="NODE",
            help="The whole story of a node, and what would have to change; repeatable, * stands for anything.",
            show_default=False,
        ),
    ] = None
    versus: Annotated[
        str,
        typer.Option("--versus", metavar="A,B", help="Two nodes, plugin by plugin.", show_default=False),
    ] = ""

    def asked(self) -> NodesAskedAbout | None:
        """The nodes whose story is told; None where none is.

        Raises:
            UsageError: `--versus` names no two nodes.
        """
        from kschedctl.questions.nodes import NodesAskedAbout

        patterns = self.node or ()
        if not self.versus:
            return NodesAskedAbout(patterns) if patterns else None
        first, comma, second = self.versus.partition(",")
        if not comma or not first or not second:
            raise UsageError(f"{self.versus!r} are not two nodes", hint="Write --versus A,B.")
        return NodesAskedAbout(patterns, (first.strip(), second.strip()))


class SuggestionOptions(Struct, frozen=True):
    """What would make a pod fit."""

    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest", help="Search further for what would make a pod fit, each proved by deciding again."
        ),
    ] = False
    costs: Annotated[
        Path | None,
        typer.Option(
            "--costs",
            readable=False,
            metavar="FILE",
            help="What kinds of changes cost, in the place of the table in README.",
        ),
    ] = None

    def table(self) -> Mapping[str, float]:
        """What each kind of change costs.

        Raises:
            InputError: the file cannot be read, or is no table of costs.
        """
        from kschedctl.advice.costs import COSTS, costs_of
        from kschedctl.sources.document import load_document

        return COSTS if self.costs is None else costs_of(load_document(str(self.costs)).data, str(self.costs))


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def explain(
    context: typer.Context,
    why_not: NodeOptions,
    suggestions: SuggestionOptions,
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
            help="Pods to explain, each alone; without any: every pending pod of the cluster.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Where would a pod go and why; if nowhere, why not, node by node.

    Candidates come from files, or from the cluster by TYPE/NAME: a pending pod as it is, a running one as if it
    were to be placed anew, of a workload one more pod. Exit code 0: all find a node; 1: one does not; 2: no answer.
    """
    from kschedctl.advice.limits import FULL, brief_for
    from kschedctl.questions.explain import explain_question
    from kschedctl.questions.scheduler import versions_in
    from kschedctl.reports.explain.overview import explained

    from .output import observer_for, writer_for
    from .pod_arguments import asked_for, tell
    from .timings import measuring

    observer = observer_for(report)
    prepared = PreparedChanges.of(changes, option_order(context))
    if (versions := versions_in(scheduler.kubernetes_version)) is not None:
        from .pod_arguments import asked_in_versions
        from .versions import tell_of_versions

        answers_of_both = asked_in_versions(
            pods or [], candidates, cluster, scheduler, versions, observer, prepared
        )
        return tell_of_versions(answers_of_both, report)
    write = writer_for(WRITERS, report.output)
    costs, nodes = suggestions.table(), why_not.asked()
    with measuring(timing) as timings:
        found = asked_for(
            pods or [],
            candidates,
            cluster,
            scheduler,
            observer,
            changes=prepared,
            every_failure=True,
            timings=timings,
        )
        count = found.question[0].cluster.session.cluster.nodes.count if found.question else 0
        limits = FULL if suggestions.suggest else brief_for(len(found.question), count)
        answers = found.answers(
            partial(
                explain_question,
                suggest=limits,
                costs=costs,
                nodes=nodes,
                rooms=report.tells_nodes and not found.pending,
            )
        )
        return tell(found, answers, write, explained, {"Scheduled"}, report)
