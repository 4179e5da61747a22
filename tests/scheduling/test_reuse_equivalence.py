"""Decisions from what is known of a class equal those taken in full, whatever happened to the cluster before.

The same random history is played on two clusters, one of which decides equal pods from their class. Each decision
is also held against one in a cluster built from scratch as it stands: that is what no cache and no undo may change.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from builders import Data, enter, made, node, profile
from msgspec.structs import replace
from random_clusters import random_objects, random_pod

from kschedctl.cluster import counts
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling import class_cache, known_failures
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

Told = dict[str, Any]

LIST_DEFAULTS = {
    "defaultingType": "List",
    "defaultConstraints": [
        {"maxSkew": 1, "topologyKey": "disk", "whenUnsatisfiable": "ScheduleAnyway"},
        {"maxSkew": 6, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule"},
    ],
}


class Twins:
    """A cluster twice: the first reuses what it knows of a class, the second decides each pod in full."""

    def __init__(
        self,
        objects: Sequence[Data],
        options: SchedulingOptions,
        config: Data | None,
        *,
        scratch: bool = True,
    ) -> None:
        configuration = load_configuration(config, V1_36, feature_gates(V1_36, {}), IN_TREE)
        self.both = tuple(
            Session([made(one) for one in objects], configuration, replace(options, reuse=reuse))
            for reuse in (True, False)
        )
        self.scratch = Scheduler(configuration, replace(options, reuse=False)) if scratch else None
        self.outcomes: Counter[str] = Counter()

    @property
    def running(self) -> list[int]:
        """Pods that are on a node."""
        placed = self.both[0].cluster.pods.node >= 0
        return [pod for pod, on_node in enumerate(placed.tolist()) if on_node]

    def each(self, change: Callable[[Session], object]) -> None:
        """The same change in both."""
        for session in self.both:
            change(session)

    def schedule(self, data: Data) -> None:
        """Decide, compare, and do what follows from the decision."""
        anew = [] if self.scratch is None else [self._from_scratch(self.scratch, data)]
        decisions = [s.scheduler.decide(enter(s, data), s.cluster) for s in self.both]
        expected = told(decisions[1])
        self.outcomes[expected["outcome"]] += 1
        assert [told(decisions[0]), *anew] == [expected] * (1 + len(anew))
        self.outcomes["reused"] += decisions[0].selected is not None and decisions[0].filters is None
        reused, full = (follow(s, decision) for s, decision in zip(self.both, decisions, strict=True))
        assert reused == full

    def _from_scratch(self, scheduler: Scheduler, data: Data) -> Told:
        rebuilt = from_scratch(self.both[1].cluster)
        return told(scheduler.decide(enter_alone(rebuilt, self.both[1], data), rebuilt))


def from_scratch(cluster: ClusterState) -> ClusterState:
    """The same cluster without anything that was kept; order within a node's pods is not the same."""
    records, names = cluster.pods.records, cluster.nodes.names
    rows = cluster.pods.node.tolist()
    placed = [replace(r.pod, node_name=names[row]) for r, row in zip(records, rows, strict=True) if row >= 0]
    rebuilt = ClusterState(cluster.nodes_by_addition(), placed, cluster.objects)
    rebuilt.next_start = cluster.next_start
    for where, listed in cluster.nominations.items():
        for waiting in listed:
            rebuilt.nominate(rebuilt.add_pod(records[waiting].pod).id, where)
    return rebuilt


def enter_alone(rebuilt: ClusterState, session: Session, data: Data) -> Any:
    """A candidate in a cluster that has no session of its own."""
    return rebuilt.add_pod(session.admission.admit_candidate(made(data)))  # type: ignore[arg-type]


def told(decision: Decision) -> Told:
    """What a decision says to a simulation. Preemption is left out: it reads the order of a node's pods."""
    names = decision.cluster.nodes.names
    return {
        "outcome": decision.outcome,
        "selected": decision.selected_node,
        "ties": [names[row] for row in decision.ties],
        "feasible": None if decision.feasible is None else [names[row] for row in decision.feasible.tolist()],
        "evaluated": decision.evaluated,
        "next": decision.cluster.next_start,
    }


def follow(session: Session, decision: Decision) -> object:
    """Place, or evict the victims and place; returns what happened."""
    if decision.outcome is Outcome.SCHEDULED:
        return place(decision)
    preemption = decision.preemption
    if preemption is None or preemption.nominated is None:
        return decision.event
    again = evict_and_retry(session.scheduler, decision)
    if again.outcome is Outcome.SCHEDULED:
        place(again)
    victims = preemption.candidates[preemption.nominated].victims
    return preemption.nominated, victims, told(again)


def other_nodes(session: Session, dropped: int, cordoned: int, new_name: str) -> None:
    """A node table with one node fewer, one cordoned or no longer so, and one that is new."""
    listed = session.cluster.nodes_by_addition()
    changed = listed[cordoned % len(listed)]
    spec = msgspec.structs.replace(changed.spec, unschedulable=not changed.spec.unschedulable)
    listed[cordoned % len(listed)] = msgspec.structs.replace(changed, spec=spec)
    del listed[dropped % len(listed)]
    new = made(node(new_name, "d", labels={"disk": "ssd"}))
    session.cluster.set_nodes([*listed, new])  # type: ignore[list-item]


def lose(session: Session, chosen: int) -> None:
    """A node that fails, with its pods."""
    cluster = session.cluster
    row = int(cluster.present.order[chosen % cluster.present.count])
    for pod in list(cluster.usage.pods[row]):
        cluster.remove(pod)
    cluster.lose_nodes([row])


def play(
    seed: int,
    options: SchedulingOptions,
    *,
    config: Data | None = None,
    nodes: int = 12,
    steps: int = 60,
    scratch: bool = True,
) -> Counter[str]:
    """A random history of placements, removals, nominations, other nodes and excursions that are undone.

    Args:
        seed: of what is random.
        options: of both clusters.
        config: of the scheduler.
        nodes: how many there are at first.
        steps: how much happens.
        scratch: whether each decision is held against one in a cluster built from scratch as well.

    Returns:
        How often each outcome was seen, and how often a class was reused.
    """
    rng = random.Random(seed)
    twins = Twins(list(random_objects(rng, nodes)), options, config, scratch=scratch)
    kinds = [random_pod(rng, "") for _ in range(6)]
    marks: list[list[Any]] = []
    for step in range(steps):
        kind = rng.choice(kinds) if rng.random() < 0.85 else random_pod(rng, "")
        # Pods that are equal up to labels share what is known of the nodes, and selectors tell them apart.
        labels = rng.choice([kind, *kinds])["metadata"].get("labels", {})
        data = kind | {"metadata": kind["metadata"] | {"name": f"p{step}", "labels": labels}}
        a, b = rng.randrange(nodes), rng.randrange(nodes)
        match rng.choices(
            ("schedule", "remove", "mark", "undo", "nominate", "nodes", "lose"), (60, 12, 6, 6, 4, 3, 4)
        )[0]:
            case "remove" if running := twins.running:
                gone = rng.choice(running)
                twins.each(lambda s, pod=gone: s.cluster.remove(pod))
            case "mark":
                marks.append([session.cluster.mark() for session in twins.both])
            case "undo" if marks:
                for session, mark in zip(twins.both, marks.pop(), strict=True):
                    session.cluster.undo_to(mark)
            case "nominate":
                twins.each(lambda s, pod=data, to=f"n{a}": s.cluster.nominate(enter(s, pod).id, to))
            case "nodes":
                twins.each(lambda s, a=a, b=b, name=f"new{step}": other_nodes(s, a, b, name))
            case "lose" if twins.both[0].cluster.present.count > 2:
                twins.each(lambda s, a=a: lose(s, a))
            case _:
                twins.schedule(data)
    return twins.outcomes


ALL_NODES = SchedulingOptions(tie_break=TieBreak.UPSTREAM)
SAMPLED = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM)


@pytest.mark.parametrize("seed", range(12))
def test_all_nodes_scored(seed: int) -> None:
    play(seed, ALL_NODES)


@pytest.mark.parametrize("seed", range(3))
def test_nodes_sampled_as_upstream(seed: int) -> None:
    config = profile(percentageOfNodesToScore=20)
    play(seed, SAMPLED, config=config, nodes=130, steps=25)


@pytest.mark.parametrize("seed", range(3))
def test_listed_default_constraints(seed: int) -> None:
    play(seed, ALL_NODES, config=profile("PodTopologySpread", LIST_DEFAULTS))


@pytest.mark.parametrize("seed", range(3))
def test_room_for_little(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What had to make room for others is found out anew."""
    for module in (class_cache, known_failures, counts):
        monkeypatch.setattr(module, "_MOST", 5000)
    play(seed, ALL_NODES)


@pytest.mark.parametrize("seed", range(3))
def test_full_nodes_and_preemption(seed: int) -> None:
    play(seed, ALL_NODES, nodes=4)


def test_histories_hold_what_they_are_for() -> None:
    """Scheduled pods are decided from their class, and some fit nowhere."""
    seen = play(1, ALL_NODES, nodes=4)
    assert seen["reused"] > 0.8 * seen[Outcome.SCHEDULED]
    assert seen[Outcome.UNSCHEDULABLE] > 0


LISTED = profile("PodTopologySpread", LIST_DEFAULTS)
PART = profile(percentageOfNodesToScore=20)
WORLDS: tuple[Callable[[int, bool], Counter[str]], ...] = (
    lambda seed, scratch: play(seed, ALL_NODES, nodes=10, steps=40, scratch=scratch),
    lambda seed, scratch: play(seed, ALL_NODES, nodes=25, steps=40, scratch=scratch),
    lambda seed, scratch: play(seed, SAMPLED, config=PART, nodes=110, steps=14, scratch=scratch),
    lambda seed, scratch: play(seed, ALL_NODES, config=LISTED, nodes=10, steps=40, scratch=scratch),
    lambda seed, scratch: play(seed, ALL_NODES, nodes=4, steps=40, scratch=scratch),
)
"""Many nodes, more of them, those that are sampled, listed default constraints, and full nodes with preemption."""


def test_many_worlds(request: pytest.FixtureRequest) -> None:
    """As many as `--worlds` says; one in eleven is held against clusters built from scratch."""
    seen: Counter[str] = Counter()
    for seed in range(1000, 1000 + request.config.getoption("--worlds")):
        seen += WORLDS[seed % len(WORLDS)](seed, seed % 11 == 0)
    assert seen["reused"] > 0.9 * seen[Outcome.SCHEDULED]
