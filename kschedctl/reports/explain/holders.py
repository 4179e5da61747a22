"""Who holds what the pod lacks: the running pods with most of a resource on the nodes that are closest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import start_of
from kschedctl.objects.phrases import plural
from kschedctl.objects.pod_requests import pod_requests, to_resource_units
from kschedctl.objects.units import amount_of, amount_text
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.plugins.node_volume_limits import ATTACHMENTS_OF, NodeVolumeLimits
from kschedctl.reports.explain.model import Explanation, Holder, NodeReport
from kschedctl.reports.explain.requests import parts_text
from kschedctl.reports.sentences import duration
from kschedctl.scheduling.decision import Decision
from kschedctl.volumes.attachments import AttachmentError, attachments_of, may_attach
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.in_tree import COUNTED_PLUGINS
from kschedctl.workloads.controllers import is_daemon, is_static

_FIT: Final = NodeResourcesFit.spec.name
_LIMITS: Final = NodeVolumeLimits.spec.name
_SHOWN: Final = 3


def holders_of(decision: Decision, nodes: Sequence[NodeReport]) -> list[Holder]:
    """The pods that hold what is short, on each of some nodes the largest share first."""
    return [holder for node in nodes for holder in _on(decision, node)]


def _on(decision: Decision, node: NodeReport) -> Iterator[Holder]:
    cluster = decision.cluster
    row = cluster.nodes.row_of[node.name]
    records = [cluster.pods.records[pod] for pod in cluster.usage.pods[row]]
    details = [
        detail
        for failure in node.all_failures
        if failure.plugin in (_FIT, _LIMITS)
        for detail in failure.details
        # Of a node that is too small nobody has to leave.
        if detail.subject != "pods" and (detail.total or 0) >= (detail.needs or 0)
    ]
    for detail in details:
        driver = detail.subject.removeprefix(ATTACHMENTS_OF)
        if driver != detail.subject:
            held = [(_attached(decision, r, driver), r) for r in records]
        else:
            held = [(r.pod_class.requests.get(detail.subject, 0), r) for r in records]
        for amount, record in sorted(held, key=lambda one: (-one[0], one[1].full_name)):
            if amount:
                yield _holder(decision, node.name, detail.subject, amount, record)


def _attached(decision: Decision, record: PodRecord, driver: str) -> int:
    """How many volumes of a driver a pod attaches; those that it shares with others count for each."""
    if not may_attach(record.pod):
        return 0
    catalog = ClusterStorage.of(decision.cluster).catalog
    try:
        found = attachments_of(record.pod, catalog, COUNTED_PLUGINS, strict=False)
    except AttachmentError:
        return 0
    return sum(one == driver for one in found.values())


def _holder(decision: Decision, node: str, resource: str, amount: int, record: PodRecord) -> Holder:
    owner = record.pod.metadata.controller
    return Holder(
        node=node,
        resource=resource,
        pod=record.full_name,
        amount=amount,
        priority=record.priority,
        owner=f"{owner.kind}/{owner.name}" if owner else None,
        terminating=record.pod.is_terminating,
        terminating_seconds=_ending_for(decision, record),
        stays=is_daemon(record.pod) or is_static(record.pod),
        why=_why(resource, amount, record),
    )


def _ending_for(decision: Decision, record: PodRecord) -> int | None:
    began, now = record.pod.metadata.deletion_timestamp, decision.cluster.looked_at
    if began is None or now is None:
        return None
    return max(0, (now - start_of(began)) // 10**9)


def _why(resource: str, amount: int, record: PodRecord) -> str:
    """Why a pod counts for more than its containers ask for together; empty where it does not."""
    if resource.startswith(ATTACHMENTS_OF):
        return ""
    wanted = pod_requests(record.pod.spec).get(resource)
    if wanted is not None and to_resource_units(resource, wanted) != amount:
        asked = amount_text(resource, to_resource_units(resource, wanted))
        return f"its resize is not done: it asks for {asked}"
    return parts_text(resource, record.pod.spec)


def in_the_way(report: Explanation) -> Iterator[tuple[str, str]]:
    """The largest holders on the closest node, a line each."""
    if not report.holders:
        return
    node = report.closest.node if report.closest is not None else report.holders[0].node
    by_pod: dict[str, list[Holder]] = {}
    for holder in report.holders:
        if holder.node == node:
            by_pod.setdefault(holder.pod, []).append(holder)
    pods = list(by_pod.values())
    for i, held in enumerate(pods[:_SHOWN]):
        yield "" if i else "in the way", _told(held)
    if rest := pods[_SHOWN:]:
        yield "", f"{plural(len(rest), 'more pod')} with {_amounts([one for held in rest for one in held])}"


def _told(held: Sequence[Holder]) -> str:
    first = held[0]
    facts = [f"priority {first.priority}", first.owner or "no controller"]
    facts += dict.fromkeys(text for holder in held for text in _facts(holder))
    return f"{first.pod} has {_amounts(held)} ({', '.join(facts)})"


def remarks(holder: Holder) -> str:
    """What else is to be known of a holder: that it is going or has to stay, and why it counts for so much."""
    return ", ".join(_facts(holder))


def _facts(holder: Holder) -> Iterator[str]:
    if holder.terminating:
        seconds = holder.terminating_seconds
        yield "terminating" if seconds is None else f"terminating for {duration(seconds)}"
    if holder.stays:
        yield "belongs to the node"
    if holder.why:
        yield holder.why


def _amounts(held: Sequence[Holder]) -> str:
    """What some pods hold of each resource, together."""
    total: dict[str, int] = {}
    for holder in held:
        total[holder.resource] = total.get(holder.resource, 0) + holder.amount
    return " and ".join(amount_of(name, amount_text(name, amount)) for name, amount in total.items())
