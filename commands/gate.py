"""`kschedctl gate`: scenario files with expectations, for CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kschedctl.errors import UsageError
from kschedctl.parallel import Workers
from kschedctl.writers.catalogue import CATALOGUE
from kschedctl.writers.formats import Format, Look

from .errors import ExitCode
from .option_groups import grouped
from .options import (
    FOLDER_VARIABLE,
    ClusterOptions,
    Filename,
    Recursive,
    ReportOptions,
    SchedulerOptions,
    formats,
    with_directories,
)
from .verb import HELP, Verb

if TYPE_CHECKING:
    from kschedctl.questions.cluster import Cluster
    from kschedctl.reports.gate.model import Gate

WRITERS = CATALOGUE["Gate"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


EXAMPLES = """
kschedctl gate scenario.yaml -c prod.json.gz
kschedctl gate scenarios/*.yaml -o github --output-file junit=gate.xml
helm template shop | kschedctl gate scenario.yaml -f -
"""


@app.command(cls=Verb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def gate(
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scenario files, - for stdin.")],
    filename: Filename = None,
    recursive: Recursive = False,
    output_file: Annotated[
        list[str] | None,
        typer.Option(
            "--output-file",
            metavar="FORMAT=PATH",
            help="Write the report in this format to a file as well; repeatable.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option("--jobs", "-j", metavar="N", min=1, max=4096, help="Try failures in so many processes."),
    ] = 1,
) -> int:
    """Run scenarios and check what they expect: changes, manifests and expectations in files.

    --cluster is the cluster of scenarios that name none, -f are the manifests of those without any. Exit code 0: all
    are as expected; 1: one is not; 2: one could not be run.
    """
    from kschedctl.questions.gate import gate as run_gate

    from .inputs import check_stdin, load_cluster, scheduling_options
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing

    write = writer_for(WRITERS, report.output)
    outputs = [(writer_for(WRITERS, wanted), path) for wanted, path in map(_output, output_file or [])]
    manifests = with_directories(filename or (), recursive=recursive)
    check_stdin(cluster, scheduler, [*files, *manifests])
    with progressing(report) as observer:

        def load(paths: tuple[str, ...]) -> Cluster:
            given = ClusterOptions([Path(path) for path in paths]) if paths else cluster
            return load_cluster(given, scheduler, observer)

        answer = run_gate(
            files,
            load,
            scheduling_options(scheduler),
            manifests=manifests,
            stdin=sys.stdin.buffer,
            observer=observer,
            workers=Workers(jobs, folder=os.environ.get(FOLDER_VARIABLE, "")),
        )
    for to_file, path in outputs:
        _write(path, to_file([answer], Look(width=120)))
    emit_pieces(write([answer], look_of(report)), report)
    clusters = [s.simulation.cluster for s in answer.scenarios if s.simulation is not None]
    return with_caveats(exit_code(answer), clusters, report)


def exit_code(answer: Gate) -> ExitCode:
    """The worst scenario decides; a pod that the API server refuses is a failure to run."""
    refused = any(
        s.simulation is not None and (s.simulation.failed or (s.simulation.not_judged and not s.passed))
        for s in answer.scenarios
    )
    if answer.errors or refused:
        return ExitCode.FAILED
    return ExitCode.YES if answer.passed else ExitCode.NO


def _output(text: str) -> tuple[Format, Path]:
    name, equals, path = text.partition("=")
    if not equals or not path or name not in list(Format):
        raise UsageError(
            f"{text!r} is no FORMAT=PATH", hint="Write junit=report.xml; the formats are those of -o."
        )
    return Format(name), Path(path)


def _write(path: Path, pieces: Iterable[str]) -> None:
    from kschedctl.sources.atomic import replacing

    with replacing(str(path)) as file:
        file.write("".join(pieces).encode())
