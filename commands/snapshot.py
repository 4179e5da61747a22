"""`kschedctl snapshot`: clusters as files: take, inspect, compare, convert, redact."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from commands.errors import ExitCode
from commands.option_groups import grouped
from commands.options import ReportOptions
from commands.snapshot_options import DataOptions, LiveOptions, Redact, RedactOptions, RoleFormat, Target
from kschedctl.errors import UsageError

if TYPE_CHECKING:
    from kschedctl.reports.formats import Look
    from kschedctl.sources.load import Loaded
    from kschedctl.sources.snapshot import Snapshot

app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
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


@app.command()
@grouped
def take(
    live: LiveOptions,
    redaction: RedactOptions,
    output: OutputFile,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for errors.")] = False,
) -> int:
    """Read a live cluster into a file. Only GET requests are sent.

    Secrets, environment, commands and annotations that scheduling does not read are never stored. Kinds that may
    not be read are left out; the summary on stderr says what that weakens.
    """
    from commands.progress import progressing
    from kschedctl.live import TakeOptions, connect, take_snapshot

    check_redaction(redaction)
    kubeconfig = None if live.kubeconfig is None else str(live.kubeconfig)
    connection = connect(
        kubeconfig, live.context, as_user=live.as_user, as_groups=tuple(live.as_groups or ())
    )
    if not quiet:
        print(f"reading {connection}", file=sys.stderr)
    options = TakeOptions(chunk_size=live.chunk_size, timeout=live.timeout)
    with progressing(ReportOptions(quiet=quiet)) as observer:
        snapshot = take_snapshot(connection, datetime.now(UTC), options, observer)
    write(redacted(snapshot, redaction), Target.SNAPSHOT, output)
    if not quiet:
        print(summary(snapshot, output), file=sys.stderr)
    return ExitCode.YES


@app.command()
@grouped
def info(report: DataOptions, inputs: Inputs) -> int:
    """Say what a snapshot holds and lacks: age, versions, counts, capacity, kinds that could not be read."""
    from commands.output import emit, renderer_for
    from kschedctl.reports.render.snapshot import INFO_RENDERERS
    from kschedctl.reports.snapshot_info import info_of

    render = renderer_for(INFO_RENDERERS, report.output)
    emit(render([info_of(loaded_from(inputs), inputs)], look(report)))
    return ExitCode.YES


@app.command()
@grouped
def diff(
    report: DataOptions,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A snapshot, file or directory.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Another one.")],
) -> int:
    """Compare two clusters in what scheduling reads. Exit code 0: the same; 1: different."""
    from commands.output import emit, renderer_for
    from kschedctl.reports.render.snapshot import DIFF_RENDERERS
    from kschedctl.reports.snapshot_diff import diff_of

    render = renderer_for(DIFF_RENDERERS, report.output)
    found = diff_of((before, loaded_from([before])), (after, loaded_from([after])))
    emit(render([found], look(report)))
    return ExitCode.YES if found.same else ExitCode.NO


@app.command()
@grouped
def convert(
    redaction: RedactOptions,
    inputs: Inputs,
    output: OutputFile = "-",
    to: Annotated[
        Target | None,
        typer.Option(help="What to make; a List from a snapshot, else a snapshot.", show_default=False),
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", hidden=True, help="A traceback for errors.")] = False,
) -> int:
    """Turn a snapshot into plain objects, or files and directories into a snapshot.

    Whatever is made holds only what scheduling reads.
    """
    from kschedctl.sources.conversion import snapshot_of

    check_redaction(redaction)
    loaded = loaded_from(inputs)
    if to is None:
        to = Target.LIST if loaded.snapshots and redaction.redact is None else Target.SNAPSHOT
    write(redacted(snapshot_of(loaded, inputs), redaction), to, output)
    return ExitCode.YES


@app.command()
def rbac(
    output: Annotated[
        RoleFormat, typer.Option("--output", "-o", help="Format of the role.")
    ] = RoleFormat.YAML,
) -> int:
    """Print the ClusterRole with the least rights that reading a cluster takes.

    kschedctl snapshot rbac | kubectl apply -f -
    """
    from commands.output import emit
    from kschedctl.reports.render import cluster_role as render
    from kschedctl.sources.access import cluster_role

    renderers = {
        RoleFormat.YAML: render.role_yaml,
        RoleFormat.JSON: render.role_json,
        RoleFormat.TABLE: render.role_table,
    }
    emit(renderers[output](cluster_role()))
    return ExitCode.YES


def loaded_from(paths: Sequence[str]) -> Loaded:
    """The objects of the inputs.

    Raises:
        KschedError: they cannot be used.
    """
    from kschedctl.sources.load import load

    return load(paths, stdin=sys.stdin.buffer)


def look(report: DataOptions) -> Look:
    """How text is to look."""
    from commands.output import look_of

    return look_of(ReportOptions(quiet=report.quiet, no_color=report.no_color))


def check_redaction(options: RedactOptions) -> None:
    """Make sure that the options go together.

    Raises:
        UsageError: they do not.
    """
    if options.names_to is not None and options.redact is not Redact.NAMES:
        raise UsageError("--names-to goes with --redact names only")


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


def write(snapshot: Snapshot, target: Target, output: str) -> None:
    """Write a snapshot in the form that is asked for; `-` is stdout.

    Raises:
        InputError: the file cannot be written.
        UsageError: a directory cannot be written to stdout.
    """
    from kschedctl.sources import list_writer, snapshot_writer

    to_stdout = output == "-"
    match target:
        case Target.DIRECTORY if to_stdout:
            raise UsageError("a directory cannot be written to stdout", hint="Name it with -o DIR.")
        case Target.DIRECTORY:
            list_writer.save_directory(snapshot.objects, output)
        case Target.LIST if to_stdout:
            list_writer.write_list(snapshot.objects, sys.stdout.buffer)
        case Target.LIST:
            list_writer.save_list(snapshot.objects, output)
        case Target.SNAPSHOT if to_stdout:
            snapshot_writer.write_snapshot(snapshot, sys.stdout.buffer)
        case Target.SNAPSHOT:
            snapshot_writer.save_snapshot(snapshot, output)


def summary(snapshot: Snapshot, output: str) -> str:
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
    return "\n".join(lines)
