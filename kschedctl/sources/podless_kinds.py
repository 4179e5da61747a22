"""Custom resources whose controllers make no pods, as far as they are known: they cannot change where pods go.

A kind that is not here may make pods, and an answer without them says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_EVERY: Final[frozenset[str]] = frozenset()

_KINDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "monitoring.coreos.com": frozenset(
            ("AlertmanagerConfig", "PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig", "ServiceMonitor")
        ),
        "cert-manager.io": _EVERY,
        "external-secrets.io": _EVERY,
        "bitnami.com": frozenset(("SealedSecret",)),
        "secrets-store.csi.x-k8s.io": _EVERY,
        "networking.istio.io": _EVERY,
        "security.istio.io": _EVERY,
        "telemetry.istio.io": _EVERY,
        "traefik.io": _EVERY,
        "traefik.containo.us": _EVERY,
        "projectcontour.io": frozenset(("HTTPProxy", "TLSCertificateDelegation")),
        "crd.projectcalico.org": _EVERY,
        "projectcalico.org": _EVERY,
        "cilium.io": _EVERY,
        "elbv2.k8s.aws": _EVERY,
        "cloud.google.com": frozenset(("BackendConfig",)),
        "networking.gke.io": frozenset(("FrontendConfig", "ManagedCertificate")),
        "linkerd.io": frozenset(("ServiceProfile",)),
        "policy.linkerd.io": _EVERY,
        "grafana.integreatly.org": frozenset(("GrafanaDashboard", "GrafanaDatasource", "GrafanaFolder")),
        "route.openshift.io": _EVERY,
    }
)
"""Group -> kinds of it; empty: every one of its kinds."""


def makes_no_pods(api_version: str, kind: str) -> bool:
    """Whether a kind is known to make no pods."""
    kinds = _KINDS.get(api_version.rpartition("/")[0])
    return kinds is not None and (not kinds or kind in kinds)
