"""Pods that are equal take the same nodes in one go as one by one: with classes in turn, nodes that fill up, and more.

Each world is played twice: once with what is known of equal pods and of the nodes that lead, once with every pod
decided in full.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from builders import HOST, ZONE, Data, enter, made, node, pod, profile
from msgspec.structs import replace

from kschedctl.cluster import row_kinds
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling import leaders
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import place
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

STRATEGIES = ("LeastAllocated", "LeastAllocated", "MostAllocated")
SIZES = (("2", "110"), ("4", "110"), ("4", "5"), ("64", "110"))
"""CPU and allowed pods of nodes."""


def worlds(rng: random.Random, options: SchedulingOptions) -> tuple[Session, Session]:
    """A cluster twice: with what is known of equal pods, and without."""
    size = rng.choice((*SIZES, None))
    nodes = [
        node(
            f"n{i}",
            rng.choice(("a", "b", "c", "")),
            cpu=(size or rng.choice(SIZES))[0],
            pods=(size or rng.choice(SIZES))[1],
            taints=rng.choice(((), (), (), ("old=1:PreferNoSchedule",))) if rng.random() < 0.1 else (),
        )
        for i in range(rng.choice((1, 2, 7, 20, 70)))
    ]
    args = {"scoringStrategy": {"type": rng.choice(STRATEGIES), "resources": [{"name": "cpu", "weight": 1}]}}
    sampled = {"percentageOfNodesToScore": 30} if options.sampling is Sampling.UPSTREAM else {}
    config = profile("NodeResourcesFit", args, **sampled)
    configuration = load_configuration(config, V1_36, feature_gates(V1_36, {}), IN_TREE)
    objects = [made(one) for one in nodes]
    with_reuse, without = (Session(objects, configuration, replace(options, reuse=r)) for r in (True, False))
    return with_reuse, without


def named(*names: str) -> Data:
    """Nodes by name: a search that looks at no others moves the start of the next one."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return {"nodeSelectorTerms": [{"matchFields": [field]} for field in fields]}


def kind(rng: random.Random, app: str) -> Data:
    """A pod without a name."""
    selector = {"labelSelector": {"matchLabels": {"app": app}}}
    term = {"topologyKey": rng.choice((HOST, ZONE)), **selector}
    spread = {"topologyKey": rng.choice((HOST, ZONE)), "maxSkew": rng.choice((1, 2)), **selector}
    shapes: tuple[Data, ...] = (
        {},
        {},
        {"topologySpreadConstraints": [spread | {"whenUnsatisfiable": "DoNotSchedule"}]},
        {"topologySpreadConstraints": [spread | {"whenUnsatisfiable": "ScheduleAnyway"}]},
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}},
        {
            "affinity": {
                "podAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 5, "podAffinityTerm": term}
                    ]
                }
            }
        },
        {"nodeSelector": {ZONE: "a"}},
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": named("n0", "n1")}}},
    )
    return pod(
        "",
        labels={"app": app},
        cpu=rng.choice(("100m", "100m", "250m", "1")),
        priority=rng.choice((0, 0, 10)),
        **rng.choice(shapes),
    )


def told(decision: Decision) -> dict[str, Any]:
    """What a run takes from a decision."""
    return {
        "outcome": decision.outcome,
        "selected": decision.selected_node,
        "ties": decision.ties,
        "feasible": None if decision.feasible is None else decision.feasible.tolist(),
        "evaluated": decision.evaluated,
        "event": decision.event,
        "next": decision.cluster.next_start,
    }


def play(seed: int, options: SchedulingOptions, runs: int = 12) -> Counter[str]:
    """Runs of equal pods, in turn or one after another, and changes between them; how often what was seen."""
    rng = random.Random(seed)
    both = worlds(rng, options)
    kinds = [kind(rng, f"app{rng.randrange(3)}") for _ in range(rng.choice((1, 2, 5)))]
    seen: Counter[str] = Counter()
    names = [node.metadata.name for node in both[0].cluster.nodes.objects]
    marks: list[list[Any]] = []
    for run in range(runs):
        turn = rng.sample(kinds, rng.randrange(1, len(kinds) + 1))
        for i in range(rng.choice((1, 5, 30))):
            one = turn[i % len(turn)]
            data = one | {"metadata": one["metadata"] | {"name": f"p{run}-{i}"}}
            decisions = [s.scheduler.decide(enter(s, data), s.cluster) for s in both]
            fast, slow = map(told, decisions)
            assert fast == slow
            evaluation = decisions[0].evaluation
            seen["led"] += evaluation is not None and evaluation.leaders is not None
            seen[str(decisions[0].outcome)] += 1
            if decisions[0].outcome is Outcome.SCHEDULED:
                assert [place(decision) for decision in decisions] == [None, None]
        match rng.randrange(6):
            case 0:
                on_node = [i for i, row in enumerate(both[0].cluster.pods.node.tolist()) if row >= 0]
                for gone in rng.sample(on_node, min(len(on_node), 3)):
                    for session in both:
                        session.cluster.remove(gone)
            case 1:
                marks.append([session.cluster.mark() for session in both])
            case 2 if marks:
                for session, mark in zip(both, marks.pop(), strict=True):
                    session.cluster.undo_to(mark)
            case 3 if both[0].cluster.present.count > 2:
                row = int(rng.choice(both[0].cluster.present.order))
                for session in both:
                    for there in list(session.cluster.usage.pods[row]):
                        session.cluster.remove(there)
                    session.cluster.lose_nodes([row])
            case 4:
                waits = rng.choice(kinds) | {"metadata": {"name": f"w{run}", "labels": {"app": "app0"}}}
                to = rng.choice(names)
                for session in both:
                    session.cluster.nominate(enter(session, waits).id, to)
    return seen


ALL_NODES = SchedulingOptions(tie_break=TieBreak.UPSTREAM, preemption=False)


@pytest.mark.parametrize("seed", range(40))
def test_in_one_go_as_one_by_one(seed: int) -> None:
    play(seed, ALL_NODES)


@pytest.mark.parametrize("seed", range(40, 60))
def test_in_short_lines(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of nodes that lead, and of rows, is looked for anew all the time."""
    monkeypatch.setattr(leaders, "_LINE", 2)
    monkeypatch.setattr(leaders, "_MANY", 5)
    monkeypatch.setattr(row_kinds, "_LEAST", 3)
    monkeypatch.setattr(row_kinds, "_FORESEEN", seed % 4)
    play(seed, ALL_NODES)


@pytest.mark.parametrize("seed", range(60, 70))
def test_with_sampling(seed: int) -> None:
    play(seed, replace(ALL_NODES, sampling=Sampling.UPSTREAM))


def test_worlds_hold_what_they_are_for() -> None:
    """Leaders are taken, and nodes fill up."""
    seen = sum((play(seed, ALL_NODES) for seed in range(10, 20)), Counter[str]())
    assert seen["led"] > 200
    assert seen[Outcome.UNSCHEDULABLE] > 50
