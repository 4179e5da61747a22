"""The whole loop in time: preemption in flight, what wakes whom, bindings that fail, nodes that go (spec 08)."""

import pytest
from builders import ZONE, node, pod, session
from msgspec.structs import replace
from run_builders import Story

from kschedctl.errors import EndlessError
from kschedctl.framework.versions import version_of
from kschedctl.objects.pod import PodStatus
from kschedctl.run.api_server import with_metadata
from kschedctl.run.run import Run, RunOptions
from kschedctl.run.story import Happening


def full_nodes(*names, grace=30, cpu="2"):
    """Nodes of 2 cpu with a pod of low priority that takes all of it."""
    nodes = [node(name, cpu="2") for name in names]
    pods = [
        pod(f"low-{name}", on=name, cpu=cpu, priority=0, terminationGracePeriodSeconds=grace)
        for name in names
    ]
    return [*nodes, *pods]


def high(name, cpu="2", priority=100, **more):
    return pod(name, cpu=cpu, priority=priority, **more)


def test_a_preemptor_waits_until_its_victim_is_gone():
    story = Story(full_nodes("a")).create(0, high("x")).play()
    assert story.told == [
        "0 Queued x Active UnschedulablePodAdd",
        "0 FailedScheduling x NodeResourcesFit -> Unschedulable",
        "0 Preempted low-a a by x",
        "0 Nominated x a",
        "30 Gone low-a",
        "30 Queued x Active AssignedPodDelete",
        "30 Scheduled x a",
    ]


def test_the_scheduler_goes_on_while_victims_terminate():
    """One victim on each node, although the first node has room for all once its pods are gone."""
    nodes = [node(name, cpu="2") for name in "abc"]
    low = [
        pod(f"low-{name}{i}", on=name, cpu="1", priority=0, start=f"2025-01-0{i}T00:00:00Z")
        for name in "abc"
        for i in (1, 2)
    ]
    story = Story(nodes, low).create(0, *(high(f"x{i}", cpu="1") for i in range(3))).play()
    assert [story.nodes[f"x{i}"] for i in range(3)] == ["a", "b", "c"]
    assert [line for line in story.told if "Preempted" in line] == [
        "0 Preempted low-a2 a by x0",
        "0 Preempted low-b2 b by x1",
        "0 Preempted low-c2 c by x2",
    ]


def test_a_higher_pod_takes_the_room_and_the_preemptor_starts_anew():
    story = Story(full_nodes("a")).create(0, high("x")).create(10, high("y", priority=200)).play()
    assert story.nodes == {"y": "a", "x": ""}
    assert [line for line in story.told if "Nominated" in line] == [
        "0 Nominated x a",
        "10 Nominated y a",
        "30 Nominated x -",
    ]


def test_terminating_victims_are_not_evicted_again():
    story = Story(full_nodes("a")).create(0, high("x")).create(10, high("y", priority=200)).play()
    assert [line for line in story.told if "Preempted" in line] == ["0 Preempted low-a a by x"]


def test_a_lower_pod_cannot_take_the_room_that_is_kept():
    story = Story(full_nodes("a")).create(0, high("x")).create(10, pod("late", cpu="1", priority=5)).play()
    assert story.nodes == {"x": "a", "late": ""}


def test_grace_periods_and_exits():
    story = Story(full_nodes("a", grace=60), exit_after=2).create(0, high("x")).play()
    assert "2 Gone low-a" in story.told


def test_without_grace_the_victim_is_gone_at_once():
    story = Story(full_nodes("a", grace=0)).create(0, high("x")).play()
    assert story.told[-2:] == ["0 Queued x Backoff AssignedPodDelete", "0 Scheduled x a"]


def test_ends_may_take_a_time_at_least():
    """So nobody takes the room of a victim without a grace period before the cycles of its instant are over."""
    story = Story(full_nodes("a", grace=0), shortest_end=1).create(0, high("x")).play()
    assert story.told[-3:] == ["1 Gone low-a", "1 Queued x Backoff AssignedPodDelete", "1 Scheduled x a"]


@pytest.mark.parametrize(
    ("order", "first"),
    [
        pytest.param(None, "a-late", id="by name"),
        pytest.param(["b-early", "a-late"], "b-early", id="in the order of arrival that is given"),
    ],
)
def test_who_waits_at_the_beginning(order, first):
    found = session(node("n", cpu="4"), pod("a-late", cpu="3"), pod("b-early", cpu="3"))
    waiting = order and [found.find("default", name) for name in order]
    run = Run(found.cluster, found.scheduler, RunOptions(waiting=waiting))
    run.run()
    assert [made.name for made in run.api.pods.values() if made.node_name] == [first]


def test_binding_gives_the_labels_of_the_node():
    zone = {"topology.kubernetes.io/zone": "z1"}
    story = Story(node("a", zone="z1")).create(0, pod("x", labels={"app": "x"})).play()
    bound = story.run.api.pods["default/x"]
    assert bound.labels == {"app": "x", **zone}
    assert story.run.view.records["default/x"].pod.labels == bound.labels


def test_somebody_hears_what_happens_and_is_decided():
    heard, decided = [], []
    Story(node("a"), hears=heard.append, decided=decided.append).create(0, pod("x")).play()
    assert [event.happening for event in heard] == [Happening.QUEUED, Happening.SCHEDULED]
    assert [decision.selected_node for decision in decided] == ["a"]


@pytest.mark.parametrize(
    ("grace", "gone"),
    [
        pytest.param(5, "6 Gone low-a", id="a shorter grace counts"),
        pytest.param(50, "30 Gone low-a", id="a longer one does not"),
    ],
)
def test_a_second_deletion(grace, gone):
    story = Story(full_nodes("a")).delete(0, "Pod", "low-a").delete(1, "Pod", "low-a", grace).play()
    assert story.of("low-a") == [gone.replace(" low-a", "")]


class Again:
    """A controller that makes a pod of the same name once the old one is gone."""

    def replacements(self, pod, *, gone):
        if gone and pod.name.startswith("low"):
            fresh = with_metadata(pod, deletion_timestamp=None, uid="")
            yield replace(fresh, status=PodStatus(), node_name="")


def test_replacements_compete_at_once():
    story = Story(full_nodes("a"), controllers=Again()).create(0, high("x")).play()
    assert story.nodes == {"x": "a", "low-a": ""}
    assert story.of("low-a")[-2:] == [
        "30 Queued Active UnschedulablePodAdd",
        "30 FailedScheduling NodeResourcesFit -> Unschedulable",
    ]


def test_a_new_pod_of_an_old_name_is_another_one():
    story = Story(full_nodes("a"), controllers=Again()).create(0, high("x")).play()
    assert story.run.api.pods["default/low-a"].uid == "default/low-a#2"


def test_bindings_that_fail():
    story = Story(node("a"), refused_bindings=["default/x"]).create(0, pod("x", cpu="1")).play(until=10)
    assert story.told == [
        "0 Queued x Active UnschedulablePodAdd",
        "0 FailedScheduling x -> Backoff",
        "2 Queued x Active BackoffComplete",
        "2 Scheduled x a",
    ]


def test_a_binding_that_fails_frees_its_room_for_others():
    story = Story(node("a", cpu="1"), pod("e", on="a", cpu="1"), refused_bindings=["default/x"])
    story.create(0, high("x", cpu="1", priority=5), pod("y", cpu="1")).delete(9, "Pod", "e", 0).play(until=9)
    assert story.nodes == {"x": "", "y": "a"}


def test_the_node_told_before_a_binding_that_fails_stays_told():
    """The scheduler clears what it has seen, and it has not seen yet what it wrote itself."""
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c"},
        "spec": {},
    }
    waiting = pod("x", resourceClaims=[{"name": "r", "resourceClaimName": "c"}])
    story = Story(node("a"), claim, refused_bindings=["default/x"]).create(0, waiting).play(until=5)
    assert story.of("x") == [
        "0 Queued Active UnschedulablePodAdd",
        "0 FailedScheduling -> Backoff",
        "0 Nominated a",
        "2 Queued Active BackoffComplete",
        "2 Scheduled a",
    ]


def test_nodes_wake_whom_they_may_help():
    story = Story(node("a", cpu="1")).create(0, pod("big", cpu="4"), pod("huge", cpu="40"))
    story.create(5, node("b", cpu="8")).play()
    assert story.of("big")[-2:] == ["5 Queued Active NodeAdd", "5 Scheduled b"]
    assert story.of("huge")[-1] == "0 FailedScheduling NodeResourcesFit -> Unschedulable"


def test_without_nodes_pods_wait_as_after_errors():
    story = Story().create(0, pod("x")).create(9, node("a")).play(until=20)
    assert story.of("x")[1:4] == [
        "0 FailedScheduling -> Backoff",
        "2 Queued Active BackoffComplete",
        "2 FailedScheduling -> Backoff",
    ]
    assert story.nodes == {"x": "a"}


def test_pods_of_a_node_that_comes_back_count_again():
    story = Story(node("a", cpu="2"), pod("e", on="a", cpu="2"))
    story.delete(1, "Node", "a").create(3, node("a", cpu="2")).create(5, pod("x", cpu="1")).play()
    assert story.nodes == {"e": "a", "x": ""}


def test_a_pod_on_a_missing_node_can_go_and_come():
    story = Story(node("a"), pod("e", on="gone", cpu="4"))
    story.change(1, "Pod", "e", {"metadata.labels": {"x": "y"}}).create(2, node("gone", cpu="4"))
    story.create(3, pod("x", cpu="4", nodeSelector={"kubernetes.io/hostname": "gone"})).delete(
        4, "Pod", "e", 0
    )
    assert story.play().of("x")[-2:] == ["4 Queued Backoff AssignedPodDelete", "4 Scheduled gone"]


def test_pods_that_are_done_leave_their_room():
    story = Story(full_nodes("a")).create(0, pod("x", cpu="2"))
    story.change(5, "Pod", "low-a", {"status.phase": "Succeeded"}).play()
    assert story.of("x")[-1] == "5 Scheduled a"


def test_gates_hold_a_pod_until_the_last_is_gone():
    gates = [{"name": "example.com/a"}]
    story = Story(node("a")).create(0, pod("x", schedulingGates=gates))
    story.change(4, "Pod", "x", {"spec.schedulingGates": []}).play()
    assert story.told == [
        "0 Gated x SchedulingGates",
        "4 Queued x Active UnschedulablePodUpdatePodSchedulingGatesEliminated",
        "4 Scheduled x a",
    ]


def test_a_gate_that_comes_after_a_failure_holds_at_the_next_move():
    story = Story(full_nodes("a")).create(0, pod("x", cpu="2"))
    story.change(4, "Pod", "x", {"spec.schedulingGates": [{"name": "example.com/a"}]})
    assert story.delete(9, "Pod", "low-a", 0).play().of("x")[-1] == "9 Gated SchedulingGates"


def test_a_nominated_pod_that_goes_wakes_those_below():
    story = Story(full_nodes("a")).create(0, high("x")).create(1, pod("y", cpu="1", priority=5))
    story.delete(40, "Pod", "x").delete(20, "Pod", "x").play()
    assert "20 Queued y Active AssignedPodDelete" in story.told


def test_the_flush_after_five_minutes():
    story = Story(full_nodes("a")).create(0, pod("x", cpu="2")).play(until=400)
    assert story.of("x")[-2:] == [
        "330 Queued Active UnschedulableTimeout",
        "330 FailedScheduling NodeResourcesFit -> Unschedulable",
    ]


@pytest.mark.parametrize(
    ("version", "names"),
    [
        pytest.param(
            "1.36", ["UnschedulablePodAdd", "NodeUpdateNodeTaint"], id="1.36: taints wake whom nodes wake"
        ),
        pytest.param("1.37", ["UnscheduledPodAdd"], id="1.37: they do not"),
    ],
)
def test_what_uncordoning_wakes(version, names):
    story = Story(full_nodes("a"), version=version_of(version)).create(0, pod("x", cpu="2"))
    story.change(3, "Node", "a", {"spec.taints": [{"key": "k", "effect": "PreferNoSchedule"}]}).play()
    assert [line.split()[-1] for line in story.of("x") if "Queued" in line] == names


@pytest.mark.parametrize(
    ("version", "woken_again"),
    [
        pytest.param("1.34", True, id="1.34: as if the room that was kept were free"),
        pytest.param("1.35", False, id="1.35: not"),
    ],
)
def test_whom_a_preemptor_wakes_that_gets_its_place(version, woken_again):
    patient = high("patient", cpu="2", preemptionPolicy="Never")
    story = Story(full_nodes("a"), version=version_of(version)).create(0, patient, high("x", cpu="1")).play()
    assert ("30 Queued Backoff AssignedPodDelete" in story.of("patient")) is woken_again
    assert story.run.api.pods["default/x"].nominated_node_name == ("a" if woken_again else "")


def test_pods_that_never_come_to_rest_are_named(monkeypatch):
    monkeypatch.setattr("kschedctl.run.run.MAX_CYCLES", 2)
    monkeypatch.setattr("kschedctl.run.run.CYCLES_A_POD", 0)
    story = Story(node("a")).create(0, *(pod(name) for name in "xyz"))
    with pytest.raises(EndlessError, match=r"do not come to rest 0 s .* default/x \(1 times\)"):
        story.play()


class Stubborn:
    """A controller whose template names the node: what it makes anew is there at once."""

    def __init__(self):
        self.made = 0

    def replacements(self, pod, *, gone):
        if not gone and pod.metadata.controller is not None:
            self.made += 1
            yield with_metadata(pod, deletion_timestamp=None, uid="", name=f"red-{self.made}")


def test_pods_that_are_evicted_for_ever_are_named(monkeypatch):
    monkeypatch.setattr("kschedctl.run.run.MOST_EVICTIONS", 10)
    monkeypatch.setattr("kschedctl.run.run.EVICTIONS_A_POD", 0)
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "red"}
    red = pod("red", on="a", cpu="2", priority=0, owner=owner)
    story = Story(node("a", cpu="2"), red, controllers=Stubborn())
    story.create(0, pod("blue", cpu="2", priority=5))
    with pytest.raises(
        EndlessError, match=r"without end: 300 s .* pods of default/ReplicaSet/red \(11 times\)"
    ):
        story.play()


def test_a_zone_that_changes_before_the_first_cycle_changes_the_order_of_nodes():
    """Later it does not, until a node comes or goes: the order is that of the snapshot."""
    for at, order in ((0, ["b", "c", "a"]), (2, ["a", "b", "c"])):
        story = Story(node("a", zone="z1"), node("b", zone="z2"), node("c", zone="z2"))
        story.create(1, pod("x")).change(at, "Node", "a", {"metadata.labels": {ZONE: "z2"}}).play()
        names = story.run.view.cluster.nodes.names
        assert [names[row] for row in story.run.view.cluster.present.order] == order
