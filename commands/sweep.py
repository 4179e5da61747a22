"""`kschedctl sweep`: a grid of scenarios, in several processes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.parallel import Backend, Workers
from kschedctl.writers.catalogue import CATALOGUE

from .errors import ExitCode
from .option_groups import grouped
from .options import FOLDER_VARIABLE, ClusterOptions, ReportOptions, SchedulerOptions, formats
from .verb import HELP, Verb

if TYPE_CHECKING:
    from kschedctl.reports.sweep.model import SweepReport

WRITERS = CATALOGUE["SweepReport"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EXAMPLES = """
kschedctl sweep sweep.yaml -c prod.json.gz
kschedctl sweep sweep.yaml --jobs 8 --results done.jsonl --resume
kschedctl sweep sweep.yaml --backend ray -o html > sweep.html
"""


_ADDRESSES: Final = {Backend.DASK: "DASK_SCHEDULER_ADDRESS", Backend.RAY: "RAY_ADDRESS"}
"""The variables by which these are told of a cluster."""


class ProcessOptions(Struct, frozen=True):
    """How many scenarios are run at a time, and by what."""

    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            min=1,
            max=4096,
            help="So many processes; 1 needs no further library.",
            show_default="one a processor, after a second's work",
        ),
    ] = None
    backend: Annotated[Backend, typer.Option("--backend", help="What runs the processes.")] = Backend.LOKY

    @property
    def workers(self) -> Workers:
        """Who runs them."""
        address = os.environ.get(_ADDRESSES.get(self.backend, ""), "")
        return Workers(self.jobs, self.backend, address, os.environ.get(FOLDER_VARIABLE, ""))


class MapOptions(Struct, frozen=True):
    """What the heat map shows."""

    rows: Annotated[
        str | None, typer.Option("--rows", metavar="AXIS", help="The axis of the rows of the heat map.")
    ] = None
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="AXIS", help="The axis of its columns.")
    ] = None
    show: Annotated[
        str,
        typer.Option(
            "--show", metavar="WHAT", help="What it shows: pending, evictions, or a resource such as cpu."
        ),
    ] = "pending"


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def sweep(
    processes: ProcessOptions,
    heat_map: MapOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The sweep, - for stdin.")],
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Run nothing: tell how many scenarios there are, and what they cost."),
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", readable=False, metavar="FILE", help="Keep each result in a file, as JSON lines."
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Take from --results what is known already.")
    ] = False,
) -> int:
    """Run a grid of scenarios: every node or zone lost, nodes added, weights, versions, releases.

    --cluster is the cluster of sweeps that name none. Exit code 0: all scenarios are as expected; 1: one is not; 2:
    one could not be run.
    """
    from kschedctl.questions.sweep import SweepQuestion
    from kschedctl.questions.sweep import sweep as ask
    from kschedctl.reports.sweep.model import SweepMap

    from .inputs import check_stdin, cluster_maker, written_of
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing

    write = writer_for(WRITERS, report.output)
    check_stdin(cluster, scheduler, [file])
    if resume and results is None:
        raise UsageError("--resume needs the results of before", hint="Name them with --results FILE.")
    workers = processes.workers
    if scheduler.allow_extenders and scheduler.extender_recording and not workers.is_this_process:
        raise UsageError(
            "several processes cannot write one recording of extenders", hint="Write it with --jobs 1."
        )
    question = SweepQuestion(
        workers=workers,
        results=None if results is None else str(results),
        resume=resume,
        plan_only=plan,
        shown=SweepMap(rows=heat_map.rows, columns=heat_map.columns, measure=heat_map.show),
    )
    with progressing(report) as observer:
        answer = ask(
            file,
            cluster_maker(cluster, scheduler, observer),
            question,
            scheduler=written_of(scheduler),
            stdin=sys.stdin.buffer,
            observer=observer,
        )
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer), [answer.cluster], report)


def exit_code(answer: SweepReport) -> ExitCode:
    """The worst scenario decides."""
    if answer.errors or any(trial.undecided for trial in answer.trials):
        return ExitCode.FAILED
    return ExitCode.NO if answer.failed else ExitCode.YES
