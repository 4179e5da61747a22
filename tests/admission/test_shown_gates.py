"""Gates that objects of a cluster show to be on."""

import pytest
from builders import made, pod

from kschedctl.admission.shown_gates import shown_gates

GROUP = {
    "apiVersion": "scheduling.k8s.io/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "a"},
}
COMPOSITE = {
    "apiVersion": "scheduling.k8s.io/v1alpha3",
    "kind": "CompositePodGroup",
    "metadata": {"name": "c", "namespace": "a"},
}


@pytest.mark.parametrize(
    ("obj", "shown"),
    [
        pytest.param(pod("p"), {}, id="a plain pod"),
        pytest.param(
            pod("p", schedulingGroup={"podGroupName": "g"}),
            {"GenericWorkload": "Pod default/p has spec.schedulingGroup"},
            id="a member",
        ),
        pytest.param(
            pod("p", workloadRef={"name": "w", "podGroup": "g"}),
            {"GenericWorkload": "Pod default/p has spec.workloadRef"},
            id="a member in 1.35",
        ),
        pytest.param(GROUP, {}, id="a group alone"),
        pytest.param(
            GROUP | {"spec": {"schedulingConstraints": {"topology": [{"key": "rack"}]}}},
            {"TopologyAwareWorkloadScheduling": "PodGroup a/g has spec.schedulingConstraints"},
            id="topology",
        ),
        pytest.param(
            GROUP | {"spec": {"resourceClaims": [{"name": "c", "resourceClaimName": "c"}]}},
            {"DRAWorkloadResourceClaims": "PodGroup a/g has spec.resourceClaims"},
            id="claims",
        ),
        pytest.param(
            GROUP | {"spec": {"parentCompositePodGroupName": "c"}},
            {"CompositePodGroup": "PodGroup a/g has spec.parentCompositePodGroupName"},
            id="a parent",
        ),
        pytest.param(
            COMPOSITE | {"spec": {"preemptionPolicy": "Never"}},
            {"PodGroupPreemptionPolicy": "CompositePodGroup a/c has spec.preemptionPolicy"},
            id="a policy",
        ),
    ],
)
def test_a_field_shows_its_gate(obj, shown):
    assert shown_gates([made(obj)]) == shown
