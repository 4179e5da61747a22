"""Selectors over groups of pods agree with selectors over labels, also for groups that come later."""

import random

import pytest

from kschedctl.cluster.label_groups import LabelledGroups
from kschedctl.cluster.labels import NodeLabels
from kschedctl.objects.selectors import EVERYTHING, NOTHING, NodeTerm, Requirement, Selector

KEYS = ("app", "tier", "absent")
VALUES = ("", "a", "b", "7", "12")


def random_labels(rng: random.Random) -> dict[str, str]:
    return {key: rng.choice(VALUES) for key in KEYS[:2] if rng.random() < 0.7}


def random_requirement(rng: random.Random, *operators: str) -> Requirement:
    operator = rng.choice(operators)
    if operator in ("Gt", "Lt"):
        return Requirement(rng.choice(KEYS), operator, (rng.choice(("8", "x")),))
    named = tuple(rng.sample((*VALUES, "unseen"), rng.randint(1, 3))) if operator.endswith("In") else ()
    return Requirement(rng.choice(KEYS), operator, named)


@pytest.mark.parametrize("seed", range(10))
def test_masks_grow_with_the_groups(seed: int) -> None:
    rng = random.Random(seed)
    operators = ("In", "NotIn", "Exists", "DoesNotExist")
    selectors = [
        Selector(tuple(random_requirement(rng, *operators) for _ in range(rng.randint(1, 2))))
        for _ in range(8)
    ]
    groups, entered = LabelledGroups(), []
    for _ in range(4):
        for _ in range(5):
            entered.append((rng.choice(("x", "y", "z")), random_labels(rng)))
            assert groups.add(*entered[-1]) == len(entered) - 1
        for selector in (*selectors, EVERYTHING, NOTHING):
            expected = [selector.matches(labels) for _, labels in entered]
            assert groups.matching(selector).tolist() == expected, selector
        assert groups.in_namespaces("y".__eq__).tolist() == [namespace == "y" for namespace, _ in entered]
    assert [groups.namespace(group) for group in range(len(groups))] == [
        namespace for namespace, _ in entered
    ]
    assert [groups.labels(group) for group in range(len(groups))] == [labels for _, labels in entered]


def test_no_groups() -> None:
    groups = LabelledGroups()

    assert not len(groups.matching(EVERYTHING))
    assert not len(groups.in_namespaces(bool))


@pytest.mark.parametrize("seed", range(10))
def test_node_labels(seed: int) -> None:
    rng = random.Random(seed)
    labels = [random_labels(rng) for _ in range(12)]
    names = [f"n{i}" for i in range(12)]
    columns = NodeLabels(names, labels)

    for _ in range(20):
        requirement = random_requirement(rng, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
        expected = [
            NodeTerm((requirement,)).matches(own, name) for own, name in zip(labels, names, strict=True)
        ]
        assert columns.mask(requirement).tolist() == expected, requirement
        pairs = random_labels(rng)
        assert columns.mask_of_equalities(pairs).tolist() == [pairs.items() <= own.items() for own in labels]
