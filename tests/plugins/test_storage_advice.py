"""What can be done about a claim that stops a pod on every node, whichever plugin refuses it first."""

import pytest
from builders import decide, node, pod, session
from storage_builders import claim, storage_class

CLAIM = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]


@pytest.mark.parametrize(
    ("objects", "plugin", "advice"),
    [
        ([], "VolumeRestrictions", "PersistentVolumeClaim default/c is not in the input"),
        ([claim("c", "fast")], "VolumeBinding", "StorageClass fast is not in the input"),
        (
            [claim("c", "fast"), storage_class("fast", wait=False)],
            "VolumeBinding",
            "class fast binds at once",
        ),
        ([claim("c", volume="gone")], "VolumeZone", "PersistentVolume gone is not in the input"),
    ],
    ids=["no claim", "no class", "immediate binding", "no volume"],
)
def test_a_claim_that_no_node_can_mend(objects, plugin, advice):
    decision = decide(session(node("n1"), objects), pod("p", volumes=CLAIM))
    assert decision.pre_filter is not None
    assert decision.pre_filter.plugin == plugin
    assert advice in str(decision.advice())


def test_no_advice_where_nodes_are_looked_at():
    assert decide(session(node("n1", cpu="1")), pod("p", cpu="2")).advice() is None


def test_no_advice_where_several_plugins_leave_no_node():
    names = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": names}}
    decision = decide(session(node("n1")), pod("p", affinity={"nodeAffinity": required}))
    assert decision.advice() is None
