"""Sentences that several kinds of reports have, without layout: whom an answer is about, names, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from shlex import quote
from types import MappingProxyType
from typing import Final, Protocol

from kschedctl.objects.phrases import plural
from kschedctl.reports.again import ask_again
from kschedctl.reports.caveats.made_up import NOWHERE, REFUSED, PodReport, practical_outcome
from kschedctl.reports.explain.model import OutcomeName
from kschedctl.reports.model import ClusterSummary, PodSummary, WorkloadSummary

_MOST_NAMES: Final = 4
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))

UNTRIED: Final[Mapping[OutcomeName, tuple[str, str]]] = MappingProxyType(
    {
        "Gated": (
            "is gated: kube-scheduler does not try it",
            "are gated: kube-scheduler does not try them",
        ),
        "Invalid": ("would be refused by the API server",) * 2,
        "NoProfile": (
            "is handled by no profile: another scheduler places it, if it runs",
            "are handled by no profile: another scheduler places them, if it runs",
        ),
        "Terminating": (
            "is being deleted and is not scheduled",
            "are being deleted and are not scheduled",
        ),
        "Error": ("cannot be judged: a plugin fails",) * 2,
    }
)
"""What is said of a pod, or of several, for which no node was looked for to the end, whatever the question."""


WANTING: Final = "what its answer hangs on could not be read"
"""Why a pod cannot be judged, in short."""


class Snapshotted(Protocol):
    """A report on a cluster."""

    @property
    def cluster(self) -> ClusterSummary:
        """The cluster."""


def but(report: PodReport) -> str:
    """Why a pod that kube-scheduler has a node for is not there all the same; empty where it is."""
    match practical_outcome(report):
        case outcome if outcome == NOWHERE:
            return ", which the cluster does not have"
        case outcome if outcome == REFUSED:
            return " once it is created, which a ResourceQuota forbids"
        case _:
            return ""


def subject(pod: PodSummary) -> str:
    """Whom an answer is about: `shop/web-1 and 41 equal pods`, `one pod of Deployment shop/api (5 replicas)`."""
    found = pod.workload
    if found is None:
        equal = f" and {plural(len(pod.equal_pods), 'equal pod')}" if pod.equal_pods else ""
        return pod.full_name + equal
    name = f"one pod of {found.kind} {found.namespace}/{found.name}"
    if found.pods is None:
        return name
    return f"{name} ({f'{found.pods} at once' if found.kind == 'Job' else plural(found.pods, 'replica')})"


def pod_notes(
    pod: PodSummary, cluster: ClusterSummary, *, complete: bool = False, in_group: bool = False
) -> list[tuple[str, str]]:
    """What else is to be known of the pod: which others are like it, or that it runs already."""
    rows = []
    if pod.equal_pods:
        equal = listed(pod.equal_pods, len(pod.equal_pods) if complete else _MOST_NAMES)
        rows.append(("equal", f"{equal}, each asked about alone"))
    if (
        pod.workload is not None
        and not in_group
        and (told := _others(pod, pod.workload, cluster)) is not None
    ):
        rows.append(("note", told))
    if pod.running_on:
        rows.append(("note", f"runs on {pod.running_on} now; judged as if it were to be placed anew"))
    return rows


def _others(pod: PodSummary, workload: WorkloadSummary, cluster: ClusterSummary) -> str | None:
    """How to ask about all pods of a workload; None where there are no others."""
    if workload.from_cluster:
        command = f"capacity {workload.kind.lower()}/{workload.name} -n {workload.namespace}"
        return f"judged is one more pod; how many fit: {ask_again(command, cluster)}"
    if workload.pods is not None and workload.pods <= 1:
        return None
    file = quote(pod.source.file) if pod.source and pod.source.file else "FILE"
    return f"judged is one pod alone; all of them: {ask_again(f'simulate -f {file}', cluster)}"


def tally(placed: int, pods: int) -> str:
    """How many of several pods find a node."""
    return f"{placed} of {plural(pods, 'pod')} would be placed"


def taken(report: Snapshotted, now: datetime | None) -> str:
    """When the snapshot was taken: `taken 4 min ago`; empty where that is not known."""
    at = report.cluster.taken_at
    if at is None:
        return ""
    if now is None:
        return f"taken {at}"
    seconds = max(0, int((now - datetime.fromisoformat(at)).total_seconds()))
    return f"taken {duration(seconds)} ago"


def duration(seconds: int) -> str:
    """A time in its largest unit: `9 d`, `3 h`."""
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "0 s"


def listed(names: Sequence[str], most: int = _MOST_NAMES, counted: int = 0) -> str:
    """Names as in a sentence, the rest as a number: `n1, n2 and n3`, `n1, n2, n3 and 12 more`.

    Args:
        names: the names.
        most: show no more than these.
        counted: how many more there are without a name.
    """
    if len(names) <= most and not counted:
        shown = list(names)
    else:
        shown = [*names[: most - 1], f"{len(names) - min(most - 1, len(names)) + counted:,} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
