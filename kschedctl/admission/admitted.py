"""A pod after admission: the form in which the rest of the engine reads pods."""

from __future__ import annotations

from msgspec import Struct

from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.pod import Pod, PodSpec, PodStatus
from kschedctl.objects.pod_requests import RESIZE_PENDING


class AdmittedPod(Struct, frozen=True, eq=False):
    """A pod with everything that the API server adds; equal only to itself.

    Equal specs are one object (what differs between replicas, the node, is kept beside it), so that whatever
    is derived from a spec is derived once.
    """

    metadata: ObjectMeta
    spec: PodSpec
    """Shared with every equal pod; its `node_name` is ""."""
    status: PodStatus
    node_name: str
    """`spec.nodeName`, "" where none is written."""
    source: Pod | None = None
    """The pod as written, for positions."""

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """`metadata.namespace`, `default` where none is written."""
        return self.metadata.namespace or "default"

    @property
    def full_name(self) -> str:
        """`namespace/name`."""
        return f"{self.namespace}/{self.metadata.name}"

    @property
    def uid(self) -> str:
        """`metadata.uid`, `namespace/name` where none is written."""
        return self.metadata.uid or self.full_name

    @property
    def labels(self) -> dict[str, str]:
        """`metadata.labels`."""
        return self.metadata.labels

    @property
    def priority(self) -> int:
        """`spec.priority`, 0 where there is none."""
        return self.spec.priority or 0

    @property
    def preemption_policy(self) -> str:
        """`spec.preemptionPolicy`, `PreemptLowerPriority` where there is none."""
        return self.spec.preemption_policy or "PreemptLowerPriority"

    @property
    def is_terminating(self) -> bool:
        """Whether deletion has begun."""
        return self.metadata.deletion_timestamp is not None

    @property
    def is_resize_deferred(self) -> bool:
        """Whether the pod runs, and its node has no room for its resize as yet."""
        pending = next((c for c in self.status.conditions if c.type == RESIZE_PENDING), None)
        return bool(self.node_name) and pending is not None and pending.reason == "Deferred"

    @property
    def nominated_node_name(self) -> str:
        """`status.nominatedNodeName`, "" where none is written."""
        return self.status.nominated_node_name
