"""Measures that are made together: patches that are each written for the objects as they are."""

from __future__ import annotations

from copy import deepcopy

import pytest

from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.composition import composed
from kschedctl.advice.costs import COSTS, cost_of
from kschedctl.advice.json_patch import add, patched, remove
from kschedctl.advice.measure import Measure, ObjectPatch, PodPatch, Reference

_NODE = Reference("Node", "", "n1")


def _of_pod(*operations, kind="request"):
    return Measure(kind, str(operations), (PodPatch(operations),))


@pytest.mark.parametrize(
    ("document", "changes", "expected"),
    [
        pytest.param(
            {"spec": {}},
            [_of_pod(add([1], "spec", "tolerations")), _of_pod(add([2], "spec", "tolerations"))],
            {"spec": {"tolerations": [1, 2]}},
            id="two that make the same list",
        ),
        pytest.param(
            {"spec": {}},
            [
                _of_pod(add({"requests": {"cpu": 1}}, "spec", "resources")),
                _of_pod(add({"requests": {"memory": 2}}, "spec", "resources")),
            ],
            {"spec": {"resources": {"requests": {"cpu": 1, "memory": 2}}}},
            id="two that make the same object",
        ),
        pytest.param(
            {"spec": {"taints": [0, 1, 2]}},
            [_of_pod(remove("spec", "taints", at)) for at in (0, 2)],
            {"spec": {"taints": [1]}},
            id="two entries of a list go",
        ),
        pytest.param(
            {"spec": {"terms": [{"key": "a"}, {"key": "b"}]}},
            [_of_pod(remove("spec", "terms", 0)), _of_pod(add("c", "spec", "terms", 1, "key"))],
            {"spec": {"terms": [{"key": "c"}]}},
            id="one entry goes, and the next one changes",
        ),
        pytest.param(
            {"spec": {"taints": [0, 1, 2, 3]}},
            [
                _of_pod(remove("spec", "taints", 3), remove("spec", "taints", 0)),
                _of_pod(remove("spec", "taints", 1)),
            ],
            {"spec": {"taints": [2]}},
            id="one change takes several out",
        ),
    ],
)
def test_the_patches_fit_to_each_other(document, changes, expected):
    found = composed(changes, lambda target: deepcopy(document))
    assert found.documents == {None: expected}
    operations = [o for change in found.changes for edit in change.edits for o in edit.operations]
    assert patched(document, operations) == expected


def test_each_object_has_its_own_patches():
    changes = [
        Measure("taint", "a", (ObjectPatch(_NODE, (remove("spec", "taints", 0),)),)),
        _of_pod(add(1, "spec", "priority")),
    ]
    found = composed(changes, lambda target: {"spec": {"taints": [1]} if target else {}})
    assert found.documents == {None: {"spec": {"priority": 1}}, _NODE: {"spec": {"taints": []}}}


def test_a_patch_about_what_is_not_there_is_an_error():
    with pytest.raises(LookupError):
        composed([_of_pod(remove("spec", "affinity", "podAffinity"))], lambda target: {"spec": {}})


def test_combinations_come_in_the_order_of_their_cost():
    parts = [[(_of_pod(kind=kind),) for kind in kinds] for kinds in (("evict", "wait"), ("taint", "request"))]
    found = [cost_of(changes) for changes in cheapest_first(parts, COSTS)]
    assert found == sorted(found)
    assert len(found) == 4


@pytest.mark.parametrize(
    ("parts", "expected"), [pytest.param([], [()], id="no parts"), pytest.param([[]], [], id="an empty part")]
)
def test_combinations_of_nothing(parts, expected):
    assert list(cheapest_first(parts, COSTS)) == expected
