"""Rules for containers, init containers and ephemeral containers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.container_security import validate_container_security
from kschedctl.admission.validation.environment import validate_environment
from kschedctl.admission.validation.field import Field, Problems, one_of_or_default
from kschedctl.admission.validation.mounts import validate_mounts
from kschedctl.admission.validation.ports import validate_host_ports, validate_ports
from kschedctl.admission.validation.probes import PROBES, validate_life
from kschedctl.admission.validation.resources import validate_container_resources
from kschedctl.admission.validation.restarts import (
    validate_container_restart,
    validate_init_container_resizes,
    validate_init_container_restart,
    validate_resize_policies,
)
from kschedctl.admission.validation.syntax import dns_label

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_ONLY_OF_SIDECARS = "may not be set for init containers without restartPolicy=Always"
_NOT_EPHEMERAL = (
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "restartPolicyRules",
    *PROBES,
    "lifecycle",
)
_EMPTY_IS_ABSENT = ("ports", "resources", "resizePolicy", "restartPolicyRules")


class Surroundings(Struct, frozen=True):
    """What of the pod the rules for a container read."""

    spec: Field
    volumes: Mapping[str, Field]
    """The valid volumes by name."""
    claims: frozenset[str]
    """The names in `spec.resourceClaims`."""
    grace: int
    """Termination grace period in seconds."""
    gates: AdmissionGates


def validate_containers(pod: Surroundings) -> Problems:
    """The containers: at least one, no name twice, no host port twice."""
    containers = pod.spec["containers"]
    if not containers.items:
        yield containers.required()
    names: set[str] = set()
    for container in containers.items:
        yield from _validate_common(container, pod)
        yield from _validate_name_once(container["name"], names)
        names.add(container["name"].text)
        yield from validate_life(container, pod.grace, pod.spec["os"])
        yield from validate_container_restart(container, pod.gates)
    yield from validate_host_ports(containers, list(range(len(containers.items))))


def validate_init_containers(pod: Surroundings) -> Problems:
    """The init containers, whose names differ from those of the containers too."""
    names = {container["name"].text for container in pod.spec["containers"].items}
    containers = pod.spec["initContainers"]
    for i, container in enumerate(containers.items):
        yield from _validate_common(container, pod)
        yield from validate_init_container_restart(container, pod.gates)
        yield from _validate_name_once(container["name"], names)
        yield from validate_host_ports(containers, [i])
        if container["restartPolicy"].text == "Always":
            yield from validate_life(container, pod.grace, pod.spec["os"])
        else:
            for name in ("lifecycle", *PROBES):
                if container[name].is_set:
                    yield container[name].forbidden(_ONLY_OF_SIDECARS)
        yield from validate_init_container_resizes(container, pod.gates)


def validate_ephemeral_containers(pod: Surroundings) -> Problems:
    """Ephemeral containers; a new pod cannot have any, which is told beside what else is wrong with them."""
    others = {c["name"].text for of in ("containers", "initContainers") for c in pod.spec[of].items}
    names = set(others)
    for container in pod.spec["ephemeralContainers"].items:
        yield from _validate_common(container, pod)
        yield from validate_image(container)
        yield from _validate_name_once(container["name"], names)
        names.add(container["name"].text)
        target = container["targetContainerName"]
        if target.text and target.text not in others:
            yield target.not_found()
        for name in _NOT_EPHEMERAL:
            if container[name].value or (container[name].is_set and name not in _EMPTY_IS_ABSENT):
                yield container[name].forbidden("cannot be set for an Ephemeral Container")
        for mount in container["volumeMounts"].items:
            for name in ("subPath", "subPathExpr"):
                if mount[name].text:
                    yield mount[name].forbidden("cannot be set for an Ephemeral Container")


def validate_image(container: Field) -> Problems:
    """The image of a container of a pod; templates may have spaces around it."""
    if container["image"].text != container["image"].text.strip():
        yield container["image"].invalid("must not have leading or trailing whitespace")


def _validate_name_once(name: Field, names: set[str]) -> Problems:
    if name.text in names:
        yield name.duplicate()
    elif name.text:
        names.add(name.text)


def _validate_common(container: Field, pod: Surroundings) -> Problems:
    name = container["name"]
    if not name.text:
        yield name.required()
    else:
        yield from dns_label(name)
    if not container["image"].text:
        yield container["image"].required()
    yield from one_of_or_default(container["terminationMessagePolicy"], _MESSAGE_POLICIES)
    yield from validate_ports(container["ports"])
    yield from validate_environment(container, pod.gates)
    yield from validate_mounts(container, pod.volumes)
    yield from one_of_or_default(container["imagePullPolicy"], PULL_POLICIES)
    yield from validate_container_resources(container["resources"], pod.claims, pod.gates)
    yield from validate_resize_policies(container, pod.spec["restartPolicy"].text, pod.gates)
    own_users = pod.spec["hostUsers"].is_false
    yield from validate_container_security(container["securityContext"], own_users=own_users)
