"""Changes from outside that come at their times: objects that somebody creates, writes or deletes."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace as with_fields

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.run.api_server import ApiServer


class Entry(Struct, frozen=True):
    """A change from outside.

    Attributes:
        at: seconds since the run began.
        apply: makes the change.
    """

    at: float
    apply: Callable[[ApiServer], None]


def find(api: ApiServer, kind: type[TopLevel], name: str, namespace: str = "default") -> TopLevel | None:
    """An object as the API server would give it back, None where there is none."""
    if kind is Pod:
        pod = api.pods.get(f"{namespace}/{name}")
        return None if pod is None else as_written(pod)
    if kind is Node:
        return api.nodes.get(name)
    return api.objects.find(kind, name, namespace) or api.objects.find(kind, name)


def as_written(pod: AdmittedPod) -> Pod:
    """A pod as an object of the API."""
    spec = with_fields(pod.spec, node_name=pod.node_name)
    return Pod(api_version="v1", kind="Pod", metadata=pod.metadata, spec=spec, status=pod.status)


def create(api: ApiServer, item: TopLevel, admission: Admission) -> None:
    """Make an object; pods get what the API server adds."""
    if isinstance(item, Pod):
        api.create_pod(admission.admit_existing(item))
    else:
        write(api, item, admission)


def write(api: ApiServer, item: TopLevel, admission: Admission) -> None:
    """Write an object as it is; a pod stays the one that was there."""
    if isinstance(item, Pod):
        known = api.pods.get(item.full_name)
        metadata = with_fields(item.metadata, uid="" if known is None else known.uid)
        api.put_pod(admission.admit_update(with_fields(item, metadata=metadata)))
    elif isinstance(item, Node):
        api.put_node(item)
    else:
        api.put_object(item, find(api, type(item), item.name, item.namespace))


def delete(
    api: ApiServer,
    kind: type[TopLevel],
    name: str,
    namespace: str = "default",
    grace: int | None = None,
) -> None:
    """Delete an object, if it is there.

    Args:
        api: the API server.
        kind: its type.
        name: its name.
        namespace: meaningless for kinds without.
        grace: of a pod, seconds; None: as it says itself.
    """
    if kind is Pod:
        api.delete_pod(f"{namespace}/{name}", grace)
    elif kind is Node:
        api.remove_node(name)
    elif (old := find(api, kind, name, namespace)) is not None:
        api.remove_object(old)
