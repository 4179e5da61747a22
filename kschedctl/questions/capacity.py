"""Capacity in Python: how many more pods fit, and what is lacking for a number of them.

    from kschedctl import CapacityQuestion, Cluster, capacity

    answer = capacity(Cluster.load("prod.json.gz"), CapacityQuestion(manifests=["release/"], target=20))
    print(answer.sets, answer.target.missing)

The answer is `kschedctl.reports.capacity.model.Capacity`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import (
    adds_nodes,
    head_of,
    inspector,
    texts_of,
    why_unfit,
    with_caveats_of_pods,
)
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.capacity.build import capacity_report, target_report
from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.caveats.not_judged import not_judged_caveats
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.summaries import with_caveats
from kschedctl.whatif.capacity.capacity import MOST, FillingQuestion, RepeatedFilling
from kschedctl.whatif.capacity.capacity import CapacityResult as Filled
from kschedctl.whatif.capacity.headroom import Headroom, check_resources
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.world.changes import AddNode, Change
from kschedctl.whatif.world.replicas import WantedPods
from kschedctl.whatif.world.targets import find_object
from kschedctl.whatif.world.world import World
from kschedctl.workloads import WORKLOADS, Workload


class CapacityQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about more pods.

    Attributes:
        manifests: files with pods and workloads; other objects in them are there when the pods are placed.
        references: pods and workloads of the cluster as KIND/NAME.
        changes: applied first, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        proportions: how many of each kind make up one set; empty: one of each.
        limit: count up to so many sets.
        target: a number of sets that is to fit.
        shapes: nodes that may be added for the target, in turn, with what a person would call them.
        headroom: kept free on every node.
        place_pending: place the pods that are pending in the cluster first.
        namespace: of objects and references that state none.
    """

    manifests: Sequence[str] = ()
    references: Sequence[str] = ()
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    proportions: Sequence[int] = ()
    limit: int = MOST
    target: int | None = None
    shapes: Sequence[tuple[str, AddNode]] = ()
    headroom: Sequence[Headroom] = ()
    place_pending: bool = False
    namespace: str | None = None


def capacity(
    cluster: Cluster,
    question: CapacityQuestion,
    *,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Capacity:
    """How many more pods fit, what limits each node, and how many nodes a target lacks.

    Args:
        cluster: the cluster and its scheduler; not changed.
        question: what is asked.
        stdin: the stream.
        observer: is told what is skipped.

    Raises:
        UsageError: there is nothing to ask for, or what is asked for is not there; no node has what is to be kept
            free; the target is below 1.
        InputError: manifests cannot be used.
    """
    target, changes = question.target, question.changes
    if target is not None and target < 1:
        raise UsageError(f"{target} is no target", hint="Write how many more are to fit, 1 at least.")
    release = read_manifests(
        cluster, question.manifests, namespace=question.namespace, stdin=stdin, observer=observer
    )
    filling = FillingQuestion(
        wanted=_wanted(cluster, release, question),
        limit=question.limit,
        headroom=question.headroom,
        place_pending=question.place_pending,
        changes=changes,
        companions=[obj for obj in release.objects if not isinstance(obj, (Pod, *WORKLOADS))],
    )
    head = head_of(cluster, release)
    options = replace(cluster.options, every_failure=False, score_single=False)
    fillings = RepeatedFilling(cluster.session, options, inspector(cluster, head))
    found = fillings.capacity(filling)
    nodes = [shape for _, shape in question.shapes]
    templates = [shape.template for shape in nodes if shape.template is not None]
    check_resources(question.headroom, [*found.session.cluster.nodes.objects, *templates])
    report = None
    if target is not None:
        now = found.filling.sets
        missing = None
        if now < target and nodes:
            missing = fillings.missing_nodes(filling, target, nodes, now, observer)
        for shape in (
            nodes if now >= target else ()
        ):  # a name that is not there is told although none is missing
            shape.apply(World(found.session.objects))
        report = target_report(target, now, [name for name, _ in question.shapes], missing)
    effects = Effects(new_nodes=adds_nodes([*changes, *nodes]))
    head = with_caveats_of_pods(head, cluster, found.session, found.session.entered, effects)
    head = _with_caveat_of_filling(head, cluster, filling, found)
    texts = texts_of(changes, question.change_texts)
    return capacity_report(filling, found, head, changes=texts, target=report)


def _wanted(cluster: Cluster, release: Release, question: CapacityQuestion) -> list[WantedPods]:
    """The kinds of pods of which more are wanted, of manifests and of the cluster."""
    sources: list[tuple[Pod | Workload, bool]] = [
        (obj, False) for obj in release.objects if isinstance(obj, (Pod, *WORKLOADS))
    ]
    world = World(cluster.objects)
    for reference in question.references:
        found = find_object(world, reference, question.namespace or "default")
        if not isinstance(found, (Pod, *WORKLOADS)):
            raise UsageError(f"{reference} is neither a pod nor a workload")
        sources.append((found, isinstance(found, Pod)))
    if not sources:
        raise UsageError(
            "there is no pod to ask for", hint="Pass a file with a pod or workload, or KIND/NAME."
        )
    shares = list(question.proportions) or [1] * len(sources)
    if len(shares) != len(sources):
        raise UsageError(f"{len(shares)} proportions for {len(sources)} kinds of pods")
    return [WantedPods(obj, share, running) for (obj, running), share in zip(sources, shares, strict=True)]


def _with_caveat_of_filling(
    head: ReportHead, cluster: Cluster, question: FillingQuestion, found: Filled
) -> ReportHead:
    """The head with whether it cannot be judged if one more fits."""
    if found.filling.blocking is None:
        return head
    session = found.session
    why = why_unfit(session.entered, found.filling.inspected, cluster, session)
    name = str(question.wanted[found.filling.blocking].key)
    return replace(head, cluster=with_caveats(head.cluster, *not_judged_caveats({name: why})))
