"""Groups as 1.37 schedules them: one entity in the queue, given up early, preempting as a whole (spec 07 §4 to §9)."""

from functools import partial

import pytest
from builders import ZONE, node, pod
from gang_builders import composite, group, members
from gang_builders import play as play_in

from kschedctl.framework.versions import version_of

V1_37 = version_of("1.37")
TWO = [node("a"), node("b")]
FULL = [pod(f"{n}{i}", n, cpu="2", priority=0, start="2026-01-01T00:00:00Z") for n in "ab" for i in range(2)]
HIGH = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 9,
}
TREES = {"TopologyAwareWorkloadScheduling": True, "CompositePodGroup": True}
CLAIMS = "deallocation and deletion of ResourceClaims completed"
NO_VICTIMS = "pod group preemption: No preemption victims found for incoming preemptor"

play = partial(play_in, version=V1_37)
gang = partial(group, version="1.37")


class TestWorkedExamples:
    """Those of spec 07 §15."""

    def test_what_is_more_than_enough_has_a_second_cycle_at_once(self):
        assert play([*TWO, gang("g", 3)], members("g", 6, cpu="2")) == [
            "g: Scheduled; g-0 a, g-1 b, g-2 a, g-3 b, g-4 -, g-5 -",
            f"g: Unschedulable (pod group is unschedulable, {NO_VICTIMS}); g-4 -, g-5 -",
        ]

    def test_less_than_enough_is_given_up_once_that_is_sure(self):
        text = f"minCount (5) cannot be satisfied: 4 scheduled, 0 remaining, {NO_VICTIMS}"
        assert play([*TWO, gang("g", 5)], members("g", 6, cpu="2")) == [
            f"g: Unschedulable ({text}); g-0 -, g-1 -, g-2 -, g-3 -, g-4 -, g-5 -"
        ]

    def test_a_group_preempts_for_all_its_members(self):
        objects = [*TWO, *FULL, gang("g", 3, priorityClassName="high"), HIGH]
        text = "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining"
        assert play(objects, members("g", 3, cpu="2", priorityClassName="high")) == [
            f"g: WaitingForPreemption ({text}, pod group preemption: found a placement for podgroup, "
            "preempting 3 victims) evicts a0 a1 b1; g-0 - to a, g-1 - to b, g-2 - to a",
            "g: Scheduled; g-0 a, g-1 b, g-2 a",
        ]


def test_the_priority_of_the_group_decides_its_place():
    objects = [*TWO, HIGH, gang("late", 2, priorityClassName="high")]
    pods = [pod("p", cpu="1"), *members("late", 2, cpu="4", priorityClassName="high")]
    assert play(objects, pods)[0] == "late: Scheduled; late-0 a, late-1 b"


def test_one_gated_member_keeps_all_others_back():
    gated = members("g", 1, schedulingGates=[{"name": "wait"}])
    assert play([*TWO, gang("g", 1)], [*gated, *members("g", 3)[1:]]) == []


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        pytest.param(
            {"priorityClassName": "high"},
            "should have the same priority as the pod group's priority, got 9 and 0",
            id="priority",
        ),
        pytest.param(
            {"priorityClassName": "never"},
            "should have the same preemption policy, got Never and PreemptLowerPriority",
            id="policy",
        ),
    ],
)
def test_members_that_differ_end_in_an_error(spec, text):
    never = HIGH | {"metadata": {"name": "never"}, "value": 0, "preemptionPolicy": "Never"}
    pods = [*members("g", 1), *members("g", 2, **spec)[1:]]
    [line] = play([*TWO, HIGH, never, gang("g", 2)], pods)
    assert text in line


class TestComposite:
    def test_children_are_placed_together(self):
        objects = [*TWO, composite("root", 2), gang("l", 2, parent="root"), gang("m", 1, parent="root")]
        pods = [*members("l", 2, cpu="2"), *members("m", 1, cpu="2")]
        assert play(objects, pods, gates=TREES) == ["root: Scheduled; l-0 a, l-1 b, m-0 a"]

    def test_without_enough_children_nothing_is_placed(self):
        objects = [*TWO, composite("root", 2), gang("l", 2, parent="root"), gang("m", 1, parent="root")]
        [line] = play(objects, [*members("l", 2, cpu="2"), *members("m", 1, cpu="9")], gates=TREES)
        assert line.startswith(
            "root: Unschedulable (pod group is unschedulable, 0/1 placements are available"
        )
        assert line.endswith("; l-0 -, l-1 -, m-0 -")

    def test_a_child_that_is_not_needed_may_fail(self):
        objects = [*TWO, composite("root", 1), gang("l", 2, parent="root"), gang("m", 1, parent="root")]
        [first, *_] = play(objects, [*members("l", 2, cpu="2"), *members("m", 1, cpu="9")], gates=TREES)
        assert first == "root: Scheduled; l-0 a, l-1 b, m-0 -"

    def test_a_domain_holds_for_the_whole_tree(self):
        zones = [node("a", "za"), node("b", "zb"), node("c", "zb")]
        objects = [*zones, composite("root", 2, key=ZONE)]
        objects += [gang("l", 2, parent="root"), gang("m", 2, parent="root")]
        pods = [*members("l", 2, cpu="2"), *members("m", 2, cpu="2")]
        assert play(objects, pods, gates=TREES) == ["root: Scheduled; l-0 b, l-1 c, m-0 b, m-1 c"]

    @pytest.mark.parametrize(
        "objects",
        [
            pytest.param([gang("l", 1, parent="root")], id="the composite group is missing"),
            pytest.param([composite("root", 2), gang("l", 1, parent="root")], id="a child is missing"),
            pytest.param([composite("root", 1), gang("l", 2, parent="root")], id="a member is missing"),
        ],
    )
    def test_an_incomplete_tree_waits(self, objects):
        assert play([*TWO, *objects], members("l", 1), gates=TREES) == []

    def test_without_the_gate_children_are_groups_of_their_own(self):
        objects = [*TWO, composite("root", 2), gang("l", 1, parent="root")]
        assert play(objects, members("l", 1)) == ["l: Scheduled; l-0 a"]


def test_a_group_of_which_no_member_is_evaluated_ends_in_an_error():
    """Its DynamicResources looks for what PreFilter left of some member."""
    waiting = members("g", 2)[1:]
    leaving = members("g", 1)
    leaving[0]["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    [line] = play([*TWO, gang("g", 2)], [*leaving, *waiting])
    assert line == 'g: Error (error in "DynamicResources" PodGroupPostFilter plugins: not found); g-1 -'
