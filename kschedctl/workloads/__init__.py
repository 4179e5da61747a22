"""Workloads: which pods their controllers would create, and which pods of a cluster are theirs."""

from .expand import expand
from .generated_claims import with_generated_claims
from .names import generated_names
from .ownership import Ownership, PodGroups
from .workload import WORKLOADS, Expansion, Workload, WorkloadKey, key_of, replicas_of

__all__ = [
    "WORKLOADS",
    "Expansion",
    "Ownership",
    "PodGroups",
    "Workload",
    "WorkloadKey",
    "expand",
    "generated_names",
    "key_of",
    "replicas_of",
    "with_generated_claims",
]
