"""From arguments to the pods that are asked about, and from answers to what is printed: `explain` and `preempt`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, Generic, TypeVar

from msgspec import Struct, field

from kschedctl.errors import UsageError
from kschedctl.objects.phrases import names_text
from kschedctl.observer import SILENT
from kschedctl.questions.ask import (
    PodQuestion,
    overview_of,
    question_of_existing,
    questions_of_manifests,
    questions_of_pending,
)
from kschedctl.reports.caveats.made_up import PodReport, practical_outcome
from kschedctl.reports.caveats.not_judged import not_judged
from kschedctl.reports.document import Headline, ReportDocument
from kschedctl.reports.explain.overview import HeadlineOf, overview_document
from kschedctl.reports.tone import Tone
from kschedctl.writers.kinds import Writer

from .change_options import PreparedChanges
from .errors import ExitCode
from .inputs import load_cluster, load_clusters, split_arguments
from .options import CandidateOptions, ClusterOptions, ReportOptions, SchedulerOptions
from .output import emit_pieces, look_of, with_caveats

if TYPE_CHECKING:
    from kschedctl.framework.timings import Timings
    from kschedctl.observer import Observer
    from kschedctl.questions.cluster import Cluster
    from kschedctl.reports.model import ClusterSummary
    from kschedctl.reports.versions.model import ExplanationVersions

_NO_ANSWER = ("Invalid", "Error")
_NOT_JUDGED = "NotJudged"


A = TypeVar("A", bound=PodReport)


class PodArguments(Struct, frozen=True):
    """Whom is asked about.

    Attributes:
        asked: the pods.
        pending: whether they are all pending pods of the cluster.
    """

    question: Sequence[PodQuestion]
    pending: bool = False

    def answers(self, answer: Callable[[PodQuestion], A]) -> Iterable[A]:
        """The answers; those about pending pods, which may be thousands, are made each time they are read."""
        return _Made(self.question, answer) if self.pending else [answer(one) for one in self.question]


class _Made(Struct, Generic[A], frozen=True):
    """Answers that are made one by one."""

    question: Sequence[PodQuestion]
    answer: Callable[[PodQuestion], A]

    def __iter__(self) -> Iterator[A]:
        return map(self.answer, self.question)


class _Told(Struct, Generic[A], frozen=True):
    """Answers on their way to the writer, of which is kept what the exit code hangs on."""

    answers: Iterable[A]
    outcomes: list[str] = field(default_factory=list)
    clusters: list[ClusterSummary] = field(default_factory=list)

    def __iter__(self) -> Iterator[A]:
        for answer in self.answers:
            self.outcomes.append(_NOT_JUDGED if not_judged(answer.cluster) else practical_outcome(answer))
            self.clusters.append(answer.cluster)
            yield answer


def asked_for(
    arguments: Sequence[str],
    candidates: CandidateOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    observer: Observer,
    *,
    changes: PreparedChanges,
    every_failure: bool = False,
    timings: Timings | None = None,
) -> PodArguments:
    """The pods of files, then those of the cluster by TYPE/NAME; all that is pending where nothing is asked for.

    Raises:
        UsageError: nothing is asked for, and nothing is pending.
        KschedError: an input cannot be used.
    """
    paths, references = split_arguments(arguments)
    paths = candidates.paths(paths)
    loaded = load_cluster(
        cluster,
        scheduler,
        observer,
        beside=paths,
        every_failure=every_failure,
        namespace=candidates.namespace,
        timings=timings,
    )
    loaded = changes.made_in(loaded, candidates.namespace, candidates=bool(paths))
    namespace = None if candidates.all_namespaces else candidates.namespace
    if not paths and not references:
        pending = questions_of_pending(loaded, namespace)
        if not pending and (elsewhere := _pending_elsewhere(loaded, namespace)) is not None:
            raise elsewhere
        return PodArguments(pending, pending=True)
    return PodArguments(_questions(loaded, paths, references, namespace, sys.stdin.buffer, observer))


def asked_in_versions(
    arguments: Sequence[str],
    candidates: CandidateOptions,
    cluster: ClusterOptions,
    scheduler: SchedulerOptions,
    versions: tuple[str, str],
    observer: Observer,
    changes: PreparedChanges,
) -> list[ExplanationVersions]:
    """The same pods explained by two versions.

    Raises:
        UsageError: nothing is asked for, and nothing is pending.
        KschedError: an input cannot be used.
    """
    from kschedctl.questions.versions import api_changes_of, explain_in_versions, questions_of_both_pending

    paths, references = split_arguments(arguments)
    paths = candidates.paths(paths)
    before, after = load_clusters(
        cluster,
        scheduler,
        observer,
        versions,
        beside=paths,
        every_failure=True,
        namespace=candidates.namespace,
    )
    before, after = (
        changes.made_in(one, candidates.namespace, candidates=bool(paths)) for one in (before, after)
    )
    namespace = None if candidates.all_namespaces else candidates.namespace
    if not paths and not references:
        pending = questions_of_both_pending((before, after), namespace)
        if not pending[0] and (elsewhere := _pending_elsewhere(before, namespace)) is not None:
            raise elsewhere
        return explain_in_versions(pending)
    stdin = sys.stdin.buffer.read() if "-" in paths else b""
    questions = [
        _questions(one, paths, references, namespace, BytesIO(stdin), note)
        for one, note in ((before, observer), (after, SILENT))
    ]
    api = api_changes_of((before, after), paths, namespace, stdin) if paths else []
    return explain_in_versions((questions[0], questions[1]), api)


def _questions(
    loaded: Cluster,
    paths: Sequence[str],
    references: Sequence[tuple[str, str]],
    namespace: str | None,
    stdin: BinaryIO,
    observer: Observer,
) -> list[PodQuestion]:
    question = questions_of_manifests(loaded, paths, namespace=namespace, stdin=stdin, observer=observer)
    named = [question_of_existing(loaded, name, namespace or "default", kind) for kind, name in references]
    return question + named


def _pending_elsewhere(cluster: Cluster, namespace: str | None) -> UsageError | None:
    """That pods wait in other namespaces alone, which is hardly what was meant; None: no pod waits at all."""
    others = sorted({one.pod.namespace for one in questions_of_pending(cluster)})
    if namespace is None or not others:
        return None
    return UsageError(
        f"no pod of namespace {namespace} is pending",
        hint=f"Pass a file with a pod, or pod/NAME. Some are in {names_text(others)}.",
    )


def tell(
    candidates: PodArguments,
    answers: Iterable[A],
    write: Writer[A],
    headline: HeadlineOf,
    yes: Collection[str],
    report: ReportOptions,
) -> ExitCode:
    """Write the answers one by one, below an overview where all pending pods are asked about.

    Args:
        candidates: whom is asked about.
        answers: the answers.
        write: writes them.
        headline: what the overview comes to.
        yes: outcomes that are no failure.
        report: how they are to be written.
    """
    above: list[ReportDocument] = []
    if candidates.pending and not candidates.question:
        above = [ReportDocument(Headline(Tone.YES, "no pod of the cluster is pending"))]
    if candidates.pending and candidates.question[1:]:
        # Whatever keeps an answer from being given shows here, before anything is written.
        overview = overview_of(candidates.question)
        above = [overview_document(overview, headline(overview), candidates.question[0].cluster.summary)]
    told = _Told(answers)
    emit_pieces(write(told, look_of(report), above), report)
    return with_caveats(exit_code(told.outcomes, yes), told.clusters, report)


def exit_code(outcomes: Sequence[str], yes: Collection[str]) -> ExitCode:
    """The worst of the outcomes decides; that one could not be judged, only where no other one is a no."""
    if any(outcome in _NO_ANSWER for outcome in outcomes):
        return ExitCode.FAILED
    left = [outcome for outcome in outcomes if outcome not in yes]
    if not left:
        return ExitCode.YES
    return ExitCode.NO if any(outcome != _NOT_JUDGED for outcome in left) else ExitCode.FAILED
