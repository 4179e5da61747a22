from typing import Any

import pytest
from builders import admission_context

from .builders import admitted, existing, pod, priority_class, refusal

CLASSES = [
    priority_class("high", 1000),
    priority_class("meek", 10, preemptionPolicy="Never"),
    priority_class("usual", 50, globalDefault=True),
    priority_class("other", 70, globalDefault=True),
]
CONTEXT = admission_context(priority_classes=CLASSES)
PREEMPTS = "PreemptLowerPriority"


@pytest.mark.parametrize(
    ("written", "priority", "policy", "name"),
    [
        ({"priorityClassName": "high"}, 1000, PREEMPTS, "high"),
        ({"priorityClassName": "meek"}, 10, "Never", "meek"),
        ({"priorityClassName": "meek", "priority": 10, "preemptionPolicy": "Never"}, 10, "Never", "meek"),
        ({"priorityClassName": "system-node-critical"}, 2000001000, PREEMPTS, "system-node-critical"),
        ({"priorityClassName": "system-cluster-critical"}, 2000000000, PREEMPTS, "system-cluster-critical"),
        ({}, 50, PREEMPTS, "usual"),
        ({"priority": 7}, 7, PREEMPTS, ""),
        ({"priority": 7, "preemptionPolicy": "Never"}, 7, "Never", ""),
    ],
    ids=[
        "class",
        "policy",
        "agrees",
        "node-critical",
        "cluster-critical",
        "default",
        "stated",
        "stated-policy",
    ],
)
def test_priority(written: dict[str, Any], priority: int, policy: str, name: str) -> None:
    for made in (admitted(pod(**written), CONTEXT), existing(pod(**written), CONTEXT)):
        assert (made.priority, made.preemption_policy) == (priority, policy)
        assert made.spec.priority_class_name == name


def test_without_a_default_class_the_priority_is_zero() -> None:
    made = admitted(pod())
    assert (made.priority, made.preemption_policy, made.spec.priority_class_name) == (0, PREEMPTS, "")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            {"priorityClassName": "nope"},
            "spec.priorityClassName: no PriorityClass with name nope was found",
        ),
        (
            {"priorityClassName": "high", "priority": 5},
            "spec.priority: the integer value of priority (5) must not be provided in pod spec; priority admission "
            "controller computed 1000 from the given PriorityClass name",
        ),
        (
            {"priorityClassName": "meek", "preemptionPolicy": PREEMPTS},
            "spec.preemptionPolicy: the string value of PreemptionPolicy (PreemptLowerPriority) must not be "
            "provided in pod spec; priority admission controller computed Never from the given PriorityClass name",
        ),
    ],
)
def test_a_candidate_at_odds_with_its_class_is_refused(written: dict[str, Any], text: str) -> None:
    assert refusal(pod(**written), CONTEXT) == [text]


@pytest.mark.parametrize(
    ("written", "priority"),
    [
        ({"priorityClassName": "gone"}, 0),
        ({"priorityClassName": "gone", "priority": 9}, 9),
        ({"priorityClassName": "high", "priority": 5}, 5),
    ],
)
def test_an_existing_pod_keeps_what_it_got_when_it_was_made(written: dict[str, Any], priority: int) -> None:
    assert existing(pod(**written), CONTEXT).priority == priority
