"""The simulator on random clusters: what it does is what one plain attempt after another would do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from builders import made
from random_clusters import random_objects, random_pod

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.cluster.usage import Usage
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import evict_and_retry, place, settle_nomination
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin, World
from kschedctl.workloads import WorkloadKey

CONFIGURATION = load_configuration(None, V1_36, feature_gates(V1_36, {}), IN_TREE)


@dataclass
class Plain:
    """Sorts the queue before every attempt, remembers nothing of earlier ones, and makes no victim anew.

    Each decision is taken in full.
    """

    session: Session
    queue: list[PodRecord]
    placed: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    evicted: list[tuple[str, str]] = field(default_factory=list)
    cleared: int = 0

    def settle(self) -> None:
        waiting, moved = list(self.queue), True
        while moved and waiting:
            moved, again = False, []
            for record in sorted(waiting, key=lambda r: -r.priority):  # stable: equal ones as they came
                before = len(self.evicted) + self.cleared
                if not self._try(record):
                    again.append(record)
                else:
                    moved = True
                moved = moved or len(self.evicted) + self.cleared > before
            waiting = again

    def _try(self, record: PodRecord) -> bool:
        cluster, scheduler = self.session.cluster, self.session.scheduler
        decision = scheduler.decide(record, cluster)
        preemption = decision.preemption
        if preemption is not None and preemption.nominated is not None:
            victims = preemption.candidates[preemption.nominated].victims
            self.evicted += [(cluster.pods.records[victim].full_name, record.full_name) for victim in victims]
            decision = evict_and_retry(scheduler, decision)
        if decision.outcome is Outcome.SCHEDULED:
            assert place(decision) is None
            self.placed[record.full_name] = str(decision.selected_node)
            self.messages.pop(record.full_name, None)
            return True
        self.messages[record.full_name] = decision.event or decision.message
        self.cleared += settle_nomination(decision)
        return False


def pending(rng: random.Random) -> Iterator[Pod]:
    """Replicas of a few kinds, so that many are equal, of several priorities, and some that are nominated."""
    kinds = [random_pod(rng, "") for _ in range(5)]
    for i in range(24):
        kind = rng.choice(kinds)
        data = kind | {"metadata": kind["metadata"] | {"name": f"p{i:02}"}}
        data["spec"] = data["spec"] | {"priority": rng.choice((0, 0, 50))}
        if rng.random() < 0.15:
            data["status"] = {"nominatedNodeName": f"n{rng.randrange(6)}"}
        obj = made(data)
        assert isinstance(obj, Pod)
        yield obj


def session_of(objects: list[TopLevel], *, reuse: bool) -> Session:
    return Session(objects, CONFIGURATION, SchedulingOptions(reuse=reuse))


def play(seed: int) -> Counter[str]:
    rng = random.Random(seed)
    objects = [made(data) for data in random_objects(rng, 6)]
    waiting = list(pending(rng))
    seen: Counter[str] = Counter()

    plain_session = session_of(objects, reuse=False)
    entered = [plain_session.enter_pending(one) for one in waiting]
    plain = Plain(plain_session, [r for r in entered if not isinstance(r, Invalid)])
    plain.settle()

    session = session_of(objects, reuse=True)
    world = World(objects)
    simulator = Simulator(session, world.workload_of, recreate_victims=False)
    tasks = []
    for one in waiting:
        record = session.enter_pending(one)
        key = WorkloadKey("Pod", one.namespace, one.name)
        tasks.append(Task(one, None if isinstance(record, Invalid) else record, key, PodOrigin.NEW))
    simulator.submit(tasks)
    simulator.settle()

    assert [(e.victim, e.by) for e in simulator.evictions] == plain.evicted
    assert {t.name: t.node for t in tasks if t.placed} == {
        name: node for name, node in plain.placed.items() if name not in dict(plain.evicted)
    }
    lost = dict(plain.evicted)
    assert {t.name: t.message for t in tasks if t.record and t.pending and t.name not in lost} == {
        name: message for name, message in plain.messages.items() if name not in lost
    }
    assert session.cluster.next_start == plain_session.cluster.next_start
    check(session.cluster)
    seen["placed"] += len(plain.placed)
    seen["evicted"] += len(plain.evicted)
    seen["pending"] += len(plain.messages)
    seen["cleared"] += plain.cleared
    return seen


def check(cluster: ClusterState) -> None:
    """What nodes hold is the sum of the pods on them."""
    anew = Usage(cluster.nodes.count, cluster.pods)
    assert np.array_equal(anew.requested, cluster.usage.requested)
    assert np.array_equal(anew.non_zero, cluster.usage.non_zero)
    assert np.array_equal(anew.pod_count, cluster.usage.pod_count)
    assert [sorted(listed) for listed in anew.pods] == [sorted(listed) for listed in cluster.usage.pods]


@pytest.mark.parametrize("seed", range(25))
def test_attempts_are_those_of_a_plain_loop(seed: int) -> None:
    play(seed)


def test_histories_hold_what_they_are_for() -> None:
    seen = sum((play(seed) for seed in range(10)), Counter[str]())
    assert min(seen["placed"], seen["evicted"], seen["pending"], seen["cleared"]) > 0, seen
