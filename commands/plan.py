"""`kschedctl plan`: which nodes to buy, or which can go, and what nobody can do for less."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer
from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions
from .errors import ExitCode
from .option_groups import grouped
from .options import CandidateOptions, ClusterOptions, Headrooms, ReportOptions, SchedulerOptions, formats
from .ordered import OrderedVerb, option_order
from .verb import HELP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kschedctl.observer import Observer
    from kschedctl.questions.cluster import Cluster
    from kschedctl.reports.consolidation.model import Consolidation
    from kschedctl.reports.plan.model import NodePlan
    from kschedctl.whatif.capacity.headroom import Headroom
    from kschedctl.whatif.world.changes import Change

WRITERS = CATALOGUE["NodePlan"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EXAMPLES = """
kschedctl plan release/ --catalogue shapes.yaml -c prod.json.gz
kschedctl plan --catalogue shapes.yaml --scale deploy/web=40
kschedctl plan release/ --catalogue shapes.yaml --survive zones=1
kschedctl plan --shrink -c prod.json.gz
kschedctl plan --shrink --catalogue shapes.yaml --keep pool=db
"""
_MOST_MIXES: Final = 200
_SURVIVED = re.compile(r"(?P<kind>nodes|zones)=(?P<count>[1-9][0-9]{0,3})", re.ASCII)


class PriceOptions(Struct, frozen=True):
    """What nodes cost, and how long to look for less."""

    catalogue: Annotated[
        str | None,
        typer.Option(
            "--catalogue",
            metavar="FILE",
            help="The shapes that can be bought; with --shrink: what nodes cost.",
            show_default=False,
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", metavar="PRICE", min=0, help="It may cost so much an hour.", show_default=False
        ),
    ] = None
    trials: Annotated[
        int | None,
        typer.Option(
            "--trials",
            metavar="N",
            min=1,
            help="Simulate so many mixes of nodes at most; with --shrink: so many ways through the nodes.",
            show_default="200; 40 with --shrink",
        ),
    ] = None


class RoomOptions(Struct, frozen=True):
    """What has to be left over."""

    survive: Annotated[
        list[str] | None,
        typer.Option(
            "--survive",
            metavar="nodes=N|zones=N",
            help="So many may fail at once; repeatable.",
            show_default=False,
        ),
    ] = None
    headroom: Headrooms = None

    def survived(self, kind: str) -> int:
        """How many nodes or zones may fail at once.

        Raises:
            UsageError: a text names neither.
        """
        found = 0
        for text in self.survive or ():
            parts = _SURVIVED.fullmatch(text)
            if parts is None:
                raise UsageError(f"{text!r} is nothing to survive", hint="Write nodes=1 or zones=1.")
            found = int(parts["count"]) if parts["kind"] == kind else found
        return found


class ShrinkOptions(Struct, frozen=True):
    """Which nodes can go."""

    shrink: Annotated[
        bool, typer.Option("--shrink", help="Which nodes of the cluster can go, in which order.")
    ] = False
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="NODE|SELECTOR",
            help="With --shrink: nodes that stay; repeatable.",
            show_default=False,
        ),
    ] = None


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def plan(
    context: typer.Context,
    prices: PriceOptions,
    room: RoomOptions,
    smaller: ShrinkOptions,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="What is to run besides.", show_default=False),
    ] = None,
) -> int:
    """Which nodes to buy, so that all that is pending and all that manifests ask for finds a node; or which can go.

    The cheapest mix that was found, with what no mix can cost less than. Exit code 0: every pod finds a node; 1: not
    so, or only for more than --max-cost; 2: no answer. With --shrink: the nodes that can be drained one after the
    other so that everything that has a node still finds one and disruption budgets hold; 0: some can go; 1: none; 2:
    no answer.
    """
    from kschedctl.whatif.capacity.headroom import parse_headroom

    from .inputs import load_cluster
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing

    _check(prices, smaller)
    write = writer_for(CATALOGUE["Consolidation" if smaller.shrink else "NodePlan"].writers, report.output)
    texts = changes.texts(option_order(context))
    paths = candidates.paths(manifests)
    survived = {kind: room.survived(kind) for kind in ("nodes", "zones")}
    beside = [*filter(None, [prices.catalogue]), *paths]
    with progressing(report) as observer:
        loaded = load_cluster(cluster, scheduler, observer, beside=beside, namespace=candidates.namespace)
        asked: _Asked = {
            "manifests": paths,
            "changes": changes.parse(texts, candidates.namespace),
            "change_texts": changes.change_texts(texts),
            "headroom": [parse_headroom(text) for text in room.headroom or []],
            "survive_nodes": survived["nodes"],
            "survive_zones": survived["zones"],
            "namespace": candidates.namespace,
        }
        answer = _answer(loaded, asked, prices, smaller, observer)
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer), [answer.cluster], report)


class _Asked(TypedDict):
    """What both questions ask."""

    manifests: list[str]
    changes: list[Change]
    change_texts: Sequence[str] | None
    headroom: list[Headroom]
    survive_nodes: int
    survive_zones: int
    namespace: str | None


def _answer(
    cluster: Cluster, asked: _Asked, prices: PriceOptions, smaller: ShrinkOptions, observer: Observer
) -> NodePlan | Consolidation:
    """Ask which of its nodes can go, or what is to be bought."""
    from kschedctl.questions.consolidate import ConsolidationQuestion, consolidate
    from kschedctl.questions.plan import PlanQuestion
    from kschedctl.questions.plan import plan as buy
    from kschedctl.whatif.fleet.consolidation import MOST_WALKS

    catalogue, trials, stdin = prices.catalogue, prices.trials, sys.stdin.buffer
    if smaller.shrink:
        fewer = ConsolidationQuestion(
            catalogue=catalogue, keep=smaller.keep or [], most_walks=trials or MOST_WALKS, **asked
        )
        return consolidate(cluster, fewer, stdin=stdin, observer=observer)
    more = PlanQuestion(
        catalogue=catalogue or "", max_cost=prices.max_cost, most_trials=trials or _MOST_MIXES, **asked
    )
    return buy(cluster, more, stdin=stdin, observer=observer)


def _check(prices: PriceOptions, smaller: ShrinkOptions) -> None:
    """Refuse options that do not go together."""
    if smaller.shrink and prices.max_cost is not None:
        raise UsageError("--max-cost is about what is bought, and --shrink buys nothing")
    if not smaller.shrink and smaller.keep:
        raise UsageError("--keep says what --shrink leaves alone, which is not given")
    if not smaller.shrink and prices.catalogue is None:
        raise UsageError(
            "no --catalogue says what can be bought",
            hint="Write --catalogue FILE, or --shrink to see which nodes can go.",
        )


def exit_code(answer: NodePlan | Consolidation) -> ExitCode:
    """Whether everything finds a node, or any node can go."""
    if answer.possible:
        return ExitCode.YES
    return ExitCode.FAILED if not_judged(answer.cluster) else ExitCode.NO
