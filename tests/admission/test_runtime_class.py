import pytest
from builders import admission_context

from kschedctl.admission.context import AdmissionContext
from kschedctl.objects.core import RuntimeClass

from .builders import admitted, existing, pod, refusal, runtime_class

OVERHEAD = {"podFixed": {"cpu": "250m"}}
PLACED = {"nodeSelector": {"vm": "yes"}, "tolerations": [{"key": "vm", "operator": "Exists"}]}


def context(made: RuntimeClass) -> AdmissionContext:
    return admission_context(runtime_classes=[made])


def test_overhead_and_placement() -> None:
    kata = context(runtime_class("kata", overhead=OVERHEAD, scheduling=PLACED))
    made = admitted(pod(runtimeClassName="kata", nodeSelector={"disk": "ssd"}), kata).spec
    assert made.overhead == {"cpu": "250m"}
    assert made.node_selector == {"disk": "ssd", "vm": "yes"}
    assert "vm" in [toleration.key for toleration in made.tolerations]


def test_stated_overhead_may_agree() -> None:
    kata = context(runtime_class("kata", overhead=OVERHEAD))
    assert admitted(pod(runtimeClassName="kata", overhead={"cpu": "0.25"}), kata).spec.overhead == {
        "cpu": "250m"
    }


def test_a_class_without_placement_adds_no_selector() -> None:
    assert admitted(pod(runtimeClassName="runc"), context(runtime_class("runc"))).spec.node_selector is None


def test_overhead_without_a_class_is_kept() -> None:
    assert admitted(pod(overhead={"cpu": "1"})).spec.overhead == {"cpu": "1"}


@pytest.mark.parametrize(
    ("made", "spec", "text"),
    [
        (
            runtime_class("other"),
            {},
            'spec.runtimeClassName: pod rejected: RuntimeClass "kata" not found',
        ),
        (
            runtime_class("kata", overhead=OVERHEAD),
            {"overhead": {"cpu": "1"}},
            "spec.overhead: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            runtime_class("kata"),
            {"overhead": {"cpu": "1"}},
            "spec.overhead: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            runtime_class("kata", scheduling=PLACED),
            {"nodeSelector": {"vm": "no"}},
            "spec.nodeSelector[vm]: conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; "
            "pod.spec.nodeSelector[vm] = no",
        ),
    ],
    ids=["unknown", "other-overhead", "no-overhead", "selector"],
)
def test_refusals(made: RuntimeClass, spec: dict[str, object], text: str) -> None:
    assert refusal(pod(runtimeClassName="kata", **spec), context(made)) == [text]


def test_an_existing_pod_has_had_its_class_applied() -> None:
    kata = context(runtime_class("kata", overhead=OVERHEAD))
    assert existing(pod(runtimeClassName="kata"), kata).spec.overhead == {}
    assert existing(pod(runtimeClassName="gone"), kata).spec.runtime_class_name == "gone"
