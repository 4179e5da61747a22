"""`kschedctl simulate`: what happens to many pods, one after another, after some changes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.whatif.queue.effects import EffectsModel, QueueMode
from kschedctl.writers.catalogue import CATALOGUE

from .change_options import ChangeOptions
from .errors import ExitCode
from .option_groups import grouped
from .options import (
    CandidateOptions,
    ClusterOptions,
    Effects,
    LetPreempt,
    ReportOptions,
    SchedulerOptions,
    Timeline,
    TimingOptions,
    formats,
)
from .ordered import OrderedVerb, option_order
from .verb import HELP

if TYPE_CHECKING:
    from kschedctl.questions.simulate import SimulationQuestion
    from kschedctl.reports.simulate.model import Simulation
    from kschedctl.whatif.scenarios.scenario import Scenario

WRITERS = CATALOGUE["Simulation"].writers

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


_QUEUES: Final = {"Error": "backoff", "Gated": "gated"}
"""How the last decision ended -> the queue where the pod is."""

EXAMPLES = """
kschedctl simulate -c prod.json.gz -f release/
kschedctl simulate -c prod.json.gz --drain n4 --scale deploy/web=9
helm template shop/ | kschedctl simulate -c prod.json.gz -f - -o json
"""


class ReplayOptions(Struct, frozen=True):
    """When pods come, and until when they are waited for."""

    queue: Annotated[
        QueueMode,
        typer.Option(
            "--queue", help="All pods are there at once, or come at their times: how long they wait."
        ),
    ] = QueueMode.AT_ONCE
    arrivals: Annotated[
        str | None,
        typer.Option(
            "--arrivals",
            metavar="FILE",
            help="What comes at its time in a replay: kind Arrivals, or a CSV file (README).",
            show_default=False,
        ),
    ] = None
    until: Annotated[
        float | None,
        typer.Option("--until", min=0.0, metavar="SECONDS", help="When a replay ends.", show_default=False),
    ] = None

    def __post_init__(self) -> None:
        """An end is one of something that takes its time.

        Raises:
            UsageError: all pods are there at once.
        """
        if self.until is not None and self.queue is QueueMode.AT_ONCE and self.arrivals is None:
            raise UsageError("--until is the end of a replay", hint="Add --queue replay, or --arrivals FILE.")


class AttemptOptions(Struct, frozen=True):
    """How pods are tried, and what is told of it."""

    single_pass: Annotated[bool, typer.Option("--single-pass", help="Try each pod once.")] = False
    preemption: LetPreempt = True
    effects: Effects = EffectsModel.IN_FLIGHT
    timeline: Timeline = False
    detail: Annotated[
        bool, typer.Option("--detail", help="With -o json|yaml: verdicts and scores of each pod.")
    ] = False


@app.command(cls=OrderedVerb, context_settings=HELP, epilog=EXAMPLES)
@grouped
def simulate(
    context: typer.Context,
    attempts: AttemptOptions,
    replay: ReplayOptions,
    candidates: CandidateOptions,
    changes: ChangeOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    report: Annotated[ReportOptions, formats(WRITERS)],
    timing: TimingOptions,
    manifests: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Manifests to apply first.", show_default=False),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="FILE",
            help="Cluster, manifests and changes of a scenario file; its expectations are left to gate.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Schedule the pending pods of the cluster and those of manifests, one after another, after some changes.

    Manifests are applied first, then the changes in the order in which they are given. A workload that is in the
    cluster already is replaced. Exit code 0: every pod finds a node; 1: some stay pending; 2: no answer.
    """
    from kschedctl.questions.scheduler import versions_in
    from kschedctl.questions.simulate import simulate as ask
    from kschedctl.questions.versions import simulate_in_versions

    from .inputs import load_clusters
    from .output import emit_pieces, look_of, with_caveats, writer_for
    from .progress import progressing
    from .timings import measuring
    from .versions import tell_of_versions

    write = writer_for(WRITERS, report.output)
    texts = changes.texts(option_order(context))
    paths = candidates.paths(manifests)
    written = _scenario(scenario)
    versions = versions_in(scheduler.kubernetes_version)
    with measuring(timing) as timings, progressing(report) as observer:
        loaded = load_clusters(
            _cluster(cluster, written),
            scheduler,
            observer,
            versions or [scheduler.kubernetes_version],
            beside=[scenario, replay.arrivals, *paths],
            namespace=candidates.namespace,
            timings=timings,
        )
        question = _with_scenario(
            written, _question(paths, candidates.namespace, changes, texts, attempts, replay)
        )
        if versions is not None:
            stdin = sys.stdin.buffer.read() if "-" in (*paths, replay.arrivals) else b""
            both = simulate_in_versions((loaded[0], loaded[1]), question, stdin, observer)
            return tell_of_versions([both], report)
        answer = ask(loaded[0], question, stdin=sys.stdin.buffer, observer=observer)
        if timings is not None:
            timings.pending = queues(answer)
    emit_pieces(write([answer], look_of(report)), report)
    return with_caveats(exit_code(answer), [answer.cluster], report)


def queues(answer: Simulation) -> dict[str, int]:
    """The queues of kube-scheduler -> how many pods are left in each."""
    left = dict.fromkeys(("active", "backoff", "gated", "unschedulable"), 0)
    for group in answer.pending:
        left[_QUEUES.get(group.outcome, "unschedulable")] += group.count
    return left


def exit_code(answer: Simulation) -> ExitCode:
    """The worst outcome decides."""
    if answer.failed or (answer.undecided and not answer.fits):
        return ExitCode.FAILED
    return ExitCode.YES if answer.fits else ExitCode.NO


def _scenario(path: str | None) -> Scenario | None:
    """The only scenario of a file."""
    if path is None:
        return None
    from kschedctl.whatif.scenarios.scenario import load_scenarios

    found = load_scenarios([path], sys.stdin.buffer)
    if len(found) > 1:
        raise UsageError(f"{path} holds {len(found)} scenarios", hint="kschedctl gate runs all of them.")
    return found[0]


def _question(
    paths: list[str],
    namespace: str | None,
    changes: ChangeOptions,
    texts: list[tuple[str, str]],
    attempts: AttemptOptions,
    replay: ReplayOptions,
) -> SimulationQuestion:
    """What the options ask."""
    from kschedctl.questions.simulate import SimulationQuestion

    return SimulationQuestion(
        manifests=paths,
        changes=changes.parse(texts, namespace),
        change_texts=changes.change_texts(texts),
        rollout=changes.rollout,
        namespace=namespace,
        single_pass=attempts.single_pass,
        effects=attempts.effects,
        timeline=attempts.timeline,
        replay=replay.queue is QueueMode.REPLAY,
        arrivals=replay.arrivals,
        until=replay.until,
        preemption=attempts.preemption,
        detail=attempts.detail,
    )


def _with_scenario(written: Scenario | None, asked: SimulationQuestion) -> SimulationQuestion:
    """The question of a scenario, with what is asked beside: its manifests and changes come first."""
    if written is None:
        return asked
    return replace(
        asked,
        manifests=[*written.manifests, *asked.manifests],
        changes=[*written.parsed_changes(), *asked.changes],
        change_texts=[*written.change_texts(), *(asked.change_texts or ())],
        rollout=written.rollout,
        namespace=asked.namespace or written.namespace,
        single_pass=asked.single_pass or written.single_pass,
        effects=asked.effects if asked.effects is EffectsModel.IMMEDIATE else written.effects,
        preemption=asked.preemption and written.preemption,
    )


def _cluster(options: ClusterOptions, written: Scenario | None) -> ClusterOptions:
    """The cluster of a scenario, where it names one."""
    if written is None or not written.cluster:
        return options
    return ClusterOptions([Path(path) for path in written.cluster])
