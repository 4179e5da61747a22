"""How many pods are made for a question: more than Kubernetes supports in a cluster, and no end of time and memory."""

from __future__ import annotations

from typing import Final

from kschedctl.errors import UsageError
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel

SUPPORTED_PODS: Final = 150_000
"""Pods that Kubernetes supports in a cluster."""

SUPPORTED_NODES: Final = 5_000
"""Nodes that Kubernetes supports in a cluster."""

MOST_PODS: Final = 200_000
"""Pods that are made for a question; each takes half a millisecond here."""

ONE_BY_ONE: Final = 1_000
"""Pods of a workload that are made one by one whether any node can hold them or not."""

MOST_REPLICAS: Final = 2**31 - 1
"""What a number of replicas can say."""

MOST_NODES: Final = 50_000
"""Nodes that are added."""


def pods_made(wanted: int, most: int | None, owner: TopLevel) -> tuple[int, int]:
    """How many pods of a workload are made, and how many more are only counted.

    Args:
        wanted: how many it is to have.
        most: make no more than these, or than `ONE_BY_ONE`; None: make all of them.
        owner: the workload.

    Raises:
        UsageError: more are to be made than any cluster holds.
    """
    made = wanted if most is None else min(wanted, max(most, ONE_BY_ONE))
    if made > MOST_PODS:
        kind = BY_TYPE[type(owner)].kind
        raise UsageError(f"{kind} {owner.full_name} wants {wanted:,} pods; {_AT_MOST}", hint=_HINT)
    return max(made, 0), max(wanted - made, 0)


def check_pods_made(count: int) -> None:
    """Make sure that the workloads of a question do not make too many pods together.

    Raises:
        UsageError: they do.
    """
    if count > MOST_PODS:
        raise UsageError(f"the workloads want more than {MOST_PODS:,} pods together; {_AT_MOST}", hint=_HINT)


_AT_MOST: Final = (
    f"at most {MOST_PODS:,} are made for a question, and Kubernetes supports {SUPPORTED_PODS:,} in a cluster"
)
_HINT: Final = "`kschedctl capacity` tells how many fit without making them one by one."
