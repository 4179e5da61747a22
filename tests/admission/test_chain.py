from typing import Any

import msgspec
import pytest
from builders import admission_context
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.admission.invalid import Invalid
from kschedctl.objects.pod import Pod

from .builders import container, existing, limit_range, pod, priority_class

CONTEXT = admission_context(
    priority_classes=[priority_class("usual", 50, globalDefault=True)],
    limit_ranges=[limit_range("a", {"type": "Container", "defaultRequest": {"cpu": "1"}})],
)


def test_equal_specs_are_one_object_whatever_the_node() -> None:
    admission = Admission(CONTEXT)
    here = admission.admit_existing(pod("a", nodeName="n1"))
    there = admission.admit_existing(pod("b", nodeName="n2", labels={"x": "y"}))
    assert here.spec is there.spec
    assert (here.node_name, there.node_name, here.spec.node_name) == ("n1", "n2", "")


def test_a_candidate_shares_the_spec_of_an_equal_existing_pod() -> None:
    admission = Admission(admission_context())
    candidate = admission.admit_candidate(pod("a"))
    assert isinstance(candidate, AdmittedPod)
    assert candidate.spec is admission.admit_existing(pod("b", nodeName="n1")).spec


@pytest.mark.parametrize(
    "source",
    [
        pytest.param({"projected": {}}, id="projected"),
        pytest.param({"configMap": {"name": "c"}}, id="configMap"),
        pytest.param({"secret": {"secretName": "s"}}, id="secret"),
        pytest.param({"emptyDir": {}}, id="emptyDir"),
    ],
)
def test_generated_names_of_unread_volumes_make_no_difference(source: dict[str, Any]) -> None:
    admission = Admission(admission_context())
    first, second = (pod(name, volumes=[{"name": f"token-{name}", **source}]) for name in "ab")
    candidate = admission.admit_candidate(first)
    assert isinstance(candidate, AdmittedPod)
    assert candidate.spec is admission.admit_existing(second).spec


def test_host_names_of_members_make_no_difference() -> None:
    admission = Admission(admission_context())
    candidate = admission.admit_candidate(pod("web-0", hostname="web-0", subdomain="web"))
    assert isinstance(candidate, AdmittedPod)
    assert candidate.spec is admission.admit_existing(pod("web-1", hostname="web-1", subdomain="web")).spec


def test_a_host_name_of_a_candidate_is_validated() -> None:
    assert isinstance(Admission(admission_context()).admit_candidate(pod(hostname="no_name")), Invalid)


def test_volumes_that_are_read_stay() -> None:
    volumes = [{"name": "t", "secret": {}}, {"name": "data", "persistentVolumeClaim": {"claimName": "d"}}]
    admitted = Admission(admission_context()).admit_existing(pod(volumes=volumes))
    assert [volume.name for volume in admitted.spec.volumes] == ["data"]


def test_an_unread_volume_of_a_candidate_is_validated() -> None:
    volumes = [{"name": "same", "secret": {}}, {"name": "same", "emptyDir": {}}]
    assert isinstance(Admission(admission_context()).admit_candidate(pod(volumes=volumes)), Invalid)


def test_a_candidate_keeps_the_node_it_names() -> None:
    candidate = Admission(CONTEXT).admit_candidate(pod("a", nodeName="n1"))
    assert isinstance(candidate, AdmittedPod)
    assert (candidate.node_name, candidate.spec.node_name) == ("n1", "")


def test_namespaces_with_other_limit_ranges_do_not_share() -> None:
    admission = Admission(CONTEXT)
    made = [admission.admit_candidate(pod(namespace=namespace)) for namespace in ("default", "prod")]
    requests = [m.spec.containers[0].resources.requests for m in made if isinstance(m, AdmittedPod)]
    assert requests == [{"cpu": "1"}, {}]


def test_properties_read_through_to_the_pod() -> None:
    source = msgspec.convert(
        {
            "metadata": {"name": "p", "labels": {"a": "b"}, "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"priority": 3},
            "status": {"nominatedNodeName": "n1"},
        },
        Pod,
    )
    made = existing(source)
    assert (made.full_name, made.uid, made.labels) == ("default/p", "default/p", {"a": "b"})
    assert (made.priority, made.preemption_policy) == (3, "PreemptLowerPriority")
    assert made.is_terminating
    assert made.nominated_node_name == "n1"
    assert made.source is source


_RESOURCES = st.fixed_dictionaries(
    {},
    optional={
        "requests": st.dictionaries(
            st.sampled_from(["cpu", "memory"]), st.sampled_from(["1", "100m", "1Gi"])
        ),
        "limits": st.dictionaries(
            st.sampled_from(["cpu", "memory", "hugepages-2Mi"]), st.sampled_from(["2", "2Gi", "4Mi"])
        ),
    },
)
_TERM = st.fixed_dictionaries(
    {"topologyKey": st.just("zone")},
    optional={
        "labelSelector": st.just({"matchLabels": {"app": "x"}}),
        "matchLabelKeys": st.just(["app", "absent"]),
        "mismatchLabelKeys": st.just(["tier"]),
    },
)
_SPECS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"containers": st.lists(_RESOURCES.map(lambda r: container(resources=r)), min_size=1, max_size=3)},
    optional={
        "resources": _RESOURCES,
        "hostNetwork": st.booleans(),
        "nodeName": st.sampled_from(["n1", "n2"]),
        "priority": st.integers(0, 9),
        "priorityClassName": st.sampled_from(["usual", "unknown"]),
        "tolerations": st.lists(
            st.sampled_from(
                [{"operator": "Exists"}, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
            )
        ),
        "affinity": _TERM.map(
            lambda t: {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [t]}}
        ),
    },
)


@given(_SPECS)
def test_admitting_an_admitted_pod_changes_nothing(spec: dict[str, Any]) -> None:
    first = existing(pod(labels={"app": "x", "tier": "front"}, **spec), CONTEXT)
    again = existing(Pod(metadata=first.metadata, spec=first.spec), CONTEXT)
    assert again.spec == first.spec
