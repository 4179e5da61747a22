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
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.groups import PodGroup
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import adds_nodes, head_of, texts_of, why_unfit, with_caveats_of_pods
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.capacity.build import capacity_report, target_report
from kschedctl.reports.capacity.model import Capacity
from kschedctl.reports.caveats.groups import groups_named_by
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.caveats.not_judged import not_judged_caveats
from kschedctl.reports.explain.build import ReportHead
from kschedctl.reports.simulate.build import explainer
from kschedctl.reports.summaries import with_caveats
from kschedctl.whatif.capacity.capacity import MOST_SETS, FillingQuestion, RepeatedFilling
from kschedctl.whatif.capacity.capacity import CapacityResult as Filled
from kschedctl.whatif.capacity.headroom import Headroom, check_resources
from kschedctl.whatif.judgement.group_membership import schedules_groups
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.world.changes import AddNode, Change
from kschedctl.whatif.world.replicas import WantedPods
from kschedctl.whatif.world.targets import find_object
from kschedctl.whatif.world.world import World
from kschedctl.workloads import WORKLOADS, Workload, key_of, replicas_of


class CapacityQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about more pods.

    Attributes:
        manifests: files with pods and workloads; other objects in them are there when the pods are placed.
        references: pods and workloads of the cluster as KIND/NAME.
        changes: applied first, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        proportions: how many of each kind make up one set; empty: one of each, of a workload whose pods are a gang
            minCount.
        by_replicas: a set is as many of each as its workload has replicas; those with none are left out.
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
    by_replicas: bool = False
    limit: int = MOST_SETS
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
    wanted = _wanted(cluster, release, question)
    multiplied = {id(ask.source) for ask in wanted}
    filling = FillingQuestion(
        wanted=wanted,
        limit=question.limit,
        past_room=target is not None,
        headroom=question.headroom,
        place_pending=question.place_pending,
        changes=changes,
        companions=[obj for obj in release.objects if id(obj) not in multiplied],
    )
    head = head_of(cluster, release)
    options = replace(cluster.options, every_failure=False, score_single=False)
    explain = explainer(head, every_failure=True)
    fillings = RepeatedFilling(cluster.session, options, lambda session: explain)
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
    groups = _groups_of(wanted, cluster, release)
    head = with_caveats_of_pods(
        head,
        cluster,
        found.session,
        found.session.entered,
        effects,
        groups=schedules_groups(cluster.session) and not any(map(_is_nested, groups.values())),
    )
    head = _with_caveat_of_filling(head, cluster, filling, found)
    texts = texts_of(changes, question.change_texts)
    group = next(iter(groups)) if len(groups) == 1 and all(map(_names_group, wanted)) else None
    return capacity_report(
        filling, found, head, changes=texts, target=report, group=None if group is None else "/".join(group)
    )


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
    daemon_sets = [obj for obj, _ in sources if isinstance(obj, DaemonSet)]
    # Daemons take their part of every node before anything else comes.
    sources = [source for source in sources if not isinstance(source[0], DaemonSet)]
    if daemon_sets and not sources:
        raise _runs_once(daemon_sets[0], question)
    if not sources:
        raise UsageError(
            "there is no pod to ask for", hint="Pass a file with a pod or workload, or KIND/NAME."
        )
    if question.by_replicas:
        shares = [1 if isinstance(obj, Pod) else (replicas_of(obj) or 0) for obj, _ in sources]
    else:
        shares = list(question.proportions) or [_share(obj, cluster, release) for obj, _ in sources]
    if len(shares) != len(sources):
        raise UsageError(f"{len(shares)} proportions for {len(sources)} kinds of pods")
    counted = zip(sources, shares, strict=True)
    wanted = [WantedPods(obj, share, running) for (obj, running), share in counted if share]
    if not wanted:
        raise UsageError("none of the workloads has replicas", hint="Write --proportions 3:1, say.")
    return wanted


def _runs_once(daemon_set: DaemonSet, question: CapacityQuestion) -> UsageError:
    """Of a daemon set there are no more and no fewer pods than nodes that take it, which is another question."""
    if question.manifests:
        files = " ".join(f"-f {path}" for path in question.manifests)
        hint = f"kschedctl simulate {files} tells which nodes take it, and what keeps it off the others."
    else:
        hint = "Its pods are there already; what is free beside them is counted for any other pod."
    return UsageError(f"{key_of(daemon_set)} runs once on each node", hint=hint)


def _share(source: Pod | Workload, cluster: Cluster, release: Release) -> int:
    """How many make up one set: a pod, or as many pods of a workload as their gang needs."""
    if isinstance(source, Pod):
        return 1
    groups = _groups_of([WantedPods(source)], cluster, release)
    return max((group.spec.min_count or 1 for group in groups.values()), default=1)


def _groups_of(
    wanted: Sequence[WantedPods], cluster: Cluster, release: Release
) -> dict[tuple[str, str], PodGroup]:
    """The groups of the pods, those that are there, where they are scheduled as such."""
    if not schedules_groups(cluster.session):
        return {}
    there = {
        (o.namespace, o.name): o for o in (*cluster.objects, *release.objects) if isinstance(o, PodGroup)
    }
    named = [key for ask in wanted for key in groups_named_by(ask.source)]
    return {key: there[key] for key in named if key in there}


def _names_group(ask: WantedPods) -> bool:
    return any(True for _ in groups_named_by(ask.source))


def _is_nested(group: PodGroup) -> bool:
    """Whether it is part of a composite group, which is not counted as one."""
    return group.spec.parent_composite_pod_group_name is not None


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
