"""`kschedctl snapshot`: clusters as files: take, inspect, compare, convert, redact."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from kschedctl.errors import UsageError
from kschedctl.writers.catalogue import CATALOGUE
from kschedctl.writers.formats import Format

from .errors import ExitCode
from .messages import say
from .option_groups import grouped
from .options import Debug, PageOptions, ReportOptions, ShownOptions, formats
from .snapshot_options import ConversionTarget, LiveOptions, Redact, RedactOptions
from .verb import HELP, Verb, VerbGroup

if TYPE_CHECKING:
    from kschedctl.sources.load import Loaded
    from kschedctl.sources.snapshot import Snapshot

INFO_WRITERS = CATALOGUE["SnapshotInfo"].writers
DIFF_WRITERS = CATALOGUE["SnapshotDiff"].writers

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    cls=VerbGroup,
    context_settings=HELP,
    help="Clusters as files, which hold what scheduling reads and nothing else.",
)

Inputs = Annotated[
    list[str], typer.Argument(metavar="PATH...", help="Snapshots, files or directories; - for stdin.")
]
OutputFile = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="FILE", help="The file to write, gzipped if it ends in .gz; - for stdout."
    ),
]


TAKE_EXAMPLES = """
kschedctl snapshot take -o prod.json.gz
kschedctl snapshot take --context prod --redact names -o prod.json.gz
"""
INFO_EXAMPLES = "kschedctl snapshot info prod.json.gz"
DIFF_EXAMPLES = "kschedctl snapshot diff monday.json.gz prod.json.gz"
CONVERT_EXAMPLES = """
kschedctl snapshot convert prod.json.gz -o list.json
kschedctl snapshot convert cluster.yaml --redact names -o anon.json
"""
RBAC_EXAMPLES = "kschedctl snapshot rbac | kubectl apply -f -"


@app.command(cls=Verb, epilog=TAKE_EXAMPLES)
@grouped
def take(
    live: LiveOptions,
    redaction: RedactOptions,
    output: OutputFile,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
    debug: Debug = False,
) -> int:
    """Read a live cluster into a file. Only GET requests are sent.

    Secrets, environment, commands and annotations that scheduling does not read are never stored. Kinds that may
    not be read are left out; the summary on stderr says what that weakens.
    """
    from kschedctl.live import TakeOptions, take_snapshot

    from .live import connected
    from .progress import progressing

    check_redaction(redaction, output)
    connection = connected(live, quiet=quiet)
    options = TakeOptions(chunk_size=live.chunk_size, timeout=live.timeout)
    with progressing(ReportOptions(quiet=quiet)) as observer:
        snapshot = take_snapshot(connection, datetime.now(UTC), options, observer)
    write(redacted(snapshot, redaction), ConversionTarget.SNAPSHOT, output)
    if not quiet:
        for line in summary(snapshot, output):
            say(line)
    return ExitCode.YES


@app.command(cls=Verb, epilog=INFO_EXAMPLES)
@grouped
def info(report: Annotated[PageOptions, formats(INFO_WRITERS)], inputs: Inputs) -> int:
    """Say what a snapshot holds and lacks: age, versions, counts, capacity, kinds that could not be read."""
    from msgspec.structs import replace

    from kschedctl.reports.snapshot.info import info_of

    from .output import emit_pieces, look_of, writer_for

    write_report = writer_for(INFO_WRITERS, report.output)
    loaded = loaded_from(inputs)
    found = info_of(loaded, inputs)
    if report.tells_nodes:
        from kschedctl.questions.rooms import rooms_of_loaded

        found = replace(found, rooms=rooms_of_loaded(loaded, inputs))
    emit_pieces(write_report([found], look_of(report)), report)
    return ExitCode.YES


@app.command(cls=Verb, epilog=DIFF_EXAMPLES)
@grouped
def diff(
    report: Annotated[PageOptions, formats(DIFF_WRITERS)],
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A snapshot, file or directory.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Another one.")],
) -> int:
    """Compare two clusters in what scheduling reads.

    Exit code 0: the same; 1: different; 2: no answer.
    """
    from kschedctl.reports.snapshot.diff import diff_of

    from .output import emit_pieces, look_of, writer_for

    write_report = writer_for(DIFF_WRITERS, report.output)
    found = diff_of((before, loaded_from([before])), (after, loaded_from([after])))
    emit_pieces(write_report([found], look_of(report)), report)
    return ExitCode.YES if found.same else ExitCode.NO


@app.command(cls=Verb, epilog=CONVERT_EXAMPLES)
@grouped
def convert(
    redaction: RedactOptions,
    inputs: Inputs,
    output: OutputFile = "-",
    to: Annotated[
        ConversionTarget | None,
        typer.Option(help="What to make; a List from a snapshot, else a snapshot.", show_default=False),
    ] = None,
    debug: Debug = False,
) -> int:
    """Turn a snapshot into plain objects, or files and directories into a snapshot.

    Whatever is made holds only what scheduling reads.
    """
    from kschedctl.sources.conversion import snapshot_of

    check_redaction(redaction, output)
    loaded = loaded_from(inputs)
    if to is None:
        to = (
            ConversionTarget.LIST
            if loaded.snapshots and redaction.redact is None
            else ConversionTarget.SNAPSHOT
        )
    snapshot = redacted(snapshot_of(loaded, inputs), redaction)
    write(snapshot, to, output)
    if redaction.redact is not None:
        for note in snapshot.header.notes:
            say(f"note: {note.text}")
    return ExitCode.YES


@app.command(cls=Verb, epilog=RBAC_EXAMPLES)
@grouped
def rbac(shown: ShownOptions) -> int:
    """Print the ClusterRole with the least rights that reading a cluster takes."""
    from kschedctl.sources.access import cluster_role
    from kschedctl.writers import cluster_role as role

    from .output import emit

    as_text = {Format.YAML: role.role_yaml, Format.JSON: role.role_json, Format.TABLE: role.role_table}
    emit(as_text[shown.output](cluster_role()))
    return ExitCode.YES


def loaded_from(paths: Sequence[str]) -> Loaded:
    """The objects of the inputs.

    Raises:
        KschedError: they cannot be used.
    """
    from kschedctl.sources.load import load

    return load(paths, stdin=sys.stdin.buffer)


def check_redaction(options: RedactOptions, output: str) -> None:
    """Make sure that the options go together.

    Raises:
        UsageError: they do not.
    """
    if options.names_to is not None and options.redact is not Redact.NAMES:
        raise UsageError("--names-to goes with --redact names only")
    if options.names_to is not None and os.path.realpath(options.names_to) == os.path.realpath(output):
        raise UsageError("--names-to and -o name the same file, which cannot hold both")


def redacted(snapshot: Snapshot, options: RedactOptions) -> Snapshot:
    """The snapshot with names replaced, if that is asked for."""
    if options.redact is not Redact.NAMES:
        return snapshot
    from kschedctl.sources.conversion import save_names
    from kschedctl.sources.redaction import redact_names

    found = redact_names(snapshot)
    if options.names_to is not None:
        save_names(found.originals, str(options.names_to))
    return found.snapshot


def write(snapshot: Snapshot, target: ConversionTarget, output: str) -> None:
    """Write a snapshot in the form that is asked for; `-` is stdout.

    Raises:
        InputError: the file cannot be written.
        UsageError: a directory cannot be written to stdout.
    """
    from kschedctl.sources import list_writer, snapshot_writer

    to_stdout = output == "-"
    match target:
        case ConversionTarget.DIRECTORY if to_stdout:
            raise UsageError("a directory cannot be written to stdout", hint="Name it with -o DIR.")
        case ConversionTarget.DIRECTORY:
            list_writer.save_directory(snapshot.objects, output)
        case ConversionTarget.LIST if to_stdout:
            list_writer.write_list(snapshot.objects, sys.stdout.buffer)
        case ConversionTarget.LIST:
            list_writer.save_list(snapshot.objects, output)
        case ConversionTarget.SNAPSHOT if to_stdout:
            snapshot_writer.write_snapshot(snapshot, sys.stdout.buffer)
        case ConversionTarget.SNAPSHOT:
            snapshot_writer.save_snapshot(snapshot, output)


def summary(snapshot: Snapshot, output: str) -> list[str]:
    """What was read and what is missing, in a few lines."""
    from collections import Counter

    counts = Counter(obj.kind for obj in snapshot.objects)
    others = sum(counts.values()) - counts["Node"] - counts["Pod"]
    lines = [f"{counts['Node']} nodes, {counts['Pod']} pods and {others} other objects written to {output}"]
    lines += (f"note: {note.text}" for note in snapshot.header.notes)
    weak = [entry for entry in snapshot.header.missing if entry.weakens]
    lines += (f"missing: {entry.resource} ({entry.reason}): {entry.weakens}" for entry in weak)
    if any(entry.rule for entry in weak):
        lines.append("hint: `kschedctl snapshot rbac` prints the rights that it takes")
    return lines
