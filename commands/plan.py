"""`kschedctl plan`: which nodes to buy, and what nobody can do for less."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

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
    from kschedctl.reports.plan.model import NodePlan

WRITERS = CATALOGUE["NodePlan"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EXAMPLES = """
kschedctl plan release/ --catalogue shapes.yaml -c prod.json.gz
kschedctl plan --catalogue shapes.yaml --scale deploy/web=40
kschedctl plan release/ --catalogue shapes.yaml --survive zones=1
"""
_SURVIVED = re.compile(r"(?P<kind>nodes|zones)=(?P<count>[1-9][0-9]{0,3})", re.ASCII)


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def plan(
    context: typer.Context,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    catalogue: Annotated[
        str,
        typer.Option(
            "--catalogue", metavar="FILE", help="The shapes that can be bought.", show_default=False
        ),
    ],
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="What is to run besides.", show_default=False),
    ] = None,
    survive: Annotated[
        list[str] | None,
        typer.Option(
            "--survive",
            metavar="nodes=N|zones=N",
            help="So many may fail at once; repeatable.",
            show_default=False,
        ),
    ] = None,
    headroom: Headrooms = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost", metavar="PRICE", min=0, help="It may cost so much an hour.", show_default=False
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", min=1, help="Simulate so many mixes of nodes at most.")
    ] = 200,
) -> int:
    """Which nodes to buy, so that all that is pending and all that manifests ask for finds a node.

    The cheapest mix that was found, with what no mix can cost less than. Exit code 0: every pod finds a node; 1: not
    so, or only for more than --max-cost; 2: no answer.
    """
    from kschedctl.questions.plan import PlanQuestion
    from kschedctl.questions.plan import plan as ask
    from kschedctl.whatif.capacity.headroom import parse_headroom

    from .inputs import load_cluster
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing

    write = writer_for(WRITERS, report.output)
    texts = changes.texts(option_order(context))
    paths = [*(manifests or []), *map(str, candidates.filename or [])]
    survived = _survived(survive or [])
    with progressing(report) as observer:
        loaded = load_cluster(
            cluster, scheduler, observer, beside=[catalogue, *paths], namespace=candidates.namespace
        )
        question = PlanQuestion(
            catalogue=catalogue,
            manifests=paths,
            changes=changes.parse(texts, candidates.namespace),
            change_texts=changes.change_texts(texts),
            headroom=[parse_headroom(text) for text in headroom or []],
            survive_nodes=survived.get("nodes", 0),
            survive_zones=survived.get("zones", 0),
            max_cost=max_cost,
            most_trials=trials,
            namespace=candidates.namespace,
        )
        answer = ask(loaded, question, stdin=sys.stdin.buffer, observer=observer)
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer), [answer.cluster], report)


def exit_code(answer: NodePlan) -> ExitCode:
    """Whether everything finds a node."""
    if answer.possible:
        return ExitCode.YES
    return ExitCode.FAILED if not_judged(answer.cluster) else ExitCode.NO


def _survived(texts: list[str]) -> dict[str, int]:
    found = {}
    for text in texts:
        parts = _SURVIVED.fullmatch(text)
        if parts is None:
            raise UsageError(f"{text!r} is nothing to survive", hint="Write nodes=1 or zones=1.")
        found[parts["kind"]] = int(parts["count"])
    return found
