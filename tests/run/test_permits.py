"""Pods that wait for Permit with a node reserved (spec 01 §7)."""

import pytest
from builders import node, pod
from dra_builders import claim as gpu
from dra_builders import device_class, devices, exactly, resource_slice
from run_builders import Story
from storage_builders import claim, local_class, volume

from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.plugin import PERMITTED, PermitResult, Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.status import Code, Status
from kschedctl.run.story import Happening


class Pairs(Plugin):
    """Pods with the label `pair` go two at a time; one labelled `alone` sends waiting ones away."""

    spec = PluginSpec(name="Pairs", points=frozenset({P.PERMIT}))

    def permit(self, pod, state, cluster, row, waiting):
        if "alone" in pod.pod.labels:
            return PermitResult(turns_away=tuple(other.id for other in waiting))
        if "pair" not in pod.pod.labels:
            return PERMITTED
        if not waiting:
            return PermitResult(wait=60, reason="its twin is not there")
        return PermitResult(lets_go=(waiting[0].id,))


class Slow(Pairs):
    """The same with more patience."""

    spec = PluginSpec(name="Slow", points=frozenset({P.PERMIT}))

    def permit(self, pod, state, cluster, row, waiting):
        answer = super().permit(pod, state, cluster, row, waiting)
        return PermitResult(wait=6000) if answer.wait else answer


class Refuses(Plugin):
    """Permits nothing."""

    spec = PluginSpec(name="Refuses", points=frozenset({P.PERMIT}))
    answer = Status(Code.UNSCHEDULABLE, ("not today",))

    def permit(self, pod, state, cluster, row, waiting):
        return PermitResult(status=self.answer)


class Fails(Refuses):
    """Cannot tell."""

    spec = PluginSpec(name="Fails", points=frozenset({P.PERMIT}))
    answer = Status(Code.ERROR, ("cannot tell",))


def twin(name, **more):
    return pod(name, cpu="1", labels={"pair": "yes"}, **more)


def messages(story, name):
    return [e.message for e in story.run.story.events if e.pod == f"default/{name}" and e.message]


def test_a_pod_waits_until_another_one_lets_it_go():
    story = Story(node("n1", cpu="2"), plugins=[Pairs]).create(0, twin("a")).create(5, twin("b")).play()
    assert story.of("a") == [
        "0 Queued Active UnschedulablePodAdd",
        "0 WaitingOnPermit n1 for Pairs",
        "5 Scheduled n1",
    ]
    assert story.of("b")[-1] == "5 Scheduled n1"
    assert messages(story, "a") == ["its twin is not there"]


def test_what_a_waiting_pod_holds_is_taken():
    story = Story(node("n1", cpu="1"), plugins=[Pairs]).create(0, twin("a")).create(1, pod("c", cpu="1"))
    story.play(until=2)
    assert story.of("c")[-1] == "1 FailedScheduling NodeResourcesFit -> Unschedulable"


def test_a_wait_that_times_out_gives_everything_back():
    story = (
        Story(node("n1", cpu="1"), plugins=[Pairs])
        .create(0, twin("a"))
        .create(1, pod("c", cpu="1"))
        .play(until=70)
    )
    assert story.of("a")[2:] == ["60 FailedScheduling Pairs -> Unschedulable"]
    assert messages(story, "a")[-1] == (
        "0/1 nodes are available: 1 rejected due to timeout after waiting 1m0s at plugin Pairs."
    )
    assert story.of("c")[-2:] == ["60 Queued Active AssignedPodDelete", "60 Scheduled n1"]


def test_the_first_plugin_that_gives_up_ends_the_wait():
    story = Story(node("n1"), plugins=[Slow, Pairs]).create(0, twin("a")).play(until=61)
    assert story.of("a")[1:] == [
        "0 WaitingOnPermit n1 for Pairs Slow",
        "60 FailedScheduling Pairs -> Unschedulable",
    ]


def test_a_plugin_lets_others_be_tried_at_once():
    class Calls(Plugin):
        spec = PluginSpec(name="Calls", points=frozenset({P.PERMIT}))

        def permit(self, pod, state, cluster, row, waiting):
            others = [r.id for r in cluster.pods.records if r.id != pod.id and cluster.pods.node[r.id] < 0]
            return PermitResult(activates=tuple(others))

    story = (
        Story(node("n1", cpu="2"), plugins=[Calls]).create(0, pod("big", cpu="9")).create(1, pod("a")).play()
    )
    assert story.of("big")[2:4] == [
        "1 Queued Active ForceActivate",
        "1 FailedScheduling NodeResourcesFit -> Unschedulable",
    ]


def test_kube_scheduler_waits_a_quarter_of_an_hour_at_most():
    story = Story(node("n1"), plugins=[Slow]).create(0, twin("a")).play(until=1000)
    assert story.of("a")[2] == "900 FailedScheduling Slow -> Unschedulable"


def test_all_plugins_must_let_a_pod_go():
    story = Story(node("n1"), plugins=[Slow, Pairs]).create(0, twin("a")).create(5, twin("b")).play(until=6)
    assert story.nodes == {"a": "n1", "b": "n1"}


def test_a_waiting_pod_is_turned_away():
    alone = pod("z", cpu="1", labels={"alone": "yes"})
    story = Story(node("n1", cpu="2"), plugins=[Pairs]).create(0, twin("a")).create(5, alone).play(until=6)
    assert story.of("a")[2:] == ["5 FailedScheduling Pairs -> Unschedulable"]
    assert messages(story, "a")[-1] == '0/1 nodes are available: 1 rejected by plugin "Pairs".'


@pytest.mark.parametrize(
    ("plugin", "told", "message"),
    [
        (Refuses, "0 FailedScheduling Refuses -> Unschedulable", "0/1 nodes are available: 1 not today."),
        (Fails, "0 FailedScheduling -> Backoff", 'running Permit plugin "Fails": cannot tell'),
    ],
)
def test_a_pod_that_is_not_permitted(plugin, told, message):
    story = Story(node("n1"), plugins=[plugin]).create(0, pod("a")).play()
    assert story.of("a")[1] == told
    assert messages(story, "a") == [message]


def test_a_pod_that_is_deleted_while_it_waits_frees_its_node():
    story = Story(node("n1", cpu="1"), plugins=[Pairs]).create(0, twin("a")).create(1, pod("c", cpu="1"))
    story.delete(5, "Pod", "a").play()
    assert story.nodes == {"c": "n1"}
    assert story.of("c")[-1] == "5 Scheduled n1"


def test_a_victim_that_waits_is_turned_away():
    story = Story(node("n1", cpu="1"), plugins=[Pairs]).create(0, twin("a", priority=0))
    story.create(1, pod("c", cpu="1", priority=9)).play(until=3)
    assert story.of("a")[2] == "1 FailedScheduling -> Backoff"
    assert story.nodes["c"] == "n1"
    assert not [e for e in story.run.story.events if e.happening is Happening.PREEMPTED]


def test_volumes_that_were_promised_are_given_back():
    def using(name, **more):
        volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
        return pod(name, volumes=volumes, **more)

    storage = [local_class(), volume("v", "local"), claim("a", "local"), claim("x", "local")]
    story = Story(node("n1"), storage, plugins=[Pairs])
    story.create(0, using("a", labels={"pair": "yes"})).create(1, using("x")).play(until=331)
    assert story.of("a")[1:3] == [
        "0 WaitingOnPermit n1 for Pairs",
        "60 FailedScheduling Pairs -> Unschedulable",
    ]
    assert story.of("x")[1] == "1 FailedScheduling VolumeBinding -> Unschedulable"
    assert story.nodes["x"] == "n1"


def test_devices_that_were_allocated_are_given_back():
    def using(name, **more):
        return pod(name, resourceClaims=[{"name": "d", "resourceClaimName": name}], **more)

    here = {"namespace": "default"}
    claims = [gpu(name, exactly(), meta=here) for name in ("a", "x")]
    book = [device_class(), resource_slice("n1", devices("gpu")), *claims]
    story = Story(node("n1"), book, plugins=[Pairs])
    story.create(0, using("a", labels={"pair": "yes"})).create(1, using("x")).play(until=331)
    assert story.of("a")[1:3] == [
        "0 WaitingOnPermit n1 for Pairs",
        "60 FailedScheduling Pairs -> Unschedulable",
    ]
    assert story.of("x")[1] == "1 FailedScheduling DynamicResources -> Unschedulable"
    assert story.nodes["x"] == "n1"


def test_waits_that_nothing_ends_do_not_go_on_for_ever():
    story = Story(node("n1"), plugins=[Pairs]).create(0, twin("a")).play()
    assert story.nodes == {"a": ""}
