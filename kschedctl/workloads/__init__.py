"""Workloads: which pods their controllers would create, and which pods of a cluster are theirs."""

from kschedctl.workloads.expand import expand
from kschedctl.workloads.generated_claims import with_generated_claims
from kschedctl.workloads.names import generated_names
from kschedctl.workloads.ownership import Ownership, PodGroups
from kschedctl.workloads.workload import WORKLOADS, Expansion, Workload, WorkloadKey, key_of, replicas_of

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
