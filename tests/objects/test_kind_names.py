"""Kinds by the names that kubectl knows them by."""

import re

import pytest

from kschedctl.objects.kind_names import kind_named, meant_kind
from kschedctl.objects.kinds import KINDS


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *(
            (word, "Deployment")
            for word in (
                "deployment",
                "Deployment",
                "deployments",
                "deploy",
                "deployment.apps",
                "deployments.apps",
                "deploy.apps",
                "deployments.v1.apps",
            )
        ),
        ("po", "Pod"),
        ("pods.v1", "Pod"),
        ("svc", "Service"),
        ("sts", "StatefulSet"),
        ("pdb", "PodDisruptionBudget"),
        ("job", "Job"),
        ("job.batch", "Job"),
        ("pc", "PriorityClass"),
        ("priorityclasses.scheduling.k8s.io", "PriorityClass"),
        ("CSINode", "CSINode"),
    ],
)
def test_a_kind_has_several_names(word, kind):
    found = kind_named(word)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("", id="nothing"),
        pytest.param("configmap", id="a kind that scheduling does not read"),
        pytest.param("job.batch.volcano.sh", id="another group"),
        pytest.param("deployment.v1beta1.apps", id="another version"),
        pytest.param("pod.apps", id="no group of this kind"),
    ],
)
def test_other_names_mean_nothing(word):
    assert kind_named(word) is None


def test_no_name_means_two_kinds():
    names = [name for kind in KINDS for name in {kind.kind.lower(), kind.plural}]
    assert len(names) == len(set(names))
    assert all(kind_named(name) is not None for name in names)
    assert all(kind_named(kind.kind) is kind for kind in KINDS)


UPSTREAM = re.findall(
    r"\w+",
    """
    APIService Binding CertificateSigningRequest ClusterRole ClusterRoleBinding ClusterTrustBundle ComponentStatus
    ConfigMap ControllerRevision CustomResourceDefinition EndpointSlice Endpoints Event Eviction FlowSchema
    HorizontalPodAutoscaler IPAddress Ingress IngressClass Lease LeaseCandidate LocalSubjectAccessReview
    MutatingAdmissionPolicy MutatingWebhookConfiguration NetworkPolicy NodeMetrics PodCertificateRequest PodMetrics
    PodSchedulingContext PodSecurityPolicy PodTemplate PriorityLevelConfiguration ResourceClaimParameters ResourceClass
    ResourceClassParameters ResourcePoolStatusRequest Role RoleBinding Scale Secret SelfSubjectReview ServiceAccount
    ServiceCIDR Status StorageVersion StorageVersionMigration TokenReview ValidatingAdmissionPolicy
    VerticalPodAutoscaler
    VolumeSnapshot VolumeSnapshotClass VolumeSnapshotContent
    """,
)


@pytest.mark.parametrize("kind", [*UPSTREAM, *(known.kind for known in KINDS), "List"])
def test_no_kind_of_kubernetes_is_a_misspelling_of_another(kind):
    assert meant_kind("v1", kind) is None


def test_kinds_of_other_makers_are_called_as_they_like():
    assert meant_kind("example.com/v1", "pod") is None
