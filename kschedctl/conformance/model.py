"""The report of `conformance`, as it is printed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from kschedctl.reports.model import API_VERSION, ReportObject, doc

_Pods = Annotated[int, doc("All pods.")]
_Agreeing = Annotated[int, doc("Pods that are equal in every field.")]
_Percent = Annotated[float, doc("Share of the pods that agree, in percent.")]
_PreemptionOnly = Annotated[int, doc("Pods that differ in preemption and what follows from it alone.")]
_Unsupported = Annotated[int, doc("Pods of cases that need something that is not evaluated.")]
_Otherwise = Annotated[int, doc("Pods that differ in more than preemption.")]


class CategoryCounts(ReportObject, frozen=True, kw_only=True):
    """How the pods of one golden file compare with their golden results."""

    category: Annotated[str, doc("The file, by its place among the others.")]
    pods: _Pods
    agreeing: _Agreeing
    percent: _Percent
    preemption_only: _PreemptionOnly
    unsupported: _Unsupported
    otherwise: _Otherwise


class CaseFailure(ReportObject, frozen=True, kw_only=True):
    """Why some cases have no results of ours."""

    kind: Annotated[str, doc("unsupported, refused or crashed.")]
    reason: Annotated[str, doc("The text of the error.")]
    pods: Annotated[int, doc("Pods of those cases.")]


class PodDifference(ReportObject, frozen=True, kw_only=True):
    """A pod whose result is not the golden one."""

    category: Annotated[str, doc("The golden file.")]
    case: Annotated[str, doc("Name of the case.")]
    pod: Annotated[str, doc("namespace/name.")]
    field: Annotated[str, doc("The first field that differs.")]
    plugin: Annotated[str, doc("The plugin that answers differently; empty: none can be named.")]
    want: Annotated[Any, doc("The golden value.")]
    got: Annotated[Any, doc("Ours.")]


class ConformanceReport(ReportObject, frozen=True, kw_only=True):
    """What `conformance` says."""

    api_version: Annotated[Literal["kschedctl.dev/v1alpha1"], doc("Version of this report.")] = API_VERSION
    kind: Annotated[Literal["ConformanceReport"], doc("Kind of this report.")] = "ConformanceReport"
    cases: Annotated[int, doc("Cases that were replayed.")]
    pods: _Pods
    agreeing: _Agreeing
    percent: _Percent
    preemption_only: _PreemptionOnly
    unsupported: _Unsupported
    otherwise: _Otherwise
    categories: Annotated[list[CategoryCounts], doc("The counts of each file.")]
    fields: Annotated[dict[str, int], doc("First field that differs -> pods.")]
    plugins: Annotated[dict[str, int], doc("Plugin that answers differently -> pods.")]
    failures: Annotated[list[CaseFailure], doc("Why cases have no results.")]
    differences: Annotated[list[PodDifference], doc("The first pods that differ, as many as --show says.")]
