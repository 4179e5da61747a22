"""Whom a group of pods evicts, asked of each of its members."""

import json
from pathlib import Path

import pytest

STORED = Path(__file__).parent / "golden"
CLUSTER = ("-c", "fixtures/gang/cluster.yaml")

pytestmark = pytest.mark.usefixtures("in_the_root")


def gang(name):
    return ("preempt", f"fixtures/gang/{name}.yaml", *CLUSTER)


@pytest.mark.parametrize(
    ("name", "code"), [("preempts", 0), ("too-big", 1), ("fits", 0), ("too-few", 1), ("no-group", 1)]
)
def test_it_is_printed_as_stored(run, golden, name, code):
    done = run(*gang(name))
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"preempt-gang-{name}.txt", done.out)


def answers(run, *arguments):
    found = json.loads(run(*arguments, "-o", "json").out)
    return found.get("items", [found])


def test_every_member_knows_all_victims_and_its_own_node(run):
    found = answers(run, *gang("preempts"))
    assert {one["outcome"] for one in found} == {"Preempts"}
    assert {one["nominatedNode"] for one in found} == {"a1", "a2", "b1", "b2"}
    victims = [[(victim["name"], victim["node"]) for victim in one["victims"]] for one in found]
    assert all(one == [("web-0", "a1"), ("web-1", "a2"), ("batch-0", "b1")] for one in victims)
    assert all(one["group"]["outcome"] == "WaitingForPreemption" for one in found)
    assert all(one["aftermath"] is None for one in found)


BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: all, namespace: ml}
spec: {minAvailable: 1, selector: {matchExpressions: [{key: app, operator: Exists}]}}
status: {disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2}
---
"""


def test_budgets_are_charged_for_the_whole_group(run, tmp_path):
    path = tmp_path / "budget.yaml"
    path.write_text(BUDGET, encoding="utf-8")
    first = answers(run, *gang("preempts"), "-c", str(path))[0]
    charges = [[one["number"] for one in victim["budgets"]] for victim in first["victims"]]
    assert charges == [[1], [2], [3]]
    assert [victim["breaksBudget"] for victim in first["victims"]] == [False, True, True]


def test_a_pod_beyond_those_that_fit_evicts_nobody(run, tmp_path):
    text = Path("fixtures/gang/fits.yaml").read_text(encoding="utf-8")
    path = tmp_path / "more.yaml"
    last = text.split("---")[-1]
    more = [last.replace("train-2", f"train-{i}") for i in range(3, 9)]
    path.write_text("---".join([text, *more]), encoding="utf-8")
    found = answers(run, "preempt", str(path), *CLUSTER)
    outcomes = {one["pod"]["name"]: one["outcome"] for one in found}
    assert outcomes["train-0"] == "Scheduled"
    assert outcomes["train-8"] == "Unschedulable"
    told = run("preempt", str(path), *CLUSTER).out
    assert "train-8 fits nowhere beside the others of its group" in told


@pytest.mark.parametrize(
    ("gates", "outcomes"),
    [
        pytest.param("", {"Preempts"}, id="members preempt"),
        pytest.param(",WorkloadAwarePreemption=true", {"Preempts", "Unschedulable"}, id="the group preempts"),
    ],
)
def test_in_1_36_all_victims_are_told_too(run, gates, outcomes):
    on = f"GenericWorkload=true,GangScheduling=true{gates}"
    found = answers(run, *gang("preempts"), "--kubernetes-version", "1.36", "--feature-gates", on)
    assert {one["outcome"] for one in found} == outcomes
    assert {tuple(victim["name"] for victim in one["victims"]) for one in found} == {("batch-0", "batch-1")}
