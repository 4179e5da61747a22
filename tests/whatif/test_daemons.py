"""Daemons that start and end with the labels and taints of their nodes."""

import pytest

from kschedctl.objects.node import Taint
from kschedctl.whatif.simulate import SimulationResult
from kschedctl.whatif.world.change_forms import RolloutMode
from kschedctl.whatif.world.changes import AddNode, Change, Cordon, LabelNodes, Patch, TaintNodes
from kschedctl.whatif.world.world import PodOrigin

from .builders import Data, controlled, left, node, placements, pod, run, workload

GPU = {"gpu": "true"}
SELECTS: Data = {"nodeSelector": GPU}
FOR_A_WHILE = {"key": "k", "operator": "Exists", "tolerationSeconds": 60}


def agents(spec: Data | None = None, cpu: str = "1") -> Data:
    return workload("DaemonSet", "agent", cpu=cpu, pod=spec or {})


def daemon(on: str, **spec) -> Data:
    return pod(f"agent-{on}", on, cpu="1", owner=controlled("DaemonSet", "agent"), **spec)


def taint(effect: str, remove: bool = False) -> TaintNodes:
    return TaintNodes("n1", Taint(key="k", value="v", effect=effect), remove)


def started(found: SimulationResult) -> list[str | None]:
    assert all(task.origin is PodOrigin.DAEMON for task in found.tasks)
    return sorted((task.node for task in found.tasks), key=str)


def label(value: str | None) -> LabelNodes:
    return LabelNodes("n1", "gpu", value)


GPU_PATCH = {"kind": "Node", "metadata": {"name": "n1", "labels": GPU}}


@pytest.mark.parametrize(
    ("there", "changes", "on"),
    [
        pytest.param(node("n1"), [label("true")], ["n1"], id="label"),
        pytest.param(node("n1"), [label("false")], [], id="another value"),
        pytest.param(node("n1"), [label("true"), label(None)], [], id="label, and back"),
        pytest.param(node("n1"), [Patch(GPU_PATCH)], ["n1"], id="patch"),
        pytest.param(node("n1"), [label("true"), AddNode(like="n1")], ["n1", "n1-new-1"], id="and a copy"),
        pytest.param(
            node("n1", labels=GPU, taints=["k=v:NoSchedule"]),
            [taint("NoSchedule", True)],
            ["n1"],
            id="taint goes",
        ),
        pytest.param(node("n1", labels=GPU, cordoned=True), [Cordon("n1", False)], [], id="uncordon"),
        pytest.param(node("n1", labels=GPU), [Cordon("n1")], [], id="cordon"),
    ],
)
def test_a_daemon_starts_on_a_node_that_becomes_one_of_its_own(there, changes: list[Change], on):
    found = run([there, node("n2"), agents(SELECTS)], *changes)

    assert started(found) == on
    assert found.notes == []


def test_a_daemon_that_finds_no_room_is_pending():
    found = run([node("n1", cpu="1"), pod("full", "n1", cpu="1"), agents(SELECTS)], label("true"))

    assert started(found) == [None]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        pytest.param(label(None), False, id="label goes"),
        pytest.param(label("other"), False, id="label changes"),
        pytest.param(LabelNodes("n1", "more", "x"), True, id="another label"),
        pytest.param(taint("NoSchedule"), True, id="NoSchedule"),
        pytest.param(taint("NoExecute"), False, id="NoExecute"),
        pytest.param(Cordon("n1"), True, id="cordon"),
    ],
)
@pytest.mark.parametrize("known", [True, False], ids=["set in the input", "set not in the input"])
def test_a_daemon_ends_on_a_node_that_does_not_bear_it(known, change, kept):
    sets = [agents(SELECTS)] if known else []
    found = run([node("n1", labels=GPU), node("n2"), *sets, daemon("n1", **SELECTS)], change)

    assert left(found) == (["agent-n1"] if kept else [])
    assert placements(found) == {}
    assert found.lost == []
    assert found.notes == (
        [] if kept else ["DaemonSet/agent ends on n1, by the labels and taints that are there now"]
    )


def test_a_daemon_that_tolerates_a_taint_for_a_while_is_made_anew_where_it_was():
    spec = {"tolerations": [FOR_A_WHILE]}
    found = run([node("n1"), agents(spec), daemon("n1", **spec)], taint("NoExecute"))

    assert left(found) == ["agent-n1"]
    assert placements(found) == {}


def test_a_daemon_of_a_node_that_is_added_does_not_start_where_its_label_goes():
    found = run(
        [node("n1", labels=GPU), agents(SELECTS), daemon("n1", **SELECTS)],
        AddNode(like="n1"),
        LabelNodes("n1-new-1", "gpu", None),
    )

    assert placements(found) == {}
    assert left(found) == ["agent-n1"]


def test_a_daemon_that_was_missing_before_is_not_started_by_a_change_of_something_else():
    found = run([node("n1"), agents()], LabelNodes("n1", "more", "x"))

    assert placements(found) == {}


def test_the_room_of_a_daemon_that_ends_is_free():
    found = run(
        [node("n1", labels=GPU, cpu="1"), agents(SELECTS), daemon("n1", **SELECTS), pod("a", cpu="1")],
        label(None),
    )

    assert placements(found) == {"a": "n1"}


def test_a_daemon_set_that_is_added_gives_no_node_a_second_daemon():
    found = run(
        [node("n1"), node("n2"), agents(), daemon("n1")],
        manifests=[agents(cpu="2")],
        rollout=RolloutMode.ADD,
    )

    assert [task.node for task in found.tasks] == ["n2"]
    assert left(found) == ["agent-n1"]
