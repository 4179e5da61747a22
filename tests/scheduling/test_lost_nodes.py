"""A cluster that has lost nodes decides as one that was built without them, preemption and texts included."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from builders import Data, enter, made, profile
from random_clusters import random_objects, random_pod

from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

Told = dict[str, Any]

MIB = 1024 * 1024
IMAGES = ("registry.example/web:1", "registry.example/api:1", "registry.example/db:1")


def with_images(rng: random.Random, data: Data) -> Data:
    """A node that holds some images, of sizes that nodes do not agree on."""
    held = [
        {"names": [name], "sizeBytes": rng.choice((90, 400, 2000)) * MIB}
        for name in IMAGES
        if rng.random() < 0.5
    ]
    return data | {"status": data["status"] | {"images": held}}


def candidate(rng: random.Random, name: str) -> Data:
    """A pod that may find its image on nodes, and may have to evict others."""
    data = random_pod(rng, name)
    data["spec"]["priority"] = rng.choice((0, 10, 50))
    for container in data["spec"]["containers"]:
        container["image"] = rng.choice(IMAGES)
        container.setdefault("resources", {"requests": {"cpu": rng.choice(("100m", "700m", "3"))}})
    return data


def told(decision: Decision) -> Told:
    """All that a decision says, rows as names."""
    names, records = decision.cluster.nodes.names, decision.cluster.pods.records
    preemption = decision.preemption
    return {
        "outcome": decision.outcome,
        "selected": decision.selected_node,
        "event": decision.event or decision.message,
        "ties": [names[row] for row in decision.ties],
        "feasible": None if decision.feasible is None else [names[row] for row in decision.feasible.tolist()],
        "totals": None if decision.scores is None else decision.scores.totals.tolist(),
        "evaluated": decision.evaluated,
        "victims": None
        if preemption is None
        else {
            names[row]: [records[victim].name for victim in found.victims]
            for row, found in preemption.candidates.items()
        },
        "nominated": None
        if preemption is None or preemption.nominated is None
        else names[preemption.nominated],
        "why": {names[row]: str(decision.status_of(row)) for row in decision.cluster.present.order.tolist()}
        if decision.filters is not None
        else None,
        "next": decision.cluster.next_start,
    }


def follow(session: Session, decision: Decision) -> object:
    """Place, or evict the victims and place; returns what is decided then."""
    if decision.outcome is Outcome.SCHEDULED:
        return place(decision)
    if decision.preemption is None or decision.preemption.nominated is None:
        return None
    again = evict_and_retry(session.scheduler, decision)
    found = told(again)
    if again.outcome is Outcome.SCHEDULED:
        place(again)
    return found


def cleared(session: Session, lost: list[str]) -> None:
    """The pods of these nodes go."""
    for row in sorted(session.cluster.nodes.row_of[name] for name in lost):
        for pod in list(session.cluster.usage.pods[row]):
            session.cluster.remove(pod)


def columns(session: Session) -> Told:
    """What a decision reads of nodes and pods."""
    cluster = session.cluster
    return {
        "requested": cluster.usage.requested.tolist(),
        "pods": [list(listed) for listed in cluster.usage.pods],
        "node": cluster.pods.node.tolist()[: session._loaded],
        "order": cluster.present.order.tolist(),
        "nominations": {name: list(pods) for name, pods in cluster.nominations.items() if pods},
        "start": cluster.next_start,
    }


def play(seed: int, options: SchedulingOptions, config: Data | None = None, nodes: int = 12) -> None:
    """Several losses of one cluster, one after the other; each is undone, and what is known of equal pods stays."""
    rng = random.Random(seed)
    objects = [with_images(rng, one) if one["kind"] == "Node" else one for one in random_objects(rng, nodes)]
    configuration = load_configuration(config, V1_36, feature_gates(V1_36, {}), IN_TREE)
    masked, rebuilt = (Session([made(one) for one in objects], configuration, options) for _ in range(2))
    kinds = [candidate(rng, "") for _ in range(5)]
    before, number = columns(masked), 0
    for trial in range(4):
        lost = rng.sample([f"n{i}" for i in range(nodes)], rng.choice((1, 1, 2, 3)))
        marks = [session.cluster.mark() for session in (masked, rebuilt)]
        for session in (masked, rebuilt):
            session.cluster.advance_start(trial)
            cleared(session, lost)
        masked.cluster.lose_nodes([masked.cluster.nodes.row_of[name] for name in lost])
        rebuilt.cluster.set_nodes([n for n in rebuilt.cluster.nodes_by_addition() if n.name not in lost])
        for _ in range(10):
            number += 1
            data = msgspec.json.decode(msgspec.json.encode(rng.choice(kinds)))
            data["metadata"]["name"] = f"p{number}"
            decisions = [s.scheduler.decide(enter(s, data), s.cluster) for s in (masked, rebuilt)]
            assert told(decisions[0]) == told(decisions[1])
            found = [follow(s, d) for s, d in zip((masked, rebuilt), decisions, strict=True)]
            assert found[0] == found[1]
        for session, mark in zip((masked, rebuilt), marks, strict=True):
            session.cluster.undo_to(mark)
        assert columns(masked) == before


@pytest.mark.parametrize("reuse", [True, False], ids=["reused", "in full"])
@pytest.mark.parametrize("seed", range(10))
def test_all_nodes_scored(seed: int, reuse: bool) -> None:
    play(seed, SchedulingOptions(tie_break=TieBreak.UPSTREAM, reuse=reuse))


@pytest.mark.parametrize("seed", range(3))
def test_nodes_sampled_as_upstream(seed: int) -> None:
    options = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM)
    play(seed, options, profile(percentageOfNodesToScore=20), nodes=130)


@pytest.mark.parametrize("seed", range(10, 16))
def test_few_nodes_that_are_full(seed: int) -> None:
    play(seed, SchedulingOptions(tie_break=TieBreak.UPSTREAM), nodes=5)
