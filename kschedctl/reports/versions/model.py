"""Reports on what two versions of kube-scheduler answer otherwise."""

from __future__ import annotations

from typing import Annotated, Literal

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.model import API_VERSION, ClusterSummary, PodSummary, ReportObject, doc
from kschedctl.reports.simulate.model import Simulation


class ApiChange(ReportObject, frozen=True, kw_only=True):
    """What the API server of one of the versions does not take as it is written."""

    version: Annotated[str, doc("The version.")]
    text: Annotated[str, doc("An API version that it does not have, or fields that it drops.")]


class VersionNode(ReportObject, frozen=True, kw_only=True):
    """A node that the two versions judge otherwise."""

    node: Annotated[str, doc("Its name.")]
    verdicts: Annotated[list[str], doc("By version: the reasons of kube-scheduler; empty: it is feasible.")]
    totals: Annotated[list[int | None], doc("By version: its points; null: not scored.")]
    plugins: Annotated[dict[str, list[int]], doc("Plugins that give it other points: weighted, by version.")]


class ExplanationVersions(ReportObject, frozen=True, kw_only=True):
    """Where a pod goes in two versions, and what is not the same."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["ExplanationVersions"], doc("What this is.")] = "ExplanationVersions"
    versions: Annotated[list[str], doc("The two versions, in the order in which they were asked for.")]
    pod: PodSummary
    cluster: ClusterSummary
    same: Annotated[bool, doc("Whether nothing differs.")]
    outcomes: Annotated[list[str], doc("How the decision ends, by version.")]
    selected_nodes: Annotated[list[str | None], doc("The node that is taken, by version.")]
    nodes: Annotated[list[VersionNode], doc("Nodes with another verdict or other points.")]
    events: Annotated[list[str], doc("The texts of the event, by version; empty where they are equal.")]
    api: Annotated[list[ApiChange], doc("What of the manifests one of them does not take as it is.")]
    answers: Annotated[list[Explanation], doc("The answers, by version.")]

    @property
    def outcome(self) -> str:
        """The worse of both outcomes."""
        return next((found for found in self.outcomes if found != "Scheduled"), "Scheduled")


class PodVersions(ReportObject, frozen=True, kw_only=True):
    """A pod that ends otherwise."""

    pod: Annotated[str, doc("namespace/name.")]
    workload: Annotated[str, doc("Kind/name of its workload.")]
    outcomes: Annotated[list[str], doc("How it ends, by version; Absent: there is no such pod.")]
    nodes: Annotated[list[str | None], doc("The node that it gets, by version.")]


class SimulationVersions(ReportObject, frozen=True, kw_only=True):
    """What happens to many pods in two versions, and what is not the same."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this format.")] = API_VERSION
    kind: Annotated[Literal["SimulationVersions"], doc("What this is.")] = "SimulationVersions"
    versions: Annotated[list[str], doc("The two versions, in the order in which they were asked for.")]
    cluster: ClusterSummary
    same: Annotated[bool, doc("Whether nothing differs.")]
    wanted: Annotated[list[int], doc("Pods that were to be scheduled, by version.")]
    placed: Annotated[list[int], doc("Those that are on a node, by version.")]
    pods: Annotated[list[PodVersions], doc("Pods that end otherwise.")]
    evicted: Annotated[
        dict[str, list[bool]], doc("Pods that are preempted in one version alone: whether, by version.")
    ]
    api: Annotated[list[ApiChange], doc("What of the manifests one of them does not take as it is.")]
    answers: Annotated[list[Simulation], doc("The answers, by version.")]
