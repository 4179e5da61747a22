"""A session that takes over what another one knows answers as one that is made from nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from builders import decide, made, node, pod, rejections
from random_clusters import random_objects, random_pod

from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.session import Session

IN_FULL = SchedulingOptions(reuse=False, every_failure=True, score_single=True)
CONFIGURATION = load_configuration(None, V1_36, feature_gates(V1_36, {}), IN_TREE)


def told(decision: Decision) -> dict[str, Any]:
    """All that a decision says of nodes, scores and victims."""
    preemption = decision.preemption
    scores = decision.scores
    return {
        "outcome": decision.outcome,
        "selected": decision.selected_node,
        "ties": decision.ties,
        "rejections": rejections(decision),
        "total": None if scores is None else scores.totals.tolist(),
        "event": decision.event,
        "nominated": None if preemption is None else preemption.nominated,
        "candidates": None
        if preemption is None
        else {
            name: [decision.cluster.pods.records[victim].full_name for victim in candidate.victims]
            for name, candidate in preemption.candidates.items()
        },
    }


def varied(rng: random.Random, objects: Sequence[TopLevel], round_: int) -> list[TopLevel]:
    """Some pods and nodes less, some changed in place, some more, with resources that nobody knew before."""
    kept = [obj for obj in objects if not isinstance(obj, (Pod, Node)) or rng.random() < 0.8]
    new = f"new{round_}"
    more = [node(new, "d", more={f"example.com/{rng.choice('ab')}": "2"})]
    more += [random_pod(rng, f"more{round_}-{i}") for i in range(4)]
    more += [pod(f"taker{round_}", new, more={"example.com/c": "1"}, labels={"app": "web"})]
    return [*kept, *(made(data) for data in more)]


@pytest.mark.parametrize("seed", range(15))
def test_answers_are_those_of_a_session_of_its_own(seed: int) -> None:
    rng = random.Random(seed)
    objects = [made(data) for data in random_objects(rng, 4 + seed % 2 * 6)]
    first = Session(objects, CONFIGURATION, IN_FULL)
    for round_ in range(3):
        for i in range(3):
            decide(first, random_pod(rng, f"asked{round_}{i}"))
        objects = varied(rng, objects, round_)
        similar = Session(objects, CONFIGURATION, IN_FULL, like=first)
        alone = Session(objects, CONFIGURATION, IN_FULL)
        for i in range(6):
            asked = random_pod(rng, f"asked{i}")
            asked["spec"]["priority"] = rng.choice((0, 1000))
            assert told(decide(similar, asked)) == told(decide(alone, asked))
        first = similar


def test_a_pod_is_admitted_once_while_what_admission_reads_is_the_same() -> None:
    objects = [made(node("n1")), made(pod("a", "n1"))]
    first = Session(objects, CONFIGURATION)
    same = Session(objects, CONFIGURATION, like=first)
    assert same.cluster.pods.records[0].pod is first.cluster.pods.records[0].pod


def test_a_new_priority_class_is_seen() -> None:
    waiting = made(pod("a", priorityClassName="high"))
    value = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}}
    first = Session([waiting], CONFIGURATION)
    later = Session([waiting, made(value | {"value": 7})], CONFIGURATION, like=first)
    assert [s.cluster.pods.records[0].priority for s in (first, later)] == [0, 7]


def test_a_session_like_an_empty_one_shares_its_classes() -> None:
    first = Session([], CONFIGURATION)
    later = Session([made(pod("a"))], CONFIGURATION, like=first)
    assert later.cluster.pods.classes is first.cluster.pods.classes
