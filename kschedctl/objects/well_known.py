"""Labels and taints of nodes that Kubernetes gives a meaning, each written once."""

from __future__ import annotations

from typing import Final

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
BETA_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION: Final = "failure-domain.beta.kubernetes.io/region"
TOPOLOGY_LABELS: Final = (BETA_ZONE, BETA_REGION, ZONE, REGION)
ZONE_SEPARATOR: Final = "__"
"""Between the zones of a volume in its label."""

CORDON_TAINT: Final = "node.kubernetes.io/unschedulable"
NOT_READY_TAINT: Final = "node.kubernetes.io/not-ready"
UNREACHABLE_TAINT: Final = "node.kubernetes.io/unreachable"
