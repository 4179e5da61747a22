"""Groups as 1.36 schedules them: members wait one by one, each is tried, Permit counts (spec 07 §12)."""

from typing import ClassVar

import pytest
from builders import ZONE, node, pod
from gang_builders import group, members, play

TWO = [node("a"), node("b")]
FULL = [pod(f"{n}{i}", n, cpu="2", priority=0, start="2026-01-01T00:00:00Z") for n in "ab" for i in range(2)]
HIGH = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "high"},
    "value": 9,
}
NO_QUORUM = "pod group is unschedulable"


@pytest.mark.parametrize(
    ("objects", "pods", "lines"),
    [
        pytest.param(
            [*TWO, group("g", 3)],
            members("g", 3, cpu="2"),
            ["g: Scheduled; g-2 a, g-0 b, g-1 a"],
            id="the member that completes the gang comes first",
        ),
        pytest.param([*TWO, group("g", 3)], members("g", 2, cpu="2"), [], id="too few members wait"),
        pytest.param([*TWO], members("g", 2, cpu="2"), [], id="members without their group wait"),
        pytest.param(
            [*TWO, group("g", 3)],
            members("g", 6, cpu="2"),
            ["g: Scheduled; g-2 a, g-0 b, g-1 a, g-3 b, g-4 -, g-5 -"],
            id="more than enough is placed as far as it fits",
        ),
        pytest.param(
            [*TWO, group("g", 5)],
            members("g", 6, cpu="2"),
            [f"g: Unschedulable ({NO_QUORUM}); g-4 -, g-0 -, g-1 -, g-2 -, g-3 -, g-5 -"],
            id="less than enough is placed not at all",
        ),
        pytest.param(
            [*TWO, group("g")],
            members("g", 6, cpu="2"),
            ["g: Scheduled; g-0 a, g-1 b, g-2 a, g-3 b, g-4 -, g-5 -"],
            id="a basic group is no gang",
        ),
        pytest.param(
            [*TWO, group("g", 2)],
            [*members("g", 1, cpu="1"), pod("p", cpu="1"), *members("g", 2, cpu="1")[1:]],
            ["g: Scheduled; g-1 a, g-0 b", "p: a"],
            id="a member that waits for others keeps its place in the queue",
        ),
    ],
)
def test_a_gang_is_placed_together_or_not_at_all(objects, pods, lines):
    assert play(objects, pods) == lines


def test_without_the_plugin_one_placed_member_is_enough():
    lines = play([*TWO, group("g", 5)], members("g", 6, cpu="3"), gates={"GangScheduling": False})
    assert lines == ["g: Scheduled; g-0 a, g-1 b, g-2 -, g-3 -, g-4 -, g-5 -"]


class TestPreemption:
    def test_members_preempt_one_by_one_and_wait_for_each_other(self):
        waits = "pod group is unschedulable, pod group is waiting for preemption to complete"
        assert play(
            [*TWO, *FULL, group("g", 2), HIGH], members("g", 2, cpu="4", priorityClassName="high")
        ) == [
            f"g: WaitingForPreemption ({waits}) evicts a0 a1 b0 b1; g-1 - to a, g-0 - to b",
            "g: Scheduled; g-1 a, g-0 b",
        ]

    def test_a_group_preempts_as_one_where_the_gate_is_on(self):
        gang = group("g", 3, priorityClassName="high")
        pods = members("g", 3, cpu="2", priorityClassName="high")
        assert play([*TWO, *FULL, gang, HIGH], pods, gates={"WorkloadAwarePreemption": True}) == [
            "g: WaitingForPreemption (pod group is unschedulable) evicts a1 b0 b1; g-2 -, g-0 -, g-1 -",
            "g: Scheduled; g-2 b, g-0 a, g-1 b",
        ]

    def test_pods_of_a_group_that_is_disrupted_together_all_go(self):
        lower = group("low", disruptionMode="PodGroup")
        held = [p | {"spec": p["spec"] | {"schedulingGroup": {"podGroupName": "low"}}} for p in FULL]
        gang = group("g", 1, priorityClassName="high")
        pods = members("g", 1, cpu="2", priorityClassName="high")
        [first, _] = play([*TWO, *held, lower, gang, HIGH], pods, gates={"WorkloadAwarePreemption": True})
        assert first == "g: WaitingForPreemption (pod group is unschedulable) evicts a0 a1 b0 b1; g-0 -"

    def test_never_is_said_for_the_whole_group(self):
        gang = group("g", 1, priorityClassName="high")
        pods = members("g", 1, cpu="2", priorityClassName="high", preemptionPolicy="Never")
        never = HIGH | {"preemptionPolicy": "Never"}
        lines = play([*TWO, *FULL, gang, never], pods, gates={"WorkloadAwarePreemption": True})
        text = "pod group is unschedulable, not eligible due to preemptionPolicy=Never."
        assert lines == [f"g: Unschedulable ({text}); g-0 -"]


class TestTopology:
    ZONES: ClassVar = (node("a1", "a"), node("a2", "a", cpu="2"), node("b1", "b"), node("b2", "b"))
    ON: ClassVar = {"TopologyAwareWorkloadScheduling": True}

    def test_a_group_stays_in_one_domain(self):
        lines = play([*self.ZONES, group("g", 4, key=ZONE)], members("g", 4, cpu="2"), gates=self.ON)
        assert lines == ["g: Scheduled; g-3 b1, g-0 b2, g-1 b1, g-2 b2"]

    def test_members_that_run_already_fix_the_domain(self):
        running = pod("g-r", "a1", cpu="1", schedulingGroup={"podGroupName": "g"})
        lines = play([*self.ZONES, group("g", 1, key=ZONE), running], members("g", 1), gates=self.ON)
        assert lines == ["g: Scheduled; g-0 a2"]

    def test_a_group_that_runs_in_two_domains_ends_in_an_error(self):
        running = [pod(f"g-{on}", on, cpu="1", schedulingGroup={"podGroupName": "g"}) for on in ("a1", "b1")]
        [line] = play([*self.ZONES, group("g", 1, key=ZONE), *running], members("g", 1), gates=self.ON)
        assert "more than 1 domain found for pod group: a, b" in line

    def test_where_no_domain_has_room_the_first_one_is_told(self):
        lines = play([*self.ZONES, group("g", 5, key=ZONE)], members("g", 5, cpu="2"), gates=self.ON)
        text = "0/2 placements are available, first placement status: pod group is unschedulable"
        assert lines == [f"g: Unschedulable ({text}); g-4 -, g-0 -, g-1 -, g-2 -, g-3 -"]

    def test_a_label_that_no_node_has_leaves_nothing(self):
        lines = play([*self.ZONES, group("g", 1, key="rack")], members("g", 1), gates=self.ON)
        assert lines == ["g: Unschedulable (no feasible placements found); g-0 -"]

    def test_without_the_gate_the_constraint_is_dropped(self):
        lines = play([*self.ZONES, group("g", 5, key=ZONE)], members("g", 5, cpu="2"))
        assert lines[0].startswith("g: Scheduled")


def test_nominations_of_the_group_hold_nothing_for_its_own_members():
    nominated = [
        p | {"status": {"nominatedNodeName": "a"}} for p in members("g", 1, cpu="4", priorityClassName="high")
    ]
    other = members("g", 2, cpu="4", priorityClassName="high")[1:]
    objects = [node("a"), group("g", 1, priorityClassName="high"), HIGH]
    lines = play(objects, [*other, *nominated], gates={"WorkloadAwarePreemption": True})
    assert lines[0] == "g: Scheduled; g-1 a, g-0 -"


@pytest.mark.parametrize("names", [("default-scheduler", "other"), ("other", "default-scheduler")])
def test_members_of_two_schedulers_end_in_an_error(names):
    pods = [
        p | {"spec": p["spec"] | {"schedulerName": n}} for p, n in zip(members("g", 2), names, strict=True)
    ]
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "other"}],
    }
    [line] = play([*TWO, group("g", 2)], pods, config=config)
    text = "all pods in a single pod group should have the same .spec.schedulerName set"
    assert f'{text}, got: "{names[0]}" and "{names[1]}"' in line


def test_affinity_of_members_placed_in_the_cycle_is_overlooked():
    """kube-scheduler 1.36 does not add their nodes to the list by which it finds pods with terms."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    running = [pod(f"w{n}", n, cpu="100m", labels={"app": "web"}) for n in "ab"]
    pods = members("g", 2, cpu="1", labels={"app": "web"}, affinity=affinity)
    assert play([*TWO, *running, group("g", 2)], pods) == ["g: Scheduled; g-1 a, g-0 b"]
