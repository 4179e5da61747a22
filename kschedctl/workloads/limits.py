"""How many pods are made for a question: more than Kubernetes supports in a cluster, and no end of time and memory."""

from __future__ import annotations

from typing import Final

from kschedctl.errors import UsageError
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel

MOST_PODS: Final = 200_000
"""Pods that are made anew; Kubernetes supports 150,000 in a cluster, and each takes half a millisecond here."""

MOST_NODES: Final = 50_000
"""Nodes that are added; Kubernetes supports 5,000 in a cluster."""


def pods_wanted(count: int, owner: TopLevel) -> int:
    """The number of pods that a workload is to have, 0 for one below it.

    Raises:
        UsageError: no cluster holds so many.
    """
    if count > MOST_PODS:
        kind = BY_TYPE[type(owner)].kind
        raise UsageError(f"{kind} {owner.full_name} wants {count:,} pods; {_AT_MOST}", hint=_HINT)
    return max(count, 0)


def check_pods_made(count: int) -> None:
    """Make sure that the workloads of a question do not make too many pods together.

    Raises:
        UsageError: they do.
    """
    if count > MOST_PODS:
        raise UsageError(f"the workloads want more than {MOST_PODS:,} pods together; {_AT_MOST}", hint=_HINT)


_AT_MOST: Final = (
    f"at most {MOST_PODS:,} are made for a question, and Kubernetes supports 150,000 in a cluster"
)
_HINT: Final = "`kschedctl capacity` tells how many fit without making them one by one."
