"""How many more pods fit, what limits them, and how many more nodes they need."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.errors import UsageError
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.filling import Filling, Supply, fill
from kschedctl.whatif.capacity.headroom import Headroom, keep_free
from kschedctl.whatif.capacity.node_count import fewest_nodes
from kschedctl.whatif.judgement.group_membership import is_scheduled_with_others
from kschedctl.whatif.queue.simulator import Inspect, Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import enter, pending_tasks
from kschedctl.whatif.world.changes import AddNode, Change, apply_changes
from kschedctl.whatif.world.release import create_deployed, release
from kschedctl.whatif.world.replicas import WantedPods, has_claims_of_its_own, more_pods
from kschedctl.whatif.world.room import pods_for_all
from kschedctl.whatif.world.utilization import Utilization
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import WorkloadKey, key_of
from kschedctl.workloads.limits import SUPPORTED_PODS

MOST_SETS: Final = 100_000
"""Where counting ends unless another limit is given."""

_FIRST_BATCH = 128


class FillingQuestion(Struct, frozen=True):
    """What is asked.

    Attributes:
        wanted: the kinds of pods, with their shares; members of a group have another one like it in every set.
        limit: count up to so many sets.
        past_room: count on past the pods that all nodes say they take (as a profile without NodeResourcesFit does) or
            that Kubernetes supports.
        headroom: kept free on every node.
        place_pending: let the pods that are pending in the cluster come first.
        changes: applied first, in order.
        companions: objects that come with the pods; the pods of daemon sets among them come first.
    """

    wanted: Sequence[WantedPods]
    limit: int = MOST_SETS
    past_room: bool = True
    headroom: Sequence[Headroom] = ()
    place_pending: bool = False
    changes: Sequence[Change] = ()
    companions: Sequence[TopLevel] = ()


class CapacityResult(Struct, frozen=True):
    """How many more fit.

    Attributes:
        filling: what the cluster took.
        limit: up to how many sets were counted.
        session: the full cluster.
        before: the cluster after the changes, without what was added.
        after: the full cluster.
        pending: pods that are pending in the cluster and were left out.
        daemons: daemon set that came first -> its pods that found their node, and all of them.
    """

    filling: Filling
    limit: int
    session: Session
    before: Utilization
    after: Utilization
    pending: int
    daemons: Mapping[WorkloadKey, tuple[int, int]]


class MissingNodes(Struct, frozen=True):
    """How many more nodes a target needs.

    Attributes:
        nodes: the number with which it fits, and with one less it does not; None where no number was found.
        tried: the largest number that was tried.
        full: the cluster with the most nodes that were tried in vain, where no number was found.
    """

    nodes: int | None
    tried: int
    full: CapacityResult | None = None


class RepeatedFilling:
    """A cluster that is filled again and again, each time from the beginning.

    Args:
        loaded: the cluster as loaded; not changed.
        options: what to do where the real scheduler leaves room.
        inspector: makes the function that is applied to the decision that ends a filling.
    """

    def __init__(
        self,
        loaded: Session,
        options: SchedulingOptions,
        inspector: Callable[[Session], Inspect] | None = None,
    ) -> None:
        self._loaded = loaded
        self._options = replace(options, preemption=False)
        self._inspector = inspector

    def capacity(self, question: FillingQuestion) -> CapacityResult:
        """How many sets fit.

        Raises:
            UsageError: a change is about something that is not there, or a pod cannot be multiplied.
        """
        batch = min(_FIRST_BATCH, question.limit)
        while True:
            found = self._fill(question, batch)
            if not found.filling.exhausted:
                return found
            batch = min(batch * 4, question.limit)

    def missing_nodes(
        self,
        question: FillingQuestion,
        target: int,
        shapes: Sequence[AddNode],
        now: int = 0,
        observer: Observer = SILENT,
    ) -> MissingNodes:
        """How many nodes of the shapes, in turn, must be added until a number of sets fits.

        Args:
            question: what is asked.
            target: the number of sets.
            shapes: the nodes.
            now: how many sets fit without any.
            observer: is told how often the cluster has been filled.
        """
        wanted = replace(question, limit=target)
        times, last = 0, None

        def sets_with(count: int) -> int:
            nonlocal times, last
            observer.progress("clusters filled", times, None)
            last = None  # before the next one: two full clusters would take twice the memory
            last = self._with(wanted, shapes, count)
            times += 1
            return last.filling.sets

        found = fewest_nodes(sets_with, target, now, len(shapes))
        return MissingNodes(found.nodes, found.tried, last if found.nodes is None else None)

    def _with(self, question: FillingQuestion, shapes: Sequence[AddNode], count: int) -> CapacityResult:
        times = [(count + len(shapes) - 1 - i) // len(shapes) for i in range(len(shapes))]
        added = [dataclasses.replace(s, count=s.count * n) for s, n in zip(shapes, times, strict=True) if n]
        return self.capacity(replace(question, changes=(*question.changes, *added)))

    def _fill(self, question: FillingQuestion, batch: int) -> CapacityResult:
        world = World(self._loaded.objects)
        for obj in question.companions:
            if isinstance(obj, DaemonSet):
                release(world, obj)
            else:
                world.put(obj)
        apply_changes(world, question.changes)
        create_deployed(world)
        keep_free(world, question.headroom)
        sources = [more_pods(world, ask, 1) for ask in question.wanted]
        kinds = [
            has_claims_of_its_own(pods[0], ask) for pods, ask in zip(sources, question.wanted, strict=True)
        ]
        for i, ask in enumerate(question.wanted):
            if kinds[i]:
                sources[i] = more_pods(world, ask, batch * ask.share)
        session = self._loaded.with_objects(world.objects, self._options)
        left_out, created = self._settle(session, world, question)
        before = Utilization.of(session.cluster)
        supplies = [
            _supply(session, ask, pods, own)
            for ask, pods, own in zip(question.wanted, sources, kinds, strict=True)
        ]
        inspect = self._inspector(session) if self._inspector else None
        limit = question.limit if question.past_room else _limit_of_room(session, question)
        filling = fill(session, supplies, limit, inspect)
        first = {key_of(obj): (0, 0) for obj in question.companions if isinstance(obj, DaemonSet)}
        for task in created:
            if task.workload in first:
                placed, total = first[task.workload]
                first[task.workload] = placed + task.placed, total + 1
        after = Utilization.of(session.cluster)
        return CapacityResult(filling, limit, session, before, after, left_out, first)

    def _settle(self, session: Session, world: World, question: FillingQuestion) -> tuple[int, list[Task]]:
        """Place the daemons of new nodes, and what is pending where that is asked for.

        Returns:
            How many pending pods were left out, and the daemons.
        """
        simulator = Simulator(session, world.workload_of)
        pending = pending_tasks(session, world)
        displaced = [task for task in pending if task.origin is not PodOrigin.PENDING]
        others = [task for task in pending if task.origin is PodOrigin.PENDING]
        created = [enter(session, world, created) for created in world.created]
        simulator.submit([*created, *displaced, *(others if question.place_pending else [])])
        simulator.settle()
        return 0 if question.place_pending else len(others), created


def _limit_of_room(session: Session, question: FillingQuestion) -> int:
    """As many sets as are asked for; no more than one set more than all nodes take, or than Kubernetes supports."""
    of_set = sum(ask.share for ask in question.wanted)
    pods = min(pods_for_all(session.cluster.nodes.objects) + of_set, SUPPORTED_PODS)
    return max(min(question.limit, pods // of_set), 1)


def _supply(session: Session, ask: WantedPods, pods: Sequence[Pod], own_claims: bool) -> Supply:
    admitted = []
    for pod in pods:
        one = session.admission.admit_existing(pod) if ask.running else session.admission.admit_candidate(pod)
        if isinstance(one, Invalid):
            raise UsageError(f"{ask.key} would be refused by the API server: {one}", hint=one.hint)
        admitted.append(one)
    in_groups = is_scheduled_with_others(session, pods[0])
    if not own_claims:
        return Supply(ask.share, in_groups, model=admitted[0])
    if in_groups:
        from kschedctl.whatif.capacity.groups import in_group_of_set  # loaded only where there are groups

        admitted = [in_group_of_set(session, one, i // ask.share) for i, one in enumerate(admitted)]
    return Supply(ask.share, in_groups, records=[session.cluster.add_pod(one) for one in admitted])
