"""Workloads: which pods their controllers would create, and which pods of a cluster are theirs."""

from .expand import expand
from .generated_claims import with_generated_claims
from .ownership import Ownership, pods_of
from .workload import WORKLOADS, Expansion, Workload, WorkloadKey, key_of, replicas_of

__all__ = [
    "WORKLOADS",
    "Expansion",
    "Ownership",
    "Workload",
    "WorkloadKey",
    "expand",
    "key_of",
    "pods_of",
    "replicas_of",
    "with_generated_claims",
]
