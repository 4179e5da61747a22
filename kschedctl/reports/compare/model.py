"""The report on two sides: which pods land elsewhere and why, and how balanced each side ends."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.reports.model import API_VERSION, ClusterSummary, ReportObject, SchedulerSummary, doc


class Balance(ReportObject, frozen=True):
    """How evenly a resource is used in the end."""

    resource: Annotated[str, doc("The resource.")]
    used: Annotated[float, doc("The share in use, of nodes that take pods.")]
    deviation: Annotated[float, doc("Standard deviation of the shares of the nodes.")]
    zones: Annotated[
        list[float], doc("The lowest and the highest share of a zone; empty where there are none.")
    ]
    pools: Annotated[
        list[float], doc("The lowest and the highest share of a node pool; empty where there are none.")
    ]
    largest_free: Annotated[
        int, doc("The largest piece that is free on one node: milli cpu, bytes or a count.")
    ]
    largest_free_text: Annotated[str, doc("The same as people write it.")]


class Side(ReportObject, frozen=True, kw_only=True):
    """One of the two sides."""

    label: Annotated[str, doc("What is particular about it.")]
    scheduler: SchedulerSummary
    cluster: ClusterSummary
    wanted: Annotated[int, doc("How many pods were to be scheduled.")]
    placed: Annotated[int, doc("How many of them are on a node.")]
    evicted: Annotated[int, doc("How many pods were preempted.")]
    nodes: Annotated[int, doc("How many nodes there are.")]
    nodes_used: Annotated[int, doc("How many of them run a pod that is no daemon.")]
    balance: Annotated[list[Balance], doc("By resource that pods ask for.")]


class WhyThere(ReportObject, frozen=True, kw_only=True):
    """Why a side takes its node and not that of the other one."""

    side: Annotated[int, doc("0: the first, 1: the second.")]
    rejected: Annotated[str, doc("Why the other node is none there; empty where it is one, or is not there.")]
    ahead: Annotated[
        int | None, doc("So many points more the node has there than the other one; null: not scored.")
    ]
    plugins: Annotated[
        dict[str, int], doc("Plugin -> weighted points that it gives the node more than the other.")
    ]


class MovedPod(ReportObject, frozen=True, kw_only=True):
    """A pod that ends otherwise."""

    pod: Annotated[str, doc("namespace/name.")]
    workload: Annotated[str, doc("Kind/name of its workload.")]
    outcomes: Annotated[list[str], doc("How it ends, by side; Absent: there is no such pod.")]
    nodes: Annotated[list[str | None], doc("The node that it gets, by side.")]
    messages: Annotated[list[str], doc("Why it gets none, by side; empty where it gets one.")]
    why: Annotated[list[WhyThere], doc("Why there, for as many pods as were looked into.")]


class SideBySide(ReportObject, frozen=True, kw_only=True):
    """Two sides."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["SideBySide"], doc("What this is.")] = "SideBySide"
    cluster: Annotated[ClusterSummary, doc("The first cluster, with the caveats of both.")]
    changes: Annotated[list[str], doc("What is changed on the second side, in order.")]
    anew: Annotated[bool, doc("Whether running pods were placed anew on both sides.")]
    sides: Annotated[list[Side], doc("The two sides.")]
    same: Annotated[bool, doc("Whether every pod ends alike.")]
    moved: Annotated[list[MovedPod], doc("Pods that end otherwise, in order of arrival.")]
