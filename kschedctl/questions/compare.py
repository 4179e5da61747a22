"""Comparisons in Python: what another scheduler, cluster or change makes of the same pods.

    from kschedctl import Cluster, ComparisonQuestion, compare, scheduler_of

    now = Cluster.load("prod.json.gz", scheduler=scheduler_of(version="1.36"))
    then = Cluster.load("prod.json.gz", scheduler=scheduler_of(version="1.37"))
    answer = compare(now, then, ComparisonQuestion(manifests=["release/"]))
    for moved in answer.moved:
        print(moved.pod, moved.nodes)

The answer is `kschedctl.reports.compare.model.SideBySide`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import adds_nodes, head_of, texts_of, with_caveats_of_run
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.compare.build import ComparedSide, moved_pods, side_by_side
from kschedctl.reports.compare.model import SideBySide
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.simulate.build import explainer
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, SimulationResult, simulate
from kschedctl.whatif.world.changes import Change
from kschedctl.workloads.controllers import is_daemon, is_static

_MOST_EXPLAINED: Final = 50


class ComparisonQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about two sides.

    Attributes:
        manifests: files, directories and, for `-`, the stream; applied on both sides.
        changes: applied after the manifests, on the second side alone.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        labels: what is particular about each side.
        anew: place running pods anew, too, in order of their age; daemons and static pods stay.
        preemption: whether pods may preempt.
        namespace: of objects of manifests that state none.
    """

    manifests: Sequence[str] = ()
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    labels: tuple[str, str] = ("before", "after")
    anew: bool = False
    preemption: bool = True
    namespace: str | None = None


_AS_THEY_ARE: Final = ComparisonQuestion()


def compare(
    first: Cluster,
    second: Cluster,
    question: ComparisonQuestion = _AS_THEY_ARE,
    *,
    stdin: bytes = b"",
    observer: Observer = SILENT,
) -> SideBySide:
    """Schedule what is pending, and the pods of manifests, on two sides.

    Args:
        first: a cluster and its scheduler; not changed.
        second: another one, or the same with another scheduler; not changed.
        question: what is asked.
        stdin: what the stream holds.
        observer: is told the progress.

    Raises:
        UsageError: a change is about something that is not there.
        InputError: manifests or objects cannot be used.
    """
    sides = [
        _Side(cluster, question, changes, stdin, observer)
        for cluster, changes in ((first, ()), (second, question.changes))
    ]
    found, plan = _with_the_same_pods(sides)
    names = [moved.pod for moved in moved_pods(found[0], found[1])][:_MOST_EXPLAINED]
    if names:
        found = [side.run(plan, frozenset(names)) for side in sides]
    texts = texts_of(question.changes, question.change_texts)
    return side_by_side(found[0], found[1], changes=texts, anew=question.anew, labels=question.labels)


def _with_the_same_pods(sides: Sequence[_Side]) -> tuple[list[ComparedSide], Plan]:
    """What becomes of the pods, and the plan by which both sides make the same: equal ones are counted alike."""
    plan = Plan(counts=True)
    found = [side.run(plan) for side in sides]
    if not any(one.found.world.counted for one in found):
        return found, plan
    held = [one.most_to_make for one in found]
    if held[0] != held[1] and None not in held:
        plan = Plan(counts=True, at_least=max(filter(None, held)))
        found = [side.run(plan) for side in sides]
    first, second = (one.ends_of_counted for one in found)
    if first != second or None in held:
        plan = Plan()
        found = [side.run(plan) for side in sides]
    return found, plan


class _Side:
    """One side, which can be run again to look into some pods."""

    def __init__(
        self,
        cluster: Cluster,
        question: ComparisonQuestion,
        changes: Sequence[Change],
        stdin: bytes,
        observer: Observer,
    ) -> None:
        self._cluster = cluster.with_objects(placed_anew(cluster.objects)) if question.anew else cluster
        self._question = question
        self._changes = changes
        self._observer = observer
        self._release: Release = read_manifests(
            cluster,
            question.manifests,
            namespace=question.namespace,
            stdin=BytesIO(stdin),
            observer=observer,
        )

    def run(self, plan: Plan, explained: frozenset[str] = frozenset()) -> ComparedSide:
        """What becomes of the pods of this side, made as a plan says; some of them are explained."""
        cluster = self._cluster
        options = replace(
            cluster.options, preemption=self._question.preemption, every_failure=False, score_single=False
        )
        head = head_of(cluster, self._release)
        found = simulate(
            cluster.session,
            options,
            replace(plan, manifests=self._release.objects, changes=self._changes),
            inspector=_explaining(head, explained) if explained else None,
            inspect_all=bool(explained),
            observer=self._observer,
        )
        return ComparedSide(found, self._head(head, found))

    def _head(self, head: ReportHead, found: SimulationResult) -> ReportHead:
        effects = Effects(
            preempts=bool(found.evictions),
            new_nodes=adds_nodes(self._changes),
            changes=bool(found.world.deployed or self._changes),
        )
        return with_caveats_of_run(head, self._cluster, found, effects)


def _explaining(head: ReportHead, names: frozenset[str]) -> Callable[[Session], Callable[[Decision], Any]]:
    """Explains the decisions for some pods, with the points that every plugin gives every node."""
    explain = explainer(head)

    def for_session(session: Session) -> Callable[[Decision], Explanation | None]:
        in_full = replace(session.scheduler.options, every_failure=True, score_single=True, reuse=False)
        scheduler = Scheduler(session.scheduler.configuration, in_full, session.scheduler.transport)

        def inspect(decision: Decision) -> Explanation | None:
            if decision.pod.full_name not in names:
                return None
            cluster = session.cluster
            mark = cluster.mark()
            try:
                return explain(scheduler.decide(decision.pod, cluster))
            finally:
                cluster.undo_to(mark)

        return inspect

    return for_session


def placed_anew(objects: Sequence[TopLevel]) -> list[TopLevel]:
    """The objects with running pods waiting for a node, but for daemons, static pods, and those that end."""
    return [_waiting(obj) if isinstance(obj, Pod) else obj for obj in objects]


def _waiting(pod: Pod) -> Pod:
    if not pod.spec.node_name or pod.is_terminal or pod.is_terminating or is_daemon(pod) or is_static(pod):
        return pod
    status = replace(pod.status, phase="Pending", nominated_node_name="")
    return replace(pod, spec=replace(pod.spec, node_name=""), status=status)
