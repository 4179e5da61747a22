"""`kschedctl compare`: what another scheduler, cluster or change makes of the same pods."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct
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


class OtherSide(Struct, frozen=True):
    """The second side, which is like the first but for these and the changes."""

    to_cluster: Annotated[
        list[Path] | None,
        typer.Option(
            "--to-cluster", metavar="PATH", help="The cluster of the second side.", show_default=False
        ),
    ] = None
    to_config: Annotated[
        Path | None,
        typer.Option(
            "--to-scheduler-config",
            metavar="FILE",
            help="The KubeSchedulerConfiguration of the second side.",
            show_default=False,
        ),
    ] = None
    to_version: Annotated[
        str | None,
        typer.Option(
            "--to-version", metavar="VERSION", help="The version of the second side.", show_default=False
        ),
    ] = None
    to_gates: Annotated[
        str,
        typer.Option("--to-feature-gates", metavar="A=true,B=false", help="The gates of the second side."),
    ] = ""

    def cluster_like(self, first: ClusterOptions) -> ClusterOptions:
        """Where the cluster of this side comes from."""
        return replace(first, cluster=self.to_cluster) if self.to_cluster else first

    def scheduler_like(self, first: SchedulerOptions) -> SchedulerOptions:
        """Which scheduler decides on this side."""
        return replace(
            first,
            scheduler_config=self.to_config or first.scheduler_config,
            kubernetes_version=self.to_version or first.kubernetes_version,
            feature_gates=self.to_gates or first.feature_gates,
        )

    def label(self, *, changed: bool) -> str:
        """What people call this side.

        Raises:
            UsageError: it is the same as the first.
        """
        told = [path.name for path in self.to_cluster or ()]
        told += [self.to_config.name] if self.to_config else []
        told += [text for text in (self.to_version, self.to_gates) if text]
        told += ["changed"] if changed else []
        if not told:
            raise UsageError(
                "there is nothing to compare with",
                hint="Name another side with --to-version, --to-scheduler-config, --to-feature-gates, --to-cluster "
                "or a change.",
            )
        return ", ".join(told)


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def compare(
    context: typer.Context,
    other: OtherSide,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Manifests to apply on both sides.", show_default=False),
    ] = None,
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
    labels = ("now", other.label(changed=bool(texts)))
    with progressing(report) as observer:
        first = load_cluster(cluster, scheduler, observer, beside=paths, namespace=candidates.namespace)
        second = load_cluster(
            other.cluster_like(cluster),
            other.scheduler_like(scheduler),
            observer,
            beside=[*paths, *(other.to_cluster or ())],
            namespace=candidates.namespace,
        )
        question = ComparisonQuestion(
            manifests=paths,
            changes=changes.parse(texts, candidates.namespace),
            change_texts=changes.change_texts(texts),
            labels=labels,
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
