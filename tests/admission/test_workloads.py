"""Workloads that the API server would refuse since it could not tell which pods are theirs, or how many."""

import msgspec
import pytest

from kschedctl.admission.validation.workloads import workload_problems
from kschedctl.objects.kinds import KINDS

TYPES = {kind.kind: kind.type for kind in KINDS}
SELECTED = {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}}}
OTHERS = {**SELECTED, "template": {"metadata": {"labels": {"app": "wbe"}}}}
BY_SELECTOR = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"]
UNMATCHED = 'Invalid value: {"app":"wbe"}: `selector` does not match template `labels`'


def told(kind, spec):
    """The problems of a workload, each with its path."""
    found = msgspec.convert({"kind": kind, "metadata": {"name": "web"}, "spec": spec}, TYPES[kind])
    return [f"{problem.path}: {problem.message}" for problem in workload_problems(found)]


@pytest.mark.parametrize("kind", BY_SELECTOR)
@pytest.mark.parametrize(
    ("spec", "problems"),
    [
        pytest.param(SELECTED, [], id="right"),
        pytest.param(OTHERS, [f"spec.template.metadata.labels: {UNMATCHED}"], id="other labels"),
        pytest.param({"template": SELECTED["template"]}, ["spec.selector: Required value"], id="no selector"),
        pytest.param(
            {"selector": SELECTED["selector"]},
            ["spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`"],
            id="no template",
        ),
    ],
)
def test_selectors(kind, spec, problems):
    assert told(kind, spec) == problems


@pytest.mark.parametrize(
    ("surge", "unavailable", "shown"),
    [pytest.param(0, 0, "0", id="numbers"), pytest.param(0, "0%", '"0%"', id="percentage")],
)
def test_a_rolling_update_that_never_begins(surge, unavailable, shown):
    rolling = {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    assert told("Deployment", {**SELECTED, "strategy": rolling}) == [
        f"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: {shown}: may not be 0 when `maxSurge` is 0"
    ]
    assert told("Deployment", {**SELECTED, "strategy": {"type": "Recreate", **rolling}}) == []


@pytest.mark.parametrize(
    "rolling", [{"maxSurge": 0}, {"maxUnavailable": 0}, {"maxSurge": 0, "maxUnavailable": 1}, {}]
)
def test_a_rolling_update_that_begins(rolling):
    assert told("Deployment", {**SELECTED, "strategy": {"rollingUpdate": rolling}}) == []


def test_an_empty_selector():
    assert told("StatefulSet", {**SELECTED, "selector": {}}) == [
        "spec.selector: Invalid value: {}: empty selector is invalid for statefulset"
    ]


def test_a_selector_that_is_none():
    unknown = {"matchExpressions": [{"key": "app", "operator": "Is", "values": ["web"]}]}
    assert told("Deployment", {**SELECTED, "selector": unknown}) == [
        'spec.selector: Invalid value: "": "Is" is not a valid label selector operator'
    ]


@pytest.mark.parametrize(
    ("spec", "problems"),
    [
        pytest.param({"template": SELECTED["template"]}, [], id="default"),
        pytest.param({"selector": {"app": "web"}, "template": SELECTED["template"]}, [], id="right"),
        pytest.param({}, ["spec.selector: Required value"], id="nothing"),
        pytest.param(
            {"selector": {"app": "web"}, "template": OTHERS["template"]},
            [f"spec.template.metadata.labels: {UNMATCHED}"],
            id="other labels",
        ),
    ],
)
def test_selectors_of_replication_controllers(spec, problems):
    assert told("ReplicationController", spec) == problems


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        *(
            pytest.param(kind, {**SELECTED, "replicas": -2}, "spec.replicas", id=kind)
            for kind in BY_SELECTOR[:3]
        ),
        pytest.param(
            "ReplicationController",
            {"replicas": -2, "template": SELECTED["template"]},
            "spec.replicas",
            id="ReplicationController",
        ),
        pytest.param("Job", {"parallelism": -2}, "spec.parallelism", id="parallelism"),
        pytest.param("Job", {"completions": -2}, "spec.completions", id="completions"),
        pytest.param(
            "CronJob",
            {"jobTemplate": {"spec": {"parallelism": -2}}},
            "spec.jobTemplate.spec.parallelism",
            id="CronJob",
        ),
    ],
)
def test_numbers_below_zero(kind, spec, path):
    assert told(kind, spec) == [f"{path}: Invalid value: -2: must be greater than or equal to 0"]
