"""What would get a pod tried again, in words."""

import pytest
from builders import session

from kschedctl.framework.cluster_event import Action, Resource
from kschedctl.framework.versions import SUPPORTED
from kschedctl.reports.waking import tried_again, wakers, woken_by
from kschedctl.run.event_names import RESOURCES, EventNames


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        pytest.param("NodeUnschedulable", "a node is uncordoned or its taints change", id="nodes"),
        pytest.param("NodePorts", "a pod on a node ends", id="pods on nodes"),
        pytest.param("SchedulingGates", "its scheduling gates are removed", id="the pod itself"),
        pytest.param("VolumeBinding", "a PersistentVolumeClaim is added or changes", id="other objects"),
    ],
)
def test_what_plugins_hear_of(plugin, text):
    framework = session([]).scheduler.frameworks["default-scheduler"]

    assert text in wakers([found for found in framework.plugins if found.name == plugin])


@pytest.mark.parametrize(
    ("wakes", "sentence"),
    [
        pytest.param([], "tried again after a back-off of at most 10 s", id="an error"),
        pytest.param(["a"], "tried again when a", id="one"),
        pytest.param(["a", "b", "c"], "tried again when a, b or c", id="several"),
        pytest.param([*"abcde"], "tried again when a, b, c, or by 2 other events", id="many"),
    ],
)
def test_sentence(wakes, sentence):
    assert tried_again(wakes) == sentence


@pytest.mark.parametrize(
    ("event", "words"),
    [
        pytest.param("NodeAdd", "there is another node", id="a node"),
        pytest.param("AssignedPodDelete", "room is free that was in use or kept", id="a pod on a node"),
        pytest.param("UnscheduledPodAdd", "a pod of its group has come", id="another pod"),
        pytest.param(
            "UnschedulablePodAdd", "a pod of its group has come", id="another pod, as 1.34 calls it"
        ),
        pytest.param(
            "UnschedulablePodUpdatePodLabel", "its labels have changed", id="itself, as 1.34 calls it"
        ),
        pytest.param("storage.k8s.io/CSINodeUpdate", "a CSINode has changed", id="another kind"),
        pytest.param("BackoffComplete", "the back-off is over", id="time"),
        pytest.param("EventOfTomorrow", "EventOfTomorrow", id="a name that no version has"),
    ],
)
def test_what_happened(event, words):
    assert woken_by(event) == words


@pytest.mark.parametrize("version", SUPPORTED, ids=lambda version: version.minor)
def test_every_event_has_words(version):
    names = EventNames(version.facts.target_pod_event, version.facts.unscheduled_pod_event)
    nodes = [a for a in Action if a.name.startswith("UPDATE_NODE")]
    pods = [Action.UPDATE, *(a for a in Action if a.name.startswith("UPDATE_POD"))]
    others = [Action.ADD, Action.UPDATE, Action.DELETE]
    events = [
        *((Resource.NODE, action) for action in (Action.ADD, Action.DELETE, *nodes)),
        *((Resource.ASSIGNED_POD, action) for action in (Action.ADD, Action.DELETE, *pods)),
        *((Resource.TARGET_POD, action) for action in pods),
        *((Resource.UNSCHEDULED_POD, action) for action in (Action.ADD, Action.UPDATE)),
        *((kind, action) for kind in RESOURCES.values() for action in others),
    ]
    for resource, action in events:
        name = names.name(resource, action)
        assert woken_by(name) != name, name
