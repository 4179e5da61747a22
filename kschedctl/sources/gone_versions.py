"""API versions that no Kubernetes we know has any more, of kinds that scheduling does not read.

Nothing of them is read, but a release with one is refused in part by the API server. `older_versions` has the kinds
that scheduling reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct


class GoneVersion(Struct, frozen=True):
    """A version of a kind that is gone.

    Attributes:
        until: the first Kubernetes that has it no more.
        today: the apiVersion to write in its place; empty: the kind is gone altogether.
    """

    until: str
    today: str = ""


_RBAC: Final = GoneVersion("1.22", "rbac.authorization.k8s.io/v1")
_ADMISSION: Final = GoneVersion("1.22", "admissionregistration.k8s.io/v1")
_REVIEWS: Final = GoneVersion("1.22", "authorization.k8s.io/v1")
_INGRESS: Final = GoneVersion("1.22", "networking.k8s.io/v1")
_FLOW: Final = "flowcontrol.apiserver.k8s.io"

_BY_VERSION: Final[Mapping[str, Mapping[str, GoneVersion]]] = {
    "extensions/v1beta1": {
        "Ingress": _INGRESS,
        "NetworkPolicy": GoneVersion("1.16", "networking.k8s.io/v1"),
        "PodSecurityPolicy": GoneVersion("1.16"),
    },
    "policy/v1beta1": {"PodSecurityPolicy": GoneVersion("1.25")},
    "networking.k8s.io/v1beta1": {"Ingress": _INGRESS, "IngressClass": _INGRESS},
    "apps/v1beta1": {"ControllerRevision": GoneVersion("1.16", "apps/v1")},
    "apps/v1beta2": {"ControllerRevision": GoneVersion("1.16", "apps/v1")},
    "autoscaling/v2beta1": {"HorizontalPodAutoscaler": GoneVersion("1.25", "autoscaling/v2")},
    "autoscaling/v2beta2": {"HorizontalPodAutoscaler": GoneVersion("1.26", "autoscaling/v2")},
    "discovery.k8s.io/v1beta1": {"EndpointSlice": GoneVersion("1.25", "discovery.k8s.io/v1")},
    "events.k8s.io/v1beta1": {"Event": GoneVersion("1.25", "events.k8s.io/v1")},
    "apiextensions.k8s.io/v1beta1": {
        "CustomResourceDefinition": GoneVersion("1.22", "apiextensions.k8s.io/v1")
    },
    "apiregistration.k8s.io/v1beta1": {"APIService": GoneVersion("1.22", "apiregistration.k8s.io/v1")},
    "admissionregistration.k8s.io/v1beta1": {
        "MutatingWebhookConfiguration": _ADMISSION,
        "ValidatingWebhookConfiguration": _ADMISSION,
    },
    "authentication.k8s.io/v1beta1": {"TokenReview": GoneVersion("1.22", "authentication.k8s.io/v1")},
    "authorization.k8s.io/v1beta1": dict.fromkeys(
        ("LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"), _REVIEWS
    ),
    "certificates.k8s.io/v1beta1": {
        "CertificateSigningRequest": GoneVersion("1.22", "certificates.k8s.io/v1")
    },
    "coordination.k8s.io/v1beta1": {"Lease": GoneVersion("1.22", "coordination.k8s.io/v1")},
    **{
        f"rbac.authorization.k8s.io/{version}": dict.fromkeys(
            ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"), _RBAC
        )
        for version in ("v1alpha1", "v1beta1")
    },
    **{
        f"{_FLOW}/{version}": dict.fromkeys(
            ("FlowSchema", "PriorityLevelConfiguration"), GoneVersion(until, f"{_FLOW}/v1")
        )
        for version, until in (("v1beta1", "1.26"), ("v1beta2", "1.29"), ("v1beta3", "1.32"))
    },
}

GONE: Final[Mapping[tuple[str, str], GoneVersion]] = MappingProxyType(
    {(version, kind): gone for version, kinds in _BY_VERSION.items() for kind, gone in kinds.items()}
)
"""`(apiVersion, kind)` -> since when it is gone, and what to write."""
