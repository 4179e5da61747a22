"""Whether a plugin keeps to the contract: whatever breaks it is told at once, as one AssertionError."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.errors import PluginError
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.node_plugin import NodePlugin
from kschedctl.framework.plugin import AnyPlugin, Plugin
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.runtime import PreFilterPhase
from kschedctl.framework.scoring import MAX_SCORE
from kschedctl.framework.status import Status
from kschedctl.framework.verdicts import Verdicts
from kschedctl.scheduling.effects import place
from kschedctl.testing.cluster import CANDIDATES, SAMPLE, Data, entered, session_with
from kschedctl.whatif.session import Session

_METHODS: Final = {
    P.PRE_ENQUEUE: "pre_enqueue",
    P.QUEUE_SORT: "queue_order",
    P.PRE_FILTER: "pre_filter",
    P.FILTER: "filter",
    P.POST_FILTER: "post_filter",
    P.PRE_SCORE: "pre_score",
    P.SCORE: "score",
    P.RESERVE: "reserve",
    P.PERMIT: "permit",
    P.PRE_BIND: "pre_bind",
}
_FOR_A_NODE: Final = {P.FILTER: "filter_node", P.SCORE: "score_node"}
_HANDED_ON: Final = frozenset({P.PRE_FILTER, P.PRE_SCORE})
"""Points whose state `NodePlugin` makes, named or not."""


def check_plugin(
    plugin: type[AnyPlugin],
    args: Mapping[str, Any] | None = None,
    *,
    objects: Sequence[Data] = SAMPLE,
    candidates: Sequence[Data] = CANDIDATES,
    version: str | None = None,
) -> None:
    """Check that a plugin keeps to the contract.

    It gives the same answers when it is asked again; what it says of a node does not hang on which other nodes it is
    asked about; nodes with pods added and removed in a what-if are judged as if the pods had really come and gone; its
    spec names what it does, and is true about what its answers depend on; scores are 0 to 100 in the end; the cluster
    is left alone, or as it was once everything is taken back.

    Args:
        plugin: enabled at all its points.
        args: its arguments, as in `pluginConfig`.
        objects: a cluster in which it has something to say, as manifests.
        candidates: pods that are asked about, as manifests.
        version: of kube-scheduler.

    Raises:
        AssertionError: it does not; all problems that were found.
    """
    problems = list(_about_spec(plugin))
    for candidate in candidates:
        session = session_with([plugin], objects, {plugin.spec.name: args}, version)
        name = f"pod {candidate['metadata']['name']}"
        try:
            problems += (f"{name}: {text}" for text in _Check(plugin, session, candidate).problems())
        except PluginError as error:
            problems.append(f"{name}: {error}")
    if problems:
        lines = "\n".join(f"- {text}" for text in dict.fromkeys(problems))
        raise AssertionError(f"plugin {plugin.spec.name} breaks the contract:\n{lines}")


def _about_spec(plugin: type[AnyPlugin]) -> Iterator[str]:
    """What the spec names and the class does not do, and the other way round."""
    for_a_node = issubclass(plugin, NodePlugin)
    for point, method in _METHODS.items():
        if for_a_node and point in _HANDED_ON:
            continue
        base: type[AnyPlugin] = Plugin
        if for_a_node and getattr(plugin, method) is getattr(NodePlugin, method):
            method, base = _FOR_A_NODE.get(point, method), NodePlugin
        defined = getattr(plugin, method) is not getattr(base, method, None)
        if point in plugin.spec.points and not defined:
            yield f"the spec names {point}, and the class has no {method}"
        if defined and point not in plugin.spec.points:
            yield f"the class has {method}, and the spec does not name {point}: nobody calls it"


class _Check:
    """The checks of one pod."""

    def __init__(self, plugin: type[AnyPlugin], session: Session, candidate: Data) -> None:
        self._points = plugin.spec.points
        self._spec = plugin.spec
        self._session = session
        self._cluster: ClusterState = session.cluster
        self._pod = entered(session, candidate)
        (self._framework,) = session.scheduler.frameworks.values()
        self._plugin = self._framework.plugin(plugin.spec.name)

    def problems(self) -> Iterator[str]:
        """What is wrong."""
        before = self._cluster.journal.revision
        if P.PRE_ENQUEUE in self._points:
            yield from self._twice("pre_enqueue", lambda: self._plugin.pre_enqueue(self._pod, self._cluster))
        if P.QUEUE_SORT in self._points:
            yield from self._queue_order()
        if P.FILTER in self._points:
            yield from self._filter()
        if P.SCORE in self._points:
            yield from self._score()
        if self._cluster.journal.revision != before:
            yield "asking it changes the cluster"
        yield from self._placing()

    def _twice(self, what: str, ask: Callable[[], object]) -> Iterator[str]:
        if ask() != ask():
            yield f"{what} gives another answer when it is asked again"

    def _queue_order(self) -> Iterator[str]:
        orders = [self._plugin.queue_order(record, self._cluster) for record in self._cluster.pods.records]
        try:
            sorted(orders)
        except TypeError as error:
            yield f"queue_order gives values that cannot be compared: {error}"
        yield from self._twice("queue_order", lambda: self._plugin.queue_order(self._pod, self._cluster))

    # Filter

    def _phase(self) -> PreFilterPhase:
        return self._framework.run_pre_filter(self._pod, self._cluster)

    def _said(self, rows: Rows, phase: PreFilterPhase) -> list[tuple[str, ...]]:
        """What Filter says of each row, empty where it passes."""
        if self._plugin.name in phase.skipped:
            return [()] * len(rows)
        state = self._framework.filter_state(self._plugin, self._pod, phase, self._cluster)
        return _texts(self._plugin.filter(state, rows), len(rows))

    def _filter(self) -> Iterator[str]:
        phase, cluster = self._phase(), self._cluster
        if phase.status is not None and phase.status.plugin != self._plugin.name:
            return
        if phase.status is not None:
            yield from self._twice("pre_filter", lambda: self._phase().status)
            return
        said = self._said(Rows(cluster), phase)
        if said != self._said(Rows(cluster), phase) or said != self._said(Rows(cluster), self._phase()):
            yield "filter gives another answer when it is asked again"
        order = np.arange(cluster.nodes.count)[::-1][::2].copy()
        if self._said(Rows(cluster, order), phase) != [said[row] for row in order.tolist()]:
            yield "filter says something else of a node when it is asked about fewer nodes"
        yield from self._in_what_ifs(phase, said)
        yield from self._reads(said)

    def _in_what_ifs(self, phase: PreFilterPhase, said: list[tuple[str, ...]]) -> Iterator[str]:
        """Pods that are added to, and removed from, single rows, as preemption does it."""
        cluster, every = self._cluster, np.arange(self._cluster.nodes.count)
        if self._said(self._framework.hypothetical(phase, cluster, every), phase) != said:
            yield "filter says something else of nodes in a what-if in which nothing has changed"
            return
        for other in self._others():
            for row in range(cluster.nodes.count):
                if cluster.pods.node[other.id] == row:
                    sign, done = -1, "removed from"
                elif cluster.pods.node[other.id] < 0:
                    sign, done = 1, "added to"
                else:
                    continue
                rows = self._framework.hypothetical(phase, cluster, every)
                pods = np.full(cluster.nodes.count, -1)
                pods[row] = other.id
                self._framework.change(phase, rows, pods, sign)
                found = self._said(rows, phase)[row]
                if found != self._really(other, row)[row]:
                    name = cluster.nodes.names[row]
                    yield (
                        f"filter judges node {name} otherwise when pod {other.name} is {done} it in a what-if than "
                        "when it really is: it has to go by the rows it is given, or to keep count by has_row_state"
                    )
                    return

    def _really(self, other: PodRecord, row: int) -> list[tuple[str, ...]]:
        """What Filter says of each row once a pod has come to a node, or gone from it."""
        start = self._cluster.mark()
        if self._cluster.pods.node[other.id] < 0:
            self._cluster.assume(other.id, row)
        else:
            self._cluster.remove(other.id)
        phase = self._phase()
        refused: list[tuple[str, ...]] = [("",)] * len(self._cluster.nodes)
        found = refused if phase.status else self._said(Rows(self._cluster), phase)
        self._cluster.undo_to(start)
        return found

    def _reads(self, said: list[tuple[str, ...]]) -> Iterator[str]:
        """Whether answers depend on what the spec says they depend on."""
        reads = self._spec.reads
        if reads not in (Reads.NODES, Reads.ROW):
            return
        for other in self._others():
            if self._cluster.pods.node[other.id] >= 0:
                continue
            for row in range(self._cluster.nodes.count):
                changed = [at for at, now in enumerate(self._really(other, row)) if now != said[at]]
                if any(reads is Reads.NODES or at != row for at in changed):
                    yield f"the spec says that it reads {reads.name}, and a pod that comes to a node changes more"
                    return

    def _others(self) -> list[PodRecord]:
        return [record for record in self._cluster.pods.records if record.id != self._pod.id]

    # Score

    def _score(self) -> Iterator[str]:
        cluster, every = self._cluster, np.arange(self._cluster.nodes.count)
        prepared = self._plugin.pre_score(self._pod, cluster, every)
        if prepared.skip or prepared.status is not None:
            return
        raw = self._plugin.score(prepared.state, Rows(cluster, every))
        if isinstance(raw, Status):
            return
        yield from self._twice(
            "score", lambda: _listed(self._plugin.score(prepared.state, Rows(cluster, every)))
        )
        some = every[::-2].copy()
        if _listed(self._plugin.score(prepared.state, Rows(cluster, some))) != raw[some].tolist():
            yield "score says something else of a node when it is asked about fewer nodes"
        final = self._plugin.normalize(prepared.state, raw.copy(), every)
        outside = [int(score) for score in final.tolist() if not 0 <= score <= MAX_SCORE]
        if outside:
            yield f"a score is {outside[0]} in the end, and not 0 to {MAX_SCORE}: normalize, or keep to the range"
        if self._spec.keeps_scores and final.tolist() != raw.tolist():
            yield "normalize changes scores: the spec has to say keeps_scores=False"

    # What comes after the choice

    def _placing(self) -> Iterator[str]:
        before = self._cluster.journal.revision
        start = self._cluster.mark()
        decision = self._session.scheduler.decide(self._pod, self._cluster)
        if decision.selected is not None:
            place(decision)
        self._cluster.undo_to(start)
        if self._cluster.journal.revision != before:
            yield "what it reserves is not taken back with the journal"


def _listed(scores: object) -> object:
    return scores.tolist() if isinstance(scores, np.ndarray) else scores


def _texts(verdicts: Verdicts, rows: int) -> list[tuple[str, ...]]:
    if verdicts.codes is None:
        return [()] * rows
    codes = verdicts.codes.tolist()
    return [(str(code), *verdicts.reasons_of(row)) if code else () for row, code in enumerate(codes)]
