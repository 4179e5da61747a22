"""ReplicaSet, ReplicationController and Deployment: equal pods with made-up names."""

from __future__ import annotations

from collections.abc import Container, Iterable
from itertools import islice

from msgspec.structs import replace

from kschedctl.admission.defaults import default_pod_spec
from kschedctl.objects.apps import Deployment, ReplicaSet, ReplicaSetSpec, ReplicationController
from kschedctl.objects.meta import LabelSelector, ObjectMeta
from kschedctl.objects.pod import PodSpec, PodTemplateSpec
from kschedctl.objects.written import as_read
from kschedctl.workloads.limits import pods_made
from kschedctl.workloads.names import NAME_LIMIT, generated_names, template_hash
from kschedctl.workloads.template import pod_from
from kschedctl.workloads.workload import Expansion, controlled_by, replicas_of, uid_of

HASH_LABEL = "pod-template-hash"
_GRACE_SECONDS = 30


def expand_replicas(
    owner: ReplicaSet | ReplicationController,
    count: int | None = None,
    taken: Container[str] = frozenset(),
    most: int | None = None,
) -> Expansion:
    """The pods of a replica set or replication controller.

    Args:
        owner: the workload.
        count: how many, None for as many as it asks for.
        taken: names that other pods of its namespace have.
        most: see `pods_made`.
    """
    made, counted = pods_made((replicas_of(owner) or 0) if count is None else count, most, owner)
    names = islice(generated_names(f"{owner.name}-", taken), made)
    return Expansion(tuple(pod_from(owner.spec.template, owner, name) for name in names), counted=counted)


def expand_deployment(
    deployment: Deployment,
    replica_sets: Iterable[ReplicaSet] = (),
    count: int | None = None,
    taken: Container[str] = frozenset(),
    most: int | None = None,
) -> Expansion:
    """The replica set of a deployment's present template, and its pods.

    Args:
        deployment: the workload.
        replica_sets: those of the cluster; one that the deployment owns and whose template is the same is kept.
        count: how many pods, None for as many as it asks for.
        taken: names that other pods of its namespace have.
        most: see `pods_made`.
    """
    made, counted = pods_made((replicas_of(deployment) or 0) if count is None else count, most, deployment)
    replica_set = current_replica_set(deployment, replica_sets)
    pods = expand_replicas(replica_set, made, taken).pods
    return Expansion(pods, (replica_set,), counted)


def current_replica_set(deployment: Deployment, replica_sets: Iterable[ReplicaSet] = ()) -> ReplicaSet:
    """The replica set that holds a deployment's pods of its present template."""
    wanted = _comparable(deployment.spec.template)
    for known in replica_sets:
        if is_owned(known, deployment) and _comparable(known.spec.template) == wanted:
            return replace(known, spec=replace(known.spec, replicas=deployment.spec.replicas))
    label = template_hash(deployment.spec.template)
    own = {HASH_LABEL: label}
    template = deployment.spec.template
    labelled = replace(template.metadata, labels={**template.metadata.labels, **own})
    selector = deployment.spec.selector or LabelSelector(match_labels=template.metadata.labels)
    return ReplicaSet(
        api_version="apps/v1",
        kind="ReplicaSet",
        metadata=ObjectMeta(
            name=f"{deployment.name[: NAME_LIMIT - len(label) - 1]}-{label}",
            namespace=deployment.namespace,
            labels=labelled.labels,
            owner_references=controlled_by(deployment),
        ),
        spec=ReplicaSetSpec(
            replicas=deployment.spec.replicas,
            selector=replace(selector, match_labels={**selector.match_labels, **own}),
            template=replace(template, metadata=labelled),
        ),
    )


def is_same_template(one: PodTemplateSpec, other: PodTemplateSpec) -> bool:
    """Whether two pod templates are the same, as far as their fields are read."""
    return _comparable(one) == _comparable(other)


def is_owned(replica_set: ReplicaSet, deployment: Deployment) -> bool:
    """Whether a replica set belongs to a deployment: by uid where both have one, else by name."""
    owner = replica_set.metadata.controller
    if owner is None or owner.kind != "Deployment" or replica_set.namespace != deployment.namespace:
        return False
    if owner.uid and deployment.metadata.uid:
        return owner.uid == uid_of(deployment)
    return owner.name == deployment.name


def _comparable(template: PodTemplateSpec) -> tuple[dict[str, str], dict[str, str], PodSpec]:
    """What a rollout compares: a template of a live cluster has defaults that a manifest lacks."""
    labels = {key: value for key, value in template.metadata.labels.items() if key != HASH_LABEL}
    spec = default_pod_spec(as_read(template.spec))
    grace = spec.termination_grace_period_seconds
    spec = replace(spec, termination_grace_period_seconds=_GRACE_SECONDS if grace is None else grace)
    return labels, template.metadata.annotations, spec
