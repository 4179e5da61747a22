"""Rules for a pod, part by part in the order in which the API server tells them."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.affinity import validate_affinity
from kschedctl.admission.validation.containers import (
    Surroundings,
    validate_containers,
    validate_ephemeral_containers,
    validate_image,
    validate_init_containers,
)
from kschedctl.admission.validation.environment import validate_file_volumes
from kschedctl.admission.validation.field import Field, Problems, one_of, one_of_or_default
from kschedctl.admission.validation.labels import label_key, validate_labels
from kschedctl.admission.validation.metadata import validate_pod_annotations
from kschedctl.admission.validation.pod_network import (
    validate_dns_config,
    validate_host_aliases,
    validate_hostname_override,
)
from kschedctl.admission.validation.pod_security import validate_own_users, validate_pod_security
from kschedctl.admission.validation.ports import validate_network_ports
from kschedctl.admission.validation.profiles import validate_annotations_match
from kschedctl.admission.validation.resource_claims import validate_resource_claims
from kschedctl.admission.validation.resources import validate_overhead, validate_pod_resources
from kschedctl.admission.validation.syntax import dns_label, dns_subdomain
from kschedctl.admission.validation.tolerations import validate_tolerations
from kschedctl.admission.validation.topology_spread import validate_spread_constraints
from kschedctl.admission.validation.volumes import validate_volumes
from kschedctl.admission.validation.windows import validate_host_processes, validate_system
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems
from kschedctl.objects.pod import PodSpec

_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
_DEFAULT_GRACE = 30
_MAX_DEADLINE = 2**31 - 1


def validate_pod(pod: Field, typed: PodSpec, gates: AdmissionGates) -> Problems:
    """A pod that is to be created, but for its metadata alone.

    Args:
        pod: the document of the pod as admission and the merging of label keys left it.
        typed: its spec as scheduling reads it.
        gates: what the version accepts.
    """
    spec, metadata = pod["spec"], pod["metadata"]
    containers = [c for of in _CONTAINER_LISTS for c in spec[of].items]
    yield from validate_pod_annotations(metadata["annotations"], spec, containers, gates)
    yield from _validate_spec(spec, metadata, containers, typed, gates)
    yield from _validate_tokens(spec)
    for container in (*spec["containers"].items, *spec["initContainers"].items):
        yield from validate_image(container)
    if spec["ephemeralContainers"].items:
        yield spec["ephemeralContainers"].forbidden("cannot be set on create")
    if spec["nodeName"].text and spec["schedulingGates"].items:
        yield spec["nodeName"].forbidden("cannot be set until all schedulingGates have been cleared")
    annotations = {key: value.text for key, value in metadata["annotations"].entries.items()}
    yield from validate_annotations_match(spec, annotations, containers)


_CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


def _validate_spec(
    spec: Field, metadata: Field, containers: list[Field], typed: PodSpec, gates: AdmissionGates
) -> Problems:
    grace = spec["terminationGracePeriodSeconds"]
    seconds = grace.number if grace.is_set else _DEFAULT_GRACE
    volumes: dict[str, Field] = {}
    claims = frozenset(claim["name"].text for claim in spec["resourceClaims"].items) - {""}
    around = Surroundings(spec, volumes, claims, seconds if seconds >= 0 else 1, gates)
    yield from validate_volumes(spec, metadata["name"].text, gates, volumes)
    yield from validate_resource_claims(spec["resourceClaims"], metadata["annotations"])
    yield from validate_containers(around)
    yield from validate_init_containers(around)
    yield from validate_ephemeral_containers(around)
    yield from _validate_pod_resources(spec, typed, claims, gates)
    if spec["hostNetwork"].is_true:
        yield from validate_network_ports(spec["containers"])
    yield from one_of_or_default(spec["restartPolicy"], _RESTART_POLICIES)
    yield from one_of_or_default(spec["dnsPolicy"], _DNS_POLICIES)
    yield from validate_labels(spec["nodeSelector"], gates)
    yield from validate_pod_security(spec, gates)
    yield from validate_affinity(spec["affinity"], gates)
    yield from validate_dns_config(spec["dnsConfig"], spec["dnsPolicy"].text, gates)
    for gate in spec["readinessGates"].items:
        yield from label_key(gate["conditionType"], gates)
    yield from _validate_gates(spec["schedulingGates"], gates)
    yield from validate_spread_constraints(spec["topologySpreadConstraints"], gates)
    yield from validate_host_processes(spec, containers)
    yield from validate_own_users(spec, containers, gates)
    yield from validate_hostname_override(spec)
    yield from _validate_names(spec)
    yield from validate_tolerations(spec["tolerations"], gates)
    yield from validate_host_aliases(spec["hostAliases"], gates)
    yield from _validate_classes(spec)
    yield from validate_overhead(spec["overhead"], gates)
    if spec["os"].is_set:
        yield from validate_system(spec, containers)
    yield from _validate_group(spec, gates)
    yield from validate_file_volumes(spec, containers)


def _validate_pod_resources(
    spec: Field, typed: PodSpec, claims: frozenset[str], gates: AdmissionGates
) -> Problems:
    resources = spec["resources"]
    if not resources.is_set or not gates.pod_level_resources:
        return
    if spec["os"]["name"].text == "windows":
        yield resources.forbidden("may not be set for a windows pod")
    else:
        yield from validate_pod_resources(resources, typed, claims, gates)


def _validate_gates(scheduling_gates: Field, gates: AdmissionGates) -> Problems:
    names: set[str] = set()
    for gate in scheduling_gates.items:
        name = Field(gate.path, gate["name"].text)
        yield from label_key(name, gates)
        if name.text in names:
            yield name.duplicate()
        names.add(name.text)


def _validate_names(spec: Field) -> Problems:
    """Names of other objects, the deadline, and the pod's own host names."""
    account = spec["serviceAccountName"]
    # The older of the two names of this field counts where the newer one is absent.
    name = account.text or spec["serviceAccount"].text
    if name:
        yield from dns_subdomain(account.replaced_by(name))
    if spec["nodeName"].text:
        yield from dns_subdomain(spec["nodeName"])
    deadline = spec["activeDeadlineSeconds"]
    if deadline.is_set and not 1 <= deadline.number <= _MAX_DEADLINE:
        yield deadline.invalid(f"must be between 1 and {_MAX_DEADLINE}, inclusive")
    for field in (spec["hostname"], spec["subdomain"]):
        if field.text:
            yield from dns_label(field)


def _validate_classes(spec: Field) -> Problems:
    if spec["priorityClassName"].text:
        yield from dns_subdomain(spec["priorityClassName"])
    if spec["runtimeClassName"].is_set:
        yield from dns_subdomain(spec["runtimeClassName"])
    policy = spec["preemptionPolicy"]
    if policy.value == "":
        yield policy.required()
    else:
        yield from one_of(policy, _PREEMPTION_POLICIES)


def _validate_group(spec: Field, gates: AdmissionGates) -> Problems:
    """The reference to the group of a pod."""
    if gates.facts.group_is_a_label:
        reference = spec["workloadRef"]
        if reference.is_set:
            yield from reference["name"].invalid_each(dns_subdomain_problems(reference["name"].text))
            yield from reference["podGroup"].invalid_each(dns_label_problems(reference["podGroup"].text))
            if reference["podGroupReplicaKey"].text:
                yield from dns_label(reference["podGroupReplicaKey"])
        return
    group, name = spec["schedulingGroup"], spec["schedulingGroup"]["podGroupName"]
    if group.is_set and not name.is_set:
        yield name.invalid("must specify one of: `podGroupName`")
    elif group.is_set:
        yield from dns_subdomain(name)


def _validate_tokens(spec: Field) -> Problems:
    """Tokens need a service account."""
    if spec["serviceAccountName"].text or spec["serviceAccount"].text:
        return
    for volume in spec["volumes"].items:
        for source in volume["projected"]["sources"].items:
            if source["serviceAccountToken"].is_set:
                yield source["serviceAccountToken"].forbidden(
                    "must not be specified when serviceAccountName is not set"
                )
