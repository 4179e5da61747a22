"""`kschedctl compare`: what another scheduler, cluster or change makes of the same pods."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions
from .errors import ExitCode
from .option_groups import grouped
from .options import CandidateOptions, ClusterOptions, LetPreempt, ReportOptions, SchedulerOptions, formats
from .ordered import OrderedVerb, option_order
from .verb import HELP

if TYPE_CHECKING:
    from kschedctl.reports.compare.model import SideBySide

WRITERS = CATALOGUE["SideBySide"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

EXAMPLES = """
kschedctl compare -c prod.json.gz --to-version 1.37 --anew
kschedctl compare release/ -c prod.json.gz --to-scheduler-config new.yaml
kschedctl compare -c monday.json.gz --to-cluster friday.json.gz
kschedctl compare release/ --drain n4 --fail-on-change
"""


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def compare(
    context: typer.Context,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Manifests to apply on both sides.", show_default=False),
    ] = None,
    to_cluster: Annotated[
        list[Path] | None,
        typer.Option(
            "--to-cluster", metavar="PATH", help="The cluster of the second side.", show_default=False
        ),
    ] = None,
    to_config: Annotated[
        Path | None,
        typer.Option(
            "--to-scheduler-config",
            metavar="FILE",
            help="The KubeSchedulerConfiguration of the second side.",
            show_default=False,
        ),
    ] = None,
    to_version: Annotated[
        str | None,
        typer.Option(
            "--to-version", metavar="VERSION", help="The version of the second side.", show_default=False
        ),
    ] = None,
    to_gates: Annotated[
        str,
        typer.Option("--to-feature-gates", metavar="A=true,B=false", help="The gates of the second side."),
    ] = "",
    anew: Annotated[
        bool, typer.Option("--anew", help="Place running pods anew on both sides, too, in order of age.")
    ] = False,
    preemption: LetPreempt = True,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit code 1 where any pod ends otherwise.")
    ] = False,
) -> int:
    """Which pods land elsewhere with another scheduler, cluster or change, and why.

    The second side is like the first, but for --to-... and for changes, which are made there alone. Exit code 0: both
    were compared; 1: with --fail-on-change, a pod ends otherwise; 2: no answer.
    """
    from kschedctl.questions.compare import ComparisonQuestion
    from kschedctl.questions.compare import compare as ask

    from .inputs import load_cluster
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing

    write = writer_for(WRITERS, report.output)
    texts = changes.texts(option_order(context))
    paths = candidates.paths(manifests)
    other = replace(
        scheduler,
        scheduler_config=to_config or scheduler.scheduler_config,
        kubernetes_version=to_version or scheduler.kubernetes_version,
        feature_gates=to_gates or scheduler.feature_gates,
    )
    moved = _labels(to_cluster, to_config, to_version, to_gates, changed=bool(texts))
    with progressing(report) as observer:
        first = load_cluster(cluster, scheduler, observer, beside=paths, namespace=candidates.namespace)
        second = load_cluster(
            replace(cluster, cluster=to_cluster) if to_cluster else cluster,
            other,
            observer,
            beside=[*paths, *(to_cluster or ())],
            namespace=candidates.namespace,
        )
        question = ComparisonQuestion(
            manifests=paths,
            changes=changes.parse(texts, candidates.namespace),
            change_texts=changes.change_texts(texts),
            labels=moved,
            anew=anew,
            preemption=preemption,
            namespace=candidates.namespace,
        )
        stdin = sys.stdin.buffer.read() if "-" in paths else b""
        answer = ask(first, second, question, stdin=stdin, observer=observer)
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer, fail_on_change=fail_on_change), [answer.cluster], report)


def exit_code(answer: SideBySide, *, fail_on_change: bool) -> ExitCode:
    """Whether a change counts."""
    return ExitCode.NO if fail_on_change and not answer.same else ExitCode.YES


def _labels(
    cluster: list[Path] | None, config: Path | None, version: str | None, gates: str, *, changed: bool
) -> tuple[str, str]:
    """What people call the two sides."""
    told = [
        *(path.name for path in cluster or ()),
        *([config.name] if config else []),
        *([version] if version else []),
        *([gates] if gates else []),
        *(["changed"] if changed else []),
    ]
    if not told:
        raise UsageError(
            "there is nothing to compare with",
            hint="Name another side with --to-version, --to-scheduler-config, --to-feature-gates, --to-cluster or a "
            "change.",
        )
    return "now", ", ".join(told)
