"""ResourceQuotas, which refuse pods before any scheduler sees them: counted over the input."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.core import ResourceQuota
from kschedctl.objects.pod import Container, PodSpec
from kschedctl.objects.pod_requests import (
    Resources,
    container_totals,
    pod_requests,
    quantities,
    to_resource_units,
)
from kschedctl.objects.quantity import ZERO, Quantity, parse
from kschedctl.objects.units import amount_text
from kschedctl.reports.model import Caveat

_PODS: Final = ("pods", "count/pods")
_PLAIN: Final = ("cpu", "memory", "ephemeral-storage")


def quota_caveats(
    pods: Iterable[PodRecord], cluster: ClusterState, there: Collection[int] | None = None
) -> Iterator[Caveat]:
    """The quotas that pods would exceed which are to be created.

    Args:
        pods: the pods.
        cluster: the cluster in which they are, or are not yet.
        there: ids of the pods that are there when they come; None: as the cluster is.
    """
    by_namespace: dict[str, list[PodRecord]] = {}
    for record in pods:
        if not record.pod.metadata.creation_timestamp:
            by_namespace.setdefault(record.namespace, []).append(record)
    for (namespace, _), quota in cluster.objects.all(ResourceQuota).items():
        fresh = by_namespace.get(namespace)
        if fresh and not quota.spec.scopes and not quota.spec.scope_selector:
            yield from _of(quota, fresh, cluster, there)


def _of(
    quota: ResourceQuota, fresh: list[PodRecord], cluster: ClusterState, before: Collection[int] | None
) -> Iterator[Caveat]:
    new = {record.id for record in fresh}
    known = [r for r in cluster.pods.records if r.namespace == quota.namespace and r.id not in new]
    if before is None:
        node = cluster.pods.node
        there = [r for r in known if node[r.id] >= 0 or r.pod.metadata.creation_timestamp]
    else:
        there = known = [r for r in known if r.id in before]
    for name, raw in quota.spec.hard.items():
        used = _sum(name, there)
        counted = _sum(name, known)
        stated = parse(quota.status.used.get(name, "0"))
        if stated > counted:  # by pods that are not in the input
            used += stated - counted
        wanted = _sum(name, fresh)
        if wanted != ZERO and used + wanted > parse(raw):
            who = fresh[0].full_name if len(fresh) == 1 else f"{fresh[0].full_name} and {len(fresh) - 1} more"
            told = [_text(name, quantity) for quantity in (parse(raw), used, wanted)]
            text = (
                f"ResourceQuota {quota.full_name} allows {told[0]} {name}: {told[1]} are used, {who} would add "
                f"{told[2]}, and the API server refuses it; here nothing is refused"
            )
            yield Caveat(code="quota-exceeded", message=text, may_change_answer=True)
            return


def _sum(name: str, pods: Iterable[PodRecord]) -> Quantity:
    total = ZERO
    for record in pods:
        total += _use(name, record.pod.spec)
    return total


def _use(name: str, spec: PodSpec) -> Quantity:
    """What a pod counts for in one entry of a quota; nothing for entries about other objects."""
    if name in _PODS:
        return parse("1")
    if name.startswith("limits."):
        limits = container_totals(spec, _limits)
        if spec.resources is not None:
            limits.update(quantities(spec.resources.limits))
        return limits.get(name.removeprefix("limits."), ZERO)
    if name.startswith("requests."):
        return pod_requests(spec).get(name.removeprefix("requests."), ZERO)
    return pod_requests(spec).get(name, ZERO) if name in _PLAIN else ZERO


def _text(name: str, quantity: Quantity) -> str:
    """An amount as people write it."""
    resource = name.partition(".")[2] if name.startswith(("limits.", "requests.")) else name
    return amount_text(resource, to_resource_units(resource, quantity))


def _limits(container: Container) -> Resources:
    return quantities(container.resources.limits)
