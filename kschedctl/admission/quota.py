"""ResourceQuotas as the API server counts them when a pod is created: which pods, how much, and what is demanded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.objects.containers import Container
from kschedctl.objects.core import ResourceQuota
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import (
    Resources,
    container_totals,
    pod_requests,
    quantities,
    to_resource_units,
)
from kschedctl.objects.quantity import ZERO, Quantity, parse
from kschedctl.objects.units import amount_text

_PODS: Final = ("pods", "count/pods")
_PLAIN: Final = ("cpu", "memory", "ephemeral-storage")
_COMPUTE: Final = ("cpu", "memory")
_LIMITS: Final = "limits."
_REQUESTS: Final = "requests."


class QuotaShortage(Struct, frozen=True):
    """An entry of a quota that leaves no room.

    Attributes:
        name: the entry: `limits.cpu`.
        allowed: how much there may be.
        used: how much there is.
        wanted: how much would come.
    """

    name: str
    allowed: Quantity
    used: Quantity
    wanted: Quantity

    @property
    def texts(self) -> tuple[str, str, str]:
        """What is allowed, used and wanted, as people write it."""
        resource = self.name.partition(".")[2] if self.name.startswith((_LIMITS, _REQUESTS)) else self.name
        allowed, used, wanted = (
            amount_text(resource, to_resource_units(resource, one))
            for one in (self.allowed, self.used, self.wanted)
        )
        return allowed, used, wanted


def counts(quota: ResourceQuota, pod: AdmittedPod) -> bool:
    """Whether a quota is about a pod of its namespace: all its scopes are; unknown ones are about no pod."""
    spec = quota.spec
    wanted = [(scope, "Exists", ()) for scope in spec.scopes]
    expressions: Any = spec.scope_selector.get("matchExpressions") or ()
    wanted += [
        (e.get("scopeName", ""), e.get("operator", ""), tuple(e.get("values") or ())) for e in expressions
    ]
    return all(_is_in(pod.spec, scope, operator, values) for scope, operator, values in wanted)


def _is_in(spec: PodSpec, scope: str, operator: str, values: tuple[str, ...]) -> bool:
    if scope == "PriorityClass":
        name = spec.priority_class_name or ""
        match operator:
            case "In":
                return name in values
            case "NotIn":
                return name not in values
            case "DoesNotExist":
                return not name
            case _:
                return bool(name)
    test = _SCOPES.get(scope)
    return test is not None and test(spec)


def _is_best_effort(spec: PodSpec) -> bool:
    parts = [c.resources for c in (*spec.init_containers, *spec.containers)]
    parts += [spec.resources] if spec.resources is not None else []
    lists = (entries for part in parts for entries in (part.requests, part.limits))
    return not any(
        parse(raw) != ZERO for entries in lists for name, raw in entries.items() if name in _COMPUTE
    )


def _has_deadline(spec: PodSpec) -> bool:
    """Whether the pod may run for a limited time alone: that is what the scope Terminating means, not deletion."""
    deadline = spec.active_deadline_seconds
    return deadline is not None and deadline >= 0


def _looks_across(spec: PodSpec) -> bool:
    """Whether terms of the pod name namespaces."""
    affinity = spec.affinity
    found = [] if affinity is None else [affinity.pod_affinity, affinity.pod_anti_affinity]
    terms = [t for one in found if one is not None for t in one.required]
    terms += [w.pod_affinity_term for one in found if one is not None for w in one.preferred]
    return any(term.namespaces or term.namespace_selector is not None for term in terms)


_SCOPES: Final[Mapping[str, Callable[[PodSpec], bool]]] = MappingProxyType(
    {
        "BestEffort": _is_best_effort,
        "NotBestEffort": lambda spec: not _is_best_effort(spec),
        "Terminating": _has_deadline,
        "NotTerminating": lambda spec: not _has_deadline(spec),
        "CrossNamespacePodAffinity": _looks_across,
    }
)


def demanded(quota: ResourceQuota, spec: PodSpec) -> Iterator[tuple[str, str]]:
    """Entries that every container has to state, where one does not: `limits.cpu`, and the container."""
    whole = spec.resources
    for name in quota.spec.hard:
        resource = name.removeprefix(_LIMITS).removeprefix(_REQUESTS)
        if resource not in _COMPUTE or (name != resource and not name.startswith((_LIMITS, _REQUESTS))):
            continue
        limits = name.startswith(_LIMITS)
        if whole is not None and resource in (whole.limits if limits else whole.requests):
            continue
        for container in (*spec.init_containers, *spec.containers):
            stated = container.resources.limits if limits else container.resources.requests
            if resource not in stated:
                yield name, container.name
                break


def use_of(name: str, spec: PodSpec) -> Quantity:
    """What a pod counts for in one entry of a quota; nothing for entries about other objects."""
    if name in _PODS:
        return parse("1")
    if name.startswith(_LIMITS):
        limits = container_totals(spec, _limits)
        if spec.resources is not None:
            limits.update(quantities(spec.resources.limits))
        return limits.get(name.removeprefix(_LIMITS), ZERO)
    if name.startswith(_REQUESTS):
        return pod_requests(spec).get(name.removeprefix(_REQUESTS), ZERO)
    return pod_requests(spec).get(name, ZERO) if name in _PLAIN else ZERO


def use_of_all(quota: ResourceQuota, pods: Iterable[AdmittedPod]) -> dict[str, Quantity]:
    """What pods of its namespace count for in every entry of a quota."""
    total = dict.fromkeys(quota.spec.hard, ZERO)
    for pod in pods:
        if counts(quota, pod):
            for name in total:
                total[name] += use_of(name, pod.spec)
    return total


def unseen_use(quota: ResourceQuota, pods: Iterable[AdmittedPod]) -> dict[str, Quantity]:
    """What a quota says is used beyond the pods that are known: by those that are not in the input."""
    counted = use_of_all(quota, pods)
    stated = {name: parse(quota.status.used.get(name, "0")) for name in counted}
    return {name: max(stated[name] - counted[name], ZERO) for name in counted}


def shortage(
    quota: ResourceQuota, used: Mapping[str, Quantity], wanted: Mapping[str, Quantity]
) -> QuotaShortage | None:
    """The first entry for which there is no room; None where there is for all."""
    for name, raw in quota.spec.hard.items():
        if wanted[name] != ZERO and used[name] + wanted[name] > parse(raw):
            return QuotaShortage(name, parse(raw), used[name], wanted[name])
    return None


def _limits(container: Container) -> Resources:
    return quantities(container.resources.limits)
