"""What would get a pod tried again, in words."""

import pytest
from builders import session

from kschedctl.reports.waking import tried_again, wakers


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
