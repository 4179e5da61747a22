"""Rules for a pod spec, part by part in the order in which the API server tells them."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.admission.context import AdmissionGates
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems
from kschedctl.objects.pod import PodSpec, SchedulingGate

from .affinity import validate_affinity
from .containers import validate_containers
from .labels import validate_label_key, validate_labels
from .problems import Problems, duplicate, forbidden, invalid_each, unsupported
from .resource_claims import validate_resource_claims
from .resources import validate_overhead, validate_pod_resources
from .tolerations import validate_tolerations
from .topology_spread import validate_spread_constraints
from .volumes import validate_volumes

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_PREEMPTION_POLICIES = ("Never", "PreemptLowerPriority")


def validate_pod_spec(spec: PodSpec, gates: AdmissionGates) -> Problems:
    """A spec that has its defaults and went through admission, before label keys are merged."""
    yield from validate_volumes("spec.volumes", spec.volumes)
    yield from validate_resource_claims("spec.resourceClaims", spec.resource_claims)
    yield from validate_containers(spec)
    if gates.pod_level_resources:
        yield from validate_pod_resources("spec.resources", spec)
    if spec.restart_policy not in _RESTART_POLICIES:
        yield unsupported("spec.restartPolicy", spec.restart_policy, _RESTART_POLICIES)
    yield from validate_labels("spec.nodeSelector", spec.node_selector or {})
    yield from validate_affinity("spec.affinity", spec.affinity)
    yield from _validate_gates("spec.schedulingGates", spec.scheduling_gates)
    yield from validate_spread_constraints("spec.topologySpreadConstraints", spec.topology_spread_constraints)
    if spec.host_users is False and spec.host_network and not gates.user_namespaces_host_network:
        yield forbidden("spec.hostNetwork", "when `hostUsers` is false")
    yield from _validate_names(spec)
    ordered = gates.toleration_comparison_operators
    yield from validate_tolerations("spec.tolerations", spec.tolerations, ordered=ordered)
    if spec.preemption_policy is not None and spec.preemption_policy not in _PREEMPTION_POLICIES:
        yield unsupported("spec.preemptionPolicy", spec.preemption_policy, _PREEMPTION_POLICIES)
    yield from validate_overhead("spec.overhead", spec.overhead)
    if spec.scheduling_gates and spec.node_name:
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


def _validate_gates(path: str, gates: Sequence[SchedulingGate]) -> Problems:
    names: set[str] = set()
    for i, gate in enumerate(gates):
        yield from validate_label_key(f"{path}[{i}]", gate.name)
        if gate.name in names:
            yield duplicate(f"{path}[{i}]", gate.name)
        names.add(gate.name)


def _validate_names(spec: PodSpec) -> Problems:
    """Names of other objects, and the pod's own host names."""
    subdomains = {
        "nodeName": spec.node_name,
        "priorityClassName": spec.priority_class_name,
    }
    for field, name in subdomains.items():
        if name:
            yield from invalid_each(f"spec.{field}", name, dns_subdomain_problems(name))
    if spec.runtime_class_name is not None:
        problems = dns_subdomain_problems(spec.runtime_class_name)
        yield from invalid_each("spec.runtimeClassName", spec.runtime_class_name, problems)
    for field, name in {"hostname": spec.hostname, "subdomain": spec.subdomain}.items():
        if name:
            yield from invalid_each(f"spec.{field}", name, dns_label_problems(name))
