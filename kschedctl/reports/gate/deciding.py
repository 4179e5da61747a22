"""Why a pod of a manifest stays pending, in the words of `explain`, and which field of the manifest decides it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from kschedctl.objects.apps import StatefulSet
from kschedctl.objects.containers import Container
from kschedctl.objects.pod import Pod, PodSpec
from kschedctl.objects.pod_requests import quantities
from kschedctl.objects.pod_volumes import Volume
from kschedctl.objects.quantity import Quantity
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.reports.explain.model import Explanation, ReasonGroup
from kschedctl.reports.simulate.inspection import Inspection
from kschedctl.scheduling.decision import Outcome
from kschedctl.sources.held_template import held_at
from kschedctl.sources.lines import FieldPath
from kschedctl.whatif.manifests import Release
from kschedctl.whatif.queue.task import Task
from kschedctl.workloads import WorkloadKey
from kschedctl.workloads.template import template_path

_REASONS: Final = 3
_REFUSED_FIELD: Final = re.compile(r"\[?spec(?P<path>(?:\.\w+|\[\d+\])+)")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")


class Deciding(Struct, frozen=True):
    """A field of a manifest.

    Attributes:
        key: the object.
        field: the path in it.
    """

    key: WorkloadKey
    field: FieldPath


def told(task: Task) -> str:
    """What explain says beyond the event: the numbers and objects behind it; empty: nothing."""
    found = task.inspected
    if not isinstance(found, Explanation | Inspection):
        return ""
    if found.advice is not None:
        return found.advice
    texts = [group.text for group in found.reasons if group.text not in task.message]
    more = len(texts) - _REASONS
    return "; ".join(texts[:_REASONS]) + (f" and {more} more" if more > 0 else "")


def deciding_field(task: Task, release: Release) -> Deciding:
    """The field that keeps a pod of a workload pending: the one that the reason with most nodes is about."""
    made = release.template_of(task.pod)
    held = None if made is None else held_at(made)
    spec = (*(template_path(task.workload.kind) if held is None else held), "spec")
    field: FieldPath = ()
    match task.outcome:
        case Outcome.INVALID:
            refused = _REFUSED_FIELD.match(task.message)
            field = _steps(refused["path"]) if refused else ()
        case Outcome.GATED:
            field = ("schedulingGates",)
        case _ if task.refusal is not None:
            field = ("nodeName",)
        case _ if isinstance(task.inspected, Explanation | Inspection) and task.inspected.reasons:
            reason = task.inspected.reasons[0]
            if reason.plugin in _OF_VOLUMES:
                return _of_volumes(task, release, f"{told(task)} {reason.text}", spec)
            of_plugin = _FIELDS.get(reason.plugin)
            field = () if of_plugin is None else of_plugin(task.pod.spec, reason)
    return Deciding(task.workload, (*spec, *field))


def _steps(path: str) -> FieldPath:
    """`.containers[0].name` -> containers, 0, name."""
    return tuple(match[1] or int(match[2]) for match in _STEP.finditer(path))


def _request(spec: PodSpec, reason: ReasonGroup) -> FieldPath:
    """The container that asks for most of the resource which the nodes lack."""
    lacking, colon, _ = reason.text.partition(":")
    resource = lacking if colon else ""
    if spec.resources is not None and resource in spec.resources.requests:
        return ("resources", "requests", resource)
    places = [("containers", at, one) for at, one in enumerate(spec.containers)]
    places += [("initContainers", at, one) for at, one in enumerate(spec.init_containers)]
    asking = [(_asked(one, resource), place) for place, (*_, one) in enumerate(places)]
    stating = [(amount, -place) for amount, place in asking if amount is not None]
    if not stating:
        return ()
    field, at, largest = places[-max(stating)[1]]
    stated = "requests" if resource in largest.resources.requests else "limits"
    return (field, at, "resources", stated, resource)


def _asked(container: Container, resource: str) -> Quantity | None:
    """What a container asks for; its limit where it states no request."""
    own = container.resources
    return quantities(own.requests).get(resource) or quantities(own.limits).get(resource)


def _selector(spec: PodSpec, reason: ReasonGroup) -> FieldPath:
    key = next((key for key in spec.node_selector or {} if key in reason.text), None)
    return ("affinity", "nodeAffinity") if key is None else ("nodeSelector", key)


def _affinity(spec: PodSpec, reason: ReasonGroup) -> FieldPath:
    if reason.text.startswith("anti-affinity of"):
        return ()  # that of other pods
    kind = "podAntiAffinity" if "anti-affinity" in reason.text else "podAffinity"
    return ("affinity", kind)


def _spread(spec: PodSpec, reason: ReasonGroup) -> FieldPath:
    keys = [constraint.topology_key for constraint in spec.topology_spread_constraints]
    at = next((at for at, key in enumerate(keys) if key in reason.text), 0)
    return ("topologySpreadConstraints", at)


def _ports(spec: PodSpec, reason: ReasonGroup) -> FieldPath:
    for at, container in enumerate(spec.containers):
        for number, port in enumerate(container.ports):
            if port.host_port and str(port.host_port) in reason.text:
                return ("containers", at, "ports", number, "hostPort")
    return ()


def _always(*field: str) -> Callable[[PodSpec, ReasonGroup], FieldPath]:
    return lambda spec, reason: field


_FIELDS: Final[Mapping[str, Callable[[PodSpec, ReasonGroup], FieldPath]]] = MappingProxyType(
    {
        "NodeResourcesFit": _request,
        "NodeAffinity": _selector,
        "InterPodAffinity": _affinity,
        "PodTopologySpread": _spread,
        "NodePorts": _ports,
        "TaintToleration": _always("tolerations"),
        "NodeUnschedulable": _always("tolerations"),
        "NodeName": _always("nodeName"),
        "DynamicResources": _always("resourceClaims"),
    }
)
"""Plugin -> the field of a pod's spec that it goes by; others are told at the pod."""
_OF_VOLUMES: Final = frozenset({"VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits"})


def _of_volumes(task: Task, release: Release, text: str, spec: FieldPath) -> Deciding:
    """The storage class of the claim that is in the way, where its manifest is there, else the volume."""
    claimed = [(at, volume) for at, volume in enumerate(task.pod.spec.volumes) if _claim(volume, task.pod)]
    places = [_claim_place(at, volume, task, release, spec) for at, volume in claimed]
    named = [place for place, class_name in places if class_name and class_name in text.split()]
    return next(iter(named or [place for place, _ in places]), Deciding(task.workload, spec))


def _claim(volume: Volume, pod: Pod) -> str:
    if volume.ephemeral is not None:
        return f"{pod.name}-{volume.name}"
    return volume.persistent_volume_claim.claim_name if volume.persistent_volume_claim else ""


def _claim_place(
    at: int, volume: Volume, task: Task, release: Release, spec: FieldPath
) -> tuple[Deciding, str]:
    """Where the claim of a volume is written, and the storage class that it names there."""
    name, here = _claim(volume, task.pod), task.workload
    for obj in release.objects:
        match obj:
            case PersistentVolumeClaim() if (obj.namespace, obj.name) == (task.pod.namespace, name):
                key = WorkloadKey("PersistentVolumeClaim", obj.namespace, name)
                return Deciding(key, ("spec", "storageClassName")), obj.spec.storage_class_name or ""
            case StatefulSet() if (obj.namespace, obj.name) == (here.namespace, here.name):
                for number, claim in enumerate(obj.spec.volume_claim_templates):
                    if name.startswith(f"{claim.name}-"):
                        field = ("spec", "volumeClaimTemplates", number, "spec", "storageClassName")
                        return Deciding(here, field), claim.spec.storage_class_name or ""
    if volume.ephemeral is not None:
        inside = ("ephemeral", "volumeClaimTemplate", "spec", "storageClassName")
        return Deciding(here, (*spec, "volumes", at, *inside)), ""
    return Deciding(here, (*spec, "volumes", at)), ""
