"""Groups of pods in the loop: who waits for whom, what is tried again, whom a group evicts (spec 07 §4, §8)."""

import pytest
from builders import node, pod
from gang_builders import GATES, composite, group, members
from run_builders import Story

from kschedctl.framework.versions import version_of

V1_36, V1_37 = version_of("1.36"), version_of("1.37")
BOTH = pytest.mark.parametrize("version", [V1_36, V1_37], ids=str)


def gang(name, count, version=V1_37, **spec):
    return group(name, count, version=version.minor, **spec)


def story(*objects, version=V1_37, gates=None):
    return Story(*objects, version=version, gates=GATES[version.minor] | (gates or {}))


def of_group(found, name):
    return {pod: node for pod, node in found.nodes.items() if pod.startswith(f"{name}-")}


@BOTH
def test_members_wait_until_enough_are_there(version):
    found = story(node("a"), gang("g", 3, version), version=version)
    first, second, third = members("g", 3)
    found.create(0, first).create(3, second).create(8, third).play()
    told = [line for line in found.told if "Scheduled" in line]
    assert sorted(told) == ["8 Scheduled g-0 a", "8 Scheduled g-1 a", "8 Scheduled g-2 a"]
    assert found.of("g-0")[0] == "0 Gated GangScheduling"


@BOTH
def test_a_group_that_has_no_room_is_tried_again_once_a_pod_goes(version):
    big = pod("big", on="a", cpu="3", terminationGracePeriodSeconds=0)
    found = story(node("a", cpu="4"), big, gang("g", 2, version), *members("g", 2, cpu="2"), version=version)
    found.delete(7, "Pod", "big").play()
    assert of_group(found, "g") == {"g-0": "a", "g-1": "a"}
    failed = [line for line in found.of("g-0") if "FailedScheduling" in line]
    assert all(line.endswith("-> Backoff") for line in failed)
    assert [line.split()[0] for line in failed] == ["0", "2", "5"], "it backs off"
    assert found.of("g-0")[-1] == "10 Scheduled a"


def test_one_that_is_never_helped_is_not_tried_without_end():
    found = story(node("a", cpu="1"), gang("g", 2), *members("g", 2, cpu="2")).play()
    assert of_group(found, "g") == {"g-0": "", "g-1": ""}
    assert sum("FailedScheduling" in line for line in found.told) == 2


def test_a_group_evicts_together_and_is_placed_once_its_victims_are_gone():
    nodes = [node(name, cpu="2") for name in "ab"]
    low = [pod(f"low-{name}", on=name, cpu="2", priority=0) for name in "ab"]
    wanted = members("g", 2, cpu="2", priority=100)
    found = story(*nodes, *low, gang("g", 2, priority=100), *wanted).play()
    assert [line for line in found.told if "Preempted" in line] == [
        "0 Preempted low-a a by group default/g",
        "0 Preempted low-b b by group default/g",
    ]
    assert of_group(found, "g") == {"g-0": "a", "g-1": "b"}
    scheduled = [line for line in found.told if " Scheduled g" in line]
    assert [line.split()[0] for line in scheduled] == ["30", "30"]


def test_a_gated_member_keeps_its_whole_group_back():
    first, second = members("g", 2)
    held = {**second, "spec": second["spec"] | {"schedulingGates": [{"name": "later"}]}}
    found = story(node("a"), gang("g", 1), first, held)
    found.change(5, "Pod", "g-1", {"spec.schedulingGates": []}).play()
    assert found.of("g-0")[0] == "0 Gated SchedulingGates"
    assert found.of("g-0")[-1] == "5 Scheduled a"
    assert of_group(found, "g") == {"g-0": "a", "g-1": "a"}


def test_in_1_36_it_keeps_back_itself_alone():
    first, second = members("g", 2)
    held = {**second, "spec": second["spec"] | {"schedulingGates": [{"name": "later"}]}}
    found = story(node("a"), gang("g", 1, V1_36), first, held, version=V1_36).play()
    assert of_group(found, "g") == {"g-0": "a", "g-1": ""}


def test_members_wait_for_their_group_to_be_there():
    found = story(node("a"), *members("g", 2)).create(4, gang("g", 2)).play()
    assert found.of("g-0") == [
        "0 Gated GangScheduling",
        "4 Queued Active ForceActivate",
        "4 Scheduled a",
    ]


def test_the_group_of_higher_priority_comes_first():
    """By the priority of the group, whatever came before it."""
    room = node("a", cpu="2")
    found = story(room, gang("g", 2), *members("g", 2, cpu="1"), gang("h", 2, priority=5))
    found.create(0, *members("h", 2, cpu="1", priority=5)).play()
    assert of_group(found, "h") == {"h-0": "a", "h-1": "a"}


def test_more_than_minimum_are_placed_and_the_rest_waits():
    found = story(node("a", cpu="4"), gang("g", 2), *members("g", 3, cpu="2")).play()
    assert of_group(found, "g") == {"g-0": "a", "g-1": "a", "g-2": ""}


def test_a_composite_group_waits_as_one():
    gates = {"TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
    tree = [composite("c", 2), *(gang(name, 1, parent="c") for name in "gh")]
    found = story(node("a"), *tree, *members("g", 1), gates=gates).create(3, *members("h", 1)).play()
    assert found.of("g-0")[0] == "0 Gated GangScheduling"
    assert [found.of(name)[-1] for name in ("g-0", "h-0")] == ["3 Scheduled a"] * 2


# 1.35: no cycle of groups, but members that have a node wait for each other


def workload(count):
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha1",
        "kind": "Workload",
        "metadata": {"name": "w", "namespace": "default"},
        "spec": {"podGroups": [{"name": "g", "policy": {"gang": {"minCount": count}}}]},
    }


def workers(count, **spec):
    return [pod(f"g-{i}", workloadRef={"name": "w", "podGroup": "g"}, **spec) for i in range(count)]


def old_story(*objects):
    gates = {"GenericWorkload": True, "GangScheduling": True}
    return Story(*objects, version=version_of("1.35"), gates=gates)


def test_in_1_35_members_wait_for_each_other_once_they_are_placed():
    found = old_story(node("a"), workload(2), *workers(2)).play()
    assert "0 WaitingOnPermit a for GangScheduling" in found.of("g-0")
    assert [line for line in found.told if " Scheduled " in line] == [
        "0 Scheduled g-1 a",
        "0 Scheduled g-0 a",
    ]


def test_in_1_35_placed_members_hold_their_room_for_five_minutes_in_all():
    nodes = node("a", cpu="2")
    found = old_story(nodes, workload(2), *workers(2, cpu="2")).create(30, pod("other", cpu="2")).play()
    first, second = found.of("g-0"), found.of("g-1")
    assert "0 WaitingOnPermit a for GangScheduling" in first
    assert any(line.startswith("0 FailedScheduling") for line in second)
    assert found.nodes == {"g-0": "", "g-1": "", "other": "a"}
    waits = [line.split()[:3] for line in found.told if "WaitingOnPermit" in line]
    assert waits == [["0", "WaitingOnPermit", "g-0"], ["300", "WaitingOnPermit", "g-1"]], "they take turns"
    assert found.of("other")[-1] == "600 Scheduled a"


def test_in_1_35_those_that_come_later_give_up_with_the_first():
    small = workers(3, cpu="1")
    found = (
        old_story(node("a", cpu="2"), workload(3), small[0])
        .create(0, small[2])
        .create(100, small[1])
        .play(500)
    )
    assert found.of("g-0")[0].endswith("Gated GangScheduling")
    ends = {line.split()[0] for line in found.told if "FailedScheduling" in line and "GangScheduling" in line}
    assert ends == {"400"}


def test_in_1_35_the_workload_may_come_last():
    found = old_story(node("a"), *workers(2)).create(9, workload(2)).play()
    assert {line for line in found.told if " Scheduled " in line} == {
        "9 Scheduled g-0 a",
        "9 Scheduled g-1 a",
    }
