"""A plugin that is written for one node at a time: the columns are filled by asking for each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.resources import ResourceIndex
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.framework.plugin import Plugin, PreFilterResult, PreScoreResult, Scores
from kschedctl.framework.status import Code
from kschedctl.framework.verdicts import Mask, Verdicts
from kschedctl.objects.node import Node


class Never(str):
    """A reason why a node is rejected, whatever pods are evicted from it."""

    __slots__ = ()


class NodeInfo:
    """One node as a plugin sees it, real or in a what-if.

    Attributes:
        node: the object.
    """

    def __init__(self, rows: Rows, row: int) -> None:
        self._rows, self._row = rows, row
        self.node: Node = rows.node(row)

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.node.metadata.labels

    @property
    def pods(self) -> list[AdmittedPod]:
        """The pods on it, in the order in which they came."""
        records = self._rows.cluster.pods.records
        return [records[pod].pod for pod in self._rows.pods(self._row)]

    def allocatable(self, resource: str) -> int:
        """How much it can give: cpu in milli, the rest in whole units; 0 of what it does not have."""
        if resource == "pods":
            return int(self._rows.allowed_pods[self._row])
        return self._amount(self._rows.allocatable, resource)

    def requested(self, resource: str) -> int:
        """How much its pods ask for, in the same units."""
        if resource == "pods":
            return int(self._rows.pod_count[self._row])
        return self._amount(self._rows.requested, resource)

    def free(self, resource: str) -> int:
        """What is left."""
        return self.allocatable(resource) - self.requested(resource)

    def _amount(self, column: npt.NDArray[np.int64], resource: str) -> int:
        index: ResourceIndex = self._rows.cluster.resources
        at = index.find(resource)
        return int(column[self._row, at]) if at is not None and at < column.shape[1] else 0


class NodePlugin(Plugin[PodRecord, PodRecord]):
    """Base of plugins that look at one node at a time; override `filter_node`, `score_node`, or both.

    What they answer may depend on the pod, the node and the pods on it. Name the points `filter` and `score` in the
    spec as needed; `preFilter` and `preScore` need not be named, the pod is handed on without them.
    """

    def filter_node(self, pod: AdmittedPod, node: NodeInfo) -> str | None:
        """Why the pod cannot have the node, in the words of the event; None: it can.

        A reason that no eviction of pods would lift is `Never("...")`.
        """
        return None

    def score_node(self, pod: AdmittedPod, node: NodeInfo) -> int:
        """How good the node is for the pod: any number with `normalize`, else 0 to 100."""
        return 0

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[PodRecord]:
        """State: the pod."""
        return PreFilterResult(pod)

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[PodRecord]:
        """State: the pod."""
        return PreScoreResult(pod)

    def filter(self, state: PodRecord, rows: Rows) -> Verdicts:
        """Ask about each row whose verdict somebody reads."""
        said: dict[int, str] = {}
        for row in range(len(rows)) if rows.wanted is None else np.flatnonzero(rows.wanted).tolist():
            if (reason := self.filter_node(state.pod, NodeInfo(rows, row))) is not None:
                said[row] = reason
        if not said:
            return Verdicts(None)
        codes = np.zeros(len(rows), np.uint8)
        masks: dict[str, Mask] = {}
        for row, reason in said.items():
            codes[row] = Code.UNRESOLVABLE if isinstance(reason, Never) else Code.UNSCHEDULABLE
            masks.setdefault(str(reason), np.zeros(len(rows), bool))[row] = True
        return Verdicts(codes, tuple((mask, reason) for reason, mask in masks.items()))

    def score(self, state: PodRecord, rows: Rows) -> Scores:
        """Ask about each row."""
        scores = (self.score_node(state.pod, NodeInfo(rows, row)) for row in range(len(rows)))
        return np.fromiter(scores, np.int64, len(rows))
