"""Which fields hold names, type by type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kschedctl.objects import apps, constraints, containers, core, groups, pod_volumes, resource, storage
from kschedctl.objects import meta as m
from kschedctl.objects import node as n
from kschedctl.objects import pod as p
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.sources.redaction.names import Sort
from kschedctl.sources.redaction.rewriting import Rule, Scope, rewrite
from kschedctl.sources.reduction import KEPT_ANNOTATIONS
from kschedctl.sources.shape import ShapeError, decode

KEPT_KINDS: Final = frozenset(
    {"PriorityClass", "RuntimeClass", "StorageClass", "CSIDriver", "VolumeAttributesClass", "DeviceClass"}
)
"""Kinds whose objects keep their names: pods and claims ask for them by what they are."""

_SORTS: Final = {
    "Node": Sort.NODE,
    "CSINode": Sort.NODE,
    "PersistentVolume": Sort.VOLUME,
    "ResourceSlice": Sort.SLICE,
}
_KEPT_LABELS: Final = frozenset(
    {
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-completion-index",
        "controller-uid",
        "kubernetes.io/arch",
        "kubernetes.io/os",
    }
)
_LABELS_WITH_NAMES: Final = frozenset(
    {"batch.kubernetes.io/job-name", "job-name", "statefulset.kubernetes.io/pod-name"}
)
_NAMESPACE_LABEL: Final = "kubernetes.io/metadata.name"
_NODE_ANNOTATION: Final = "volume.kubernetes.io/selected-node"
_DROPPED_ANNOTATIONS: Final = "scheduler.alpha.kubernetes.io/"
_COMPARISONS: Final = ("Gt", "Lt")
_DEFAULT_SCHEDULER: Final = "default-scheduler"
_DEFAULT_POOL: Final = "rbd"
_TIME: Final = re.compile(r"[0-9TZ:.+-]*")
_IQN: Final = "iqn.2001-01.example:"
"""Before the replacement of the name of an iSCSI target, which has a form."""


def rewrite_object(obj: m.TopLevel, scope: Scope) -> m.TopLevel:
    """Return an object with all names in it replaced."""
    obj = rewrite(obj, scope, RULES)
    meta, kind = obj.metadata, BY_TYPE[type(obj)].kind
    namespace = scope.names.namespace(meta.namespace) if meta.namespace else ""
    name = object_name(kind, meta.name, scope)
    return replace(obj, metadata=replace(meta, name=name, namespace=namespace, uid=uid(meta.uid, scope)))


def object_name(kind: str, name: str, scope: Scope) -> str:
    """The replacement of the name of an object, or of a reference to it."""
    if kind in KEPT_KINDS or not name:
        return name
    if kind == "Namespace":
        return scope.names.namespace(name)
    sort = _SORTS.get(kind) or (None if scope.namespace else Sort.OTHER)
    return scope.names.plain(sort, name) if sort else scope.names.local(scope.namespace, name)


def uid(text: str, scope: Scope) -> str:
    """A uid tells nothing, unless it is one that was made up of namespace and name."""
    namespace, slash, name = text.partition("/")
    if not slash:
        return text
    return f"{scope.names.namespace(namespace)}/{scope.names.local(namespace, name)}"


def label_value(key: str, value: str, scope: Scope) -> str:
    """The replacement of a value of a label."""
    if key in _KEPT_LABELS or not value:
        return value
    if key == _NAMESPACE_LABEL:
        return scope.names.namespace(value)
    if key in _LABELS_WITH_NAMES:
        return scope.names.local(scope.namespace, value)
    return scope.names.value(key, value)


def labels(pairs: Mapping[str, str], scope: Scope) -> dict[str, str]:
    """Labels, or a selector written as labels."""
    return {key: label_value(key, value, scope) for key, value in pairs.items()}


def _node(name: str, scope: Scope) -> str:
    return scope.names.plain(Sort.NODE, name)


def _metadata(meta: m.ObjectMeta, scope: Scope) -> m.ObjectMeta:
    annotations = {
        key: _node(value, scope) if key == _NODE_ANNOTATION else value
        for key, value in meta.annotations.items()
        if key in KEPT_ANNOTATIONS and not key.startswith(_DROPPED_ANNOTATIONS)
    }
    return replace(meta, labels=labels(meta.labels, scope), annotations=annotations)


def _owner(owner: m.OwnerReference, scope: Scope) -> m.OwnerReference:
    return replace(owner, name=object_name(owner.kind, owner.name, scope), uid=uid(owner.uid, scope))


def _label_selector(selector: m.LabelSelector, scope: Scope) -> m.LabelSelector:
    expressions = tuple(
        replace(e, values=tuple(label_value(e.key, value, scope) for value in e.values))
        for e in selector.match_expressions
    )
    return replace(selector, match_labels=labels(selector.match_labels, scope), match_expressions=expressions)


def _node_selector_term(term: m.NodeSelectorTerm, scope: Scope) -> m.NodeSelectorTerm:
    for expression in term.match_expressions:
        if expression.operator in _COMPARISONS:
            scope.names.compared(expression.key)
    expressions = tuple(
        replace(e, values=tuple(label_value(e.key, value, scope) for value in e.values))
        for e in term.match_expressions
    )
    fields = tuple(
        replace(f, values=tuple(_node(value, scope) for value in f.values)) for f in term.match_fields
    )
    return replace(term, match_expressions=expressions, match_fields=fields)


def _toleration(toleration: constraints.Toleration, scope: Scope) -> constraints.Toleration:
    if toleration.operator in _COMPARISONS:
        scope.names.compared(toleration.key)
    return replace(toleration, value=scope.names.value(toleration.key, toleration.value))


def _taint(taint: Any, scope: Scope) -> Any:
    return replace(taint, value=scope.names.value(taint.key, taint.value)) if taint.value else taint


def _pod_spec(spec: p.PodSpec, scope: Scope) -> p.PodSpec:
    selector = spec.node_selector
    return replace(
        spec,
        node_name=_node(spec.node_name, scope),
        node_selector=None if selector is None else labels(selector, scope),
        scheduler_name=_scheduler(spec.scheduler_name, scope),
        hostname="",
        subdomain="",
    )


def _scheduler(name: str, scope: Scope) -> str:
    return name if name == _DEFAULT_SCHEDULER else scope.names.text(name)


def _scheduling_group(group: p.PodSchedulingGroup, scope: Scope) -> p.PodSchedulingGroup:
    return replace(group, pod_group_name=scope.names.local(scope.namespace, group.pod_group_name))


def _workload_reference(reference: p.WorkloadReference, scope: Scope) -> p.WorkloadReference:
    name, group = (scope.names.local(scope.namespace, n) for n in (reference.name, reference.pod_group))
    return replace(reference, name=name, pod_group=group, pod_group_replica_key="")


def _template_reference(
    reference: groups.WorkloadTemplateReference, scope: Scope
) -> groups.WorkloadTemplateReference:
    name = scope.names.local(scope.namespace, reference.workload_name)
    return replace(reference, workload_name=name, template_name="", pod_group_template_name="")


def _group_spec(spec: groups.GroupSpec, scope: Scope) -> groups.GroupSpec:
    parent = spec.parent_composite_pod_group_name
    if parent is None:
        return spec
    return replace(spec, parent_composite_pod_group_name=scope.names.local(scope.namespace, parent))


def _workload_pod_group(group: groups.WorkloadPodGroup, scope: Scope) -> groups.WorkloadPodGroup:
    return replace(group, name=scope.names.local(scope.namespace, group.name))


def _pod_claim(claim: p.PodResourceClaim, scope: Scope) -> p.PodResourceClaim:
    def local(name: str | None) -> str | None:
        return None if name is None else scope.names.local(scope.namespace, name)

    return replace(
        claim,
        resource_claim_name=local(claim.resource_claim_name),
        resource_claim_template_name=local(claim.resource_claim_template_name),
    )


def _pod_claim_status(status: p.PodResourceClaimStatus, scope: Scope) -> p.PodResourceClaimStatus:
    name = status.resource_claim_name
    return (
        status
        if name is None
        else replace(status, resource_claim_name=scope.names.local(scope.namespace, name))
    )


def _extended_claim(status: p.ExtendedResourceClaimStatus, scope: Scope) -> p.ExtendedResourceClaimStatus:
    return replace(status, resource_claim_name=scope.names.local(scope.namespace, status.resource_claim_name))


def _claim_volume(
    source: pod_volumes.PersistentVolumeClaimVolumeSource, scope: Scope
) -> pod_volumes.PersistentVolumeClaimVolumeSource:
    return replace(source, claim_name=scope.names.local(scope.namespace, source.claim_name))


def _ephemeral(source: pod_volumes.EphemeralVolumeSource, scope: Scope) -> pod_volumes.EphemeralVolumeSource:
    """A claim template is generic data; what cannot be read as a claim is dropped with all its names."""
    try:
        claim = decode(source.volume_claim_template, storage.PersistentVolumeClaim)
    except ShapeError:
        return pod_volumes.EphemeralVolumeSource()
    rewritten = msgspec.json.encode(_template(rewrite(claim, scope, RULES), scope))
    return replace(source, volume_claim_template=msgspec.json.decode(rewritten))


def _images(names: Iterable[str], scope: Scope) -> tuple[str, ...]:
    return tuple(scope.names.image(name) for name in names)


def _affinity_term(term: constraints.PodAffinityTerm, scope: Scope) -> constraints.PodAffinityTerm:
    return replace(term, namespaces=tuple(map(scope.names.namespace, term.namespaces)))


def _claim_reference(reference: storage.ObjectReference, scope: Scope) -> storage.ObjectReference:
    inside = Scope(scope.names, reference.namespace or "default")
    return replace(
        reference,
        namespace=scope.names.namespace(reference.namespace),
        name=object_name(reference.kind or "PersistentVolumeClaim", reference.name, inside),
        uid=uid(reference.uid, scope),
    )


def _consumer(consumer: resource.ResourceClaimConsumer, scope: Scope) -> resource.ResourceClaimConsumer:
    name = scope.names.local(scope.namespace, consumer.name)
    return replace(consumer, name=name, uid=uid(consumer.uid, scope))


def _pool(pool: str, scope: Scope) -> str:
    return scope.names.plain(Sort.POOL, pool)


def _optional_node(value: Any, scope: Scope) -> Any:
    return value if value.node_name is None else replace(value, node_name=_node(value.node_name, scope))


def _taint_selector(selector: resource.DeviceTaintSelector, scope: Scope) -> resource.DeviceTaintSelector:
    return selector if selector.pool is None else replace(selector, pool=_pool(selector.pool, scope))


def _attachment_source(
    source: storage.VolumeAttachmentSource, scope: Scope
) -> storage.VolumeAttachmentSource:
    name = source.persistent_volume_name
    return (
        source
        if name is None
        else replace(source, persistent_volume_name=scope.names.plain(Sort.VOLUME, name))
    )


def _volume_id(disk: Any, scope: Scope) -> Any:
    return replace(disk, volume_id=scope.names.handle(disk.volume_id))


def _iqn(name: str, scope: Scope) -> str:
    return f"{_IQN}{scope.names.text(name)}" if name else ""


def _expression(value: Any, scope: Scope) -> Any:
    return replace(value, expression=scope.names.selector(value.expression))


def _attribute(attribute: resource.DeviceAttribute, scope: Scope) -> resource.DeviceAttribute:
    one, several = attribute.string_value, attribute.string_values
    return replace(
        attribute,
        string_value=None if one is None else scope.names.device_text(one),
        string_values=None if several is None else tuple(map(scope.names.device_text, several)),
    )


def _template(template: Any, _: Scope) -> Any:
    """What is made of a template has a name of its own."""
    return replace(template, metadata=replace(template.metadata, name="", namespace="", uid=""))


def _stateful_set(spec: apps.StatefulSetSpec, _: Scope) -> apps.StatefulSetSpec:
    """Names of claim templates stay, as names inside a pod: claims are named after them."""
    claims = tuple(
        replace(claim, metadata=replace(claim.metadata, namespace="", uid=""))
        for claim in spec.volume_claim_templates
    )
    return replace(spec, service_name="", volume_claim_templates=claims)


RULES: Final[dict[type, Rule]] = {
    m.ObjectMeta: _metadata,
    m.OwnerReference: _owner,
    m.LabelSelector: _label_selector,
    m.NodeSelectorTerm: _node_selector_term,
    m.Condition: lambda condition, _: replace(condition, message=""),
    n.Taint: _taint,
    n.ContainerImage: lambda image, scope: replace(image, names=_images(image.names, scope)),
    p.PodSpec: _pod_spec,
    p.PodStatus: lambda status, scope: replace(
        status, nominated_node_name=_node(status.nominated_node_name, scope)
    ),
    containers.Container: lambda container, scope: replace(
        container, image=scope.names.image(container.image)
    ),
    pod_volumes.ImageVolumeSource: lambda source, scope: replace(
        source, reference=scope.names.image(source.reference)
    ),
    constraints.Toleration: _toleration,
    constraints.PodAffinityTerm: _affinity_term,
    p.PodSchedulingGroup: _scheduling_group,
    p.WorkloadReference: _workload_reference,
    p.PodResourceClaim: _pod_claim,
    p.PodResourceClaimStatus: _pod_claim_status,
    p.ExtendedResourceClaimStatus: _extended_claim,
    pod_volumes.PersistentVolumeClaimVolumeSource: _claim_volume,
    pod_volumes.EphemeralVolumeSource: _ephemeral,
    core.ServiceSpec: lambda spec, scope: replace(
        spec, selector=None if spec.selector is None else labels(spec.selector, scope)
    ),
    core.RuntimeClassScheduling: lambda scheduling, scope: replace(
        scheduling, node_selector=labels(scheduling.node_selector, scope)
    ),
    core.PodDisruptionBudgetStatus: lambda status, scope: replace(
        status,
        disrupted_pods={
            scope.names.local(scope.namespace, name): time if _TIME.fullmatch(time) else ""
            for name, time in status.disrupted_pods.items()
        },
    ),
    apps.ReplicationControllerSpec: lambda spec, scope: replace(
        spec, selector=None if spec.selector is None else labels(spec.selector, scope)
    ),
    apps.StatefulSetSpec: _stateful_set,
    p.PodTemplateSpec: _template,
    apps.JobTemplateSpec: _template,
    resource.ResourceClaimTemplateSpec: _template,
    storage.PersistentVolumeClaimSpec: lambda spec, scope: replace(
        spec, volume_name=scope.names.plain(Sort.VOLUME, spec.volume_name)
    ),
    storage.ObjectReference: _claim_reference,
    storage.CsiPersistentVolumeSource: lambda source, scope: replace(
        source, volume_handle=scope.names.handle(source.volume_handle)
    ),
    storage.TopologySelectorLabelRequirement: lambda requirement, scope: replace(
        requirement,
        values=tuple(label_value(requirement.key, value, scope) for value in requirement.values),
    ),
    storage.VolumeAttachmentSpec: lambda spec, scope: replace(spec, node_name=_node(spec.node_name, scope)),
    storage.VolumeAttachmentSource: _attachment_source,
    storage.CsiNodeDriver: lambda driver, _: replace(driver, node_id=""),
    resource.ResourceSliceSpec: _optional_node,
    resource.ResourcePool: lambda pool, scope: replace(pool, name=_pool(pool.name, scope)),
    resource.Device: _optional_node,
    resource.DeviceTaint: _taint,
    resource.DeviceTaintSelector: _taint_selector,
    resource.DeviceAllocationResult: lambda result, scope: replace(result, pool=_pool(result.pool, scope)),
    resource.AllocatedDeviceStatus: lambda status, scope: replace(status, pool=_pool(status.pool, scope)),
    resource.ResourceClaimConsumer: _consumer,
    groups.PodGroupSpec: _group_spec,
    groups.CompositePodGroupSpec: _group_spec,
    groups.WorkloadTemplateReference: _template_reference,
    groups.WorkloadPodGroup: _workload_pod_group,
    containers.ContainerPort: lambda port, scope: replace(port, host_ip=scope.names.address(port.host_ip)),
    p.NodeAllocatableClaimStatus: _extended_claim,
    pod_volumes.GcePersistentDisk: lambda disk, scope: replace(
        disk, pd_name=scope.names.handle(disk.pd_name)
    ),
    pod_volumes.AwsElasticBlockStore: _volume_id,
    pod_volumes.AzureDisk: lambda disk, scope: replace(disk, disk_uri=scope.names.handle(disk.disk_uri)),
    pod_volumes.Cinder: _volume_id,
    pod_volumes.PortworxVolume: _volume_id,
    pod_volumes.Iscsi: lambda disk, scope: replace(disk, iqn=_iqn(disk.iqn, scope)),
    pod_volumes.Rbd: lambda disk, scope: replace(
        disk, pool=disk.pool if disk.pool == _DEFAULT_POOL else scope.names.text(disk.pool)
    ),
    resource.CelSelector: _expression,
    resource.DerivedAttribute: _expression,
    resource.DeviceAttribute: _attribute,
}
"""Type -> rule."""
