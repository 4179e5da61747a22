"""The runner: PreFilter and Filter of one profile, over real or hypothetical rows (spec 01 §5.2 to §5.5)."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from kschedctl.cluster.rows import HypotheticalRows, Rows
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.filter_phase import FilterPhase, RefusalsForRivals
from kschedctl.framework.plugin import MISSING, AnyPlugin, PluginContext
from kschedctl.framework.plugin_spec import Reads
from kschedctl.framework.rivals import Rivals, rivals_among
from kschedctl.framework.status import Code, Status
from kschedctl.framework.verdicts import Mask, Verdicts
from kschedctl.framework.versions import GroupCycle

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.cluster.state import ClusterState
    from kschedctl.framework.configuration.profile import Profile
    from kschedctl.framework.versions import FeatureGates, Version

Ints = npt.NDArray[np.int64]


class PreFilterPhase(Struct):
    """What PreFilter left for one pod.

    Attributes:
        states: plugin name -> its state, for every plugin whose PreFilter ran.
        skipped: plugins whose Filter is off for this pod.
        status: the rejection or error of the pod, or None.
        nodes: the only nodes to look at, None for all.
        narrowed_by: the plugins that gave node sets.
    """

    states: dict[str, Any] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    status: Status | None = None
    nodes: frozenset[str] | None = None
    narrowed_by: set[str] = field(default_factory=set)


class Framework:
    """The plugins of one profile, and the rules by which their answers are merged.

    Args:
        profile: ordered plugins, weights and arguments.
        registry: the plugins that exist, by name.
        version: the version of kube-scheduler to follow.
        gates: its feature gates.

    Attributes:
        takes_groups: whether preemption takes pods of groups by the rules of their groups.
        equal_pods_fail_alike: whether a failure says how an equal pod fails while nothing moves: not where a plugin
            from outside reads more than pods on nodes, and whatever its author means by that.
        may_look_behind_filters: whether PostFilter may read more of a pod than its filters do.
        is_known: whether no plugin is from outside.
    """

    def __init__(
        self,
        profile: Profile,
        registry: Mapping[str, type[AnyPlugin]],
        version: Version,
        gates: FeatureGates,
    ) -> None:
        self.profile = profile
        self.version = version
        self.takes_groups = gates.group_cycle is GroupCycle.OF_GROUPS
        self._queues_deferred = gates.enabled("InPlacePodVerticalScalingSchedulerPreemption")
        names = dict.fromkeys(name for point in ExtensionPoint for name in profile.plugins(point))
        self._plugins = {
            name: _class_of(registry[name])(
                PluginContext(version.facts, gates, profile.args(name), profile.points_of(name))
            )
            for name in names
            if name in registry
        }
        self.equal_pods_fail_alike = not any(
            plugin.spec.reads is Reads.ANYTHING and _is_outside(type(plugin)) for plugin in self.plugins
        )
        self.is_known = not any(_is_outside(type(plugin)) for plugin in self.plugins)
        self._points = {point: self._at(point) for point in ExtensionPoint}
        self.may_look_behind_filters = self.takes_groups or any(
            _is_outside(type(plugin)) for plugin in self.at(ExtensionPoint.POST_FILTER)
        )
        self._pre_filtered = {plugin.name for plugin in self.at(ExtensionPoint.PRE_FILTER)}

    def _at(self, point: ExtensionPoint) -> tuple[AnyPlugin, ...]:
        return tuple(self._plugins[n] for n in self.profile.plugins(point) if n in self._plugins)

    def at(self, point: ExtensionPoint) -> tuple[AnyPlugin, ...]:
        """The plugins of an extension point, in order."""
        return self._points[point]

    @property
    def plugins(self) -> Iterable[AnyPlugin]:
        """All plugins of the profile."""
        return self._plugins.values()

    def plugin(self, name: str) -> AnyPlugin:
        """A plugin of the profile by name."""
        return self._plugins[name]

    def has(self, name: str) -> bool:
        """Whether the profile has a plugin at any of its points."""
        return name in self._plugins

    def runs(self, name: str, point: ExtensionPoint) -> bool:
        """Whether the profile has a plugin at an extension point."""
        return name in self.profile.plugins(point)

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """The text of the first plugin that keeps the pod out of the queue."""
        for plugin in self.at(ExtensionPoint.PRE_ENQUEUE):
            if text := plugin.pre_enqueue(pod, cluster):
                return text
        return None

    def run_pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterPhase:
        """Run PreFilter of all plugins and merge their answers (spec 01 §5.2)."""
        phase = PreFilterPhase()
        deferred = self._queues_deferred and pod.pod.is_resize_deferred
        for plugin in self.at(ExtensionPoint.PRE_FILTER):
            if deferred and not plugin.spec.judges_deferred_pods:
                phase.states[plugin.name] = None
                phase.skipped.add(plugin.name)
                continue
            result = plugin.pre_filter(pod, cluster)
            phase.states[plugin.name] = result.state
            if result.status is not None:
                status = Status(result.status.code, result.status.reasons, plugin.name)
                if status.code is Code.ERROR:
                    text = f'running PreFilter plugin "{plugin.name}": {status.message}'
                    phase.status = Status(Code.ERROR, (text,), plugin.name)
                    return phase
                phase.status = status
                if status.code is Code.UNRESOLVABLE:
                    return phase
                continue
            if result.skip:
                phase.skipped.add(plugin.name)
                continue
            if result.nodes is not None:
                phase.narrowed_by.add(plugin.name)
                phase.nodes = result.nodes if phase.nodes is None else phase.nodes & result.nodes
                if not phase.nodes:
                    phase.status = Status(Code.UNRESOLVABLE, (_nothing_left(phase.narrowed_by),))
                    return phase
        return phase

    def run_filters(
        self,
        pod: PodRecord,
        phase: PreFilterPhase,
        rows: Rows,
        *,
        among: Mask | None = None,
        every: bool = False,
        moved: bool = False,
    ) -> FilterPhase:
        """Run the filters over rows.

        Args:
            pod: the candidate.
            phase: what PreFilter left.
            rows: real or hypothetical rows.
            among: bool (R,), the rows to look at; None for all.
            every: ask every plugin of every row, for people; else each row only up to its first failure.
            moved: the rows passed all filters before pods were moved: those that read nodes alone are not asked.
        """
        alive = np.ones(len(rows), bool) if among is None else among.copy()
        result = FilterPhase(rows, alive.copy())
        for plugin in self.at(ExtensionPoint.FILTER):
            if plugin.name in phase.skipped or (moved and plugin.spec.reads is Reads.NODES):
                continue
            rows.wanted = among if every else alive
            rows.undecided = alive
            if self.is_prepared(plugin):
                verdicts = plugin.filter(self.filter_state(plugin, pod, phase, rows.cluster), rows)
            else:  # spec 01 §1.4: points do not pull each other in
                text = plugin.spec.filter_state_missing or ""
                verdicts = Verdicts.reject(np.ones(len(rows), bool), Code.ERROR, text)
            if verdicts.codes is not None:
                result.merge(plugin, verdicts, alive)
                if not every and not alive.any():
                    break
        return result

    def filters_seen(
        self, pod: PodRecord, phase: PreFilterPhase, cluster: ClusterState, reads: Collection[Reads]
    ) -> Hashable | None:
        """The filters that run for a pod, each with its state: equal for pods that they see alike.

        Args:
            pod: the candidate.
            phase: what PreFilter left.
            cluster: the cluster.
            reads: what they may read; without NODES in it, those that read nodes alone are left out.

        Returns:
            None where one of them reads anything else, or has a state that cannot be compared.
        """
        seen: list[Hashable] = [self, pod.priority]
        for plugin in self.at(ExtensionPoint.FILTER):
            own = plugin.spec.reads
            if plugin.name in phase.skipped or (own is Reads.NODES and own not in reads):
                continue
            if own not in reads or not self.is_prepared(plugin):
                return None
            seen += (plugin, self.filter_state(plugin, pod, phase, cluster))
        key = tuple(seen)
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def is_prepared(self, plugin: AnyPlugin) -> bool:
        """Whether Filter can work: its PreFilter is in the profile, or not needed."""
        return plugin.name in self._pre_filtered or plugin.spec.filter_state_missing is None

    def filter_state(
        self, plugin: AnyPlugin, pod: PodRecord, phase: PreFilterPhase, cluster: ClusterState
    ) -> Any:
        """The state for Filter; made here for a plugin that has no PreFilter in the profile."""
        if plugin.name not in phase.states:
            phase.states[plugin.name] = plugin.pre_filter(pod, cluster).state
        return phase.states[plugin.name]

    def hypothetical(self, phase: PreFilterPhase, cluster: ClusterState, index: Ints) -> HypotheticalRows:
        """Rows for what-ifs, with the row states of the plugins that have hooks and were not skipped."""
        rows = HypotheticalRows(cluster, index)
        for plugin in self._hooked(phase):
            rows.row_states[plugin.name] = plugin.row_state(phase.states[plugin.name], rows)
        return rows

    def change(self, phase: PreFilterPhase, rows: HypotheticalRows, pods: Ints, sign: int) -> None:
        """Add (+1) or remove (-1) one pod per row, int64 (R,), -1 for none: columns first, then the hooks.

        With a higher number as many equal pods are added, where `counts_pods`.
        """
        rows.change(pods, sign)
        for plugin in self._hooked(phase):
            plugin.change(phase.states[plugin.name], rows.row_states[plugin.name], rows, pods, sign)

    def counts_pods(self, phase: PreFilterPhase) -> bool:
        """Whether all that plugins keep of hypothetical rows are sums over pods, so that equal pods add a multiple."""
        return all(
            plugin.spec.reads is Reads.PODS and not _is_outside(type(plugin))
            for plugin in self._hooked(phase)
        )

    def follows_pods(self, plugin: AnyPlugin, phase: PreFilterPhase) -> bool:
        """Whether a plugin keeps count of the pods that are added to hypothetical rows and removed from them."""
        return plugin in self._hooked(phase)

    def _hooked(self, phase: PreFilterPhase) -> list[AnyPlugin]:
        return [
            plugin
            for plugin in self.at(ExtensionPoint.PRE_FILTER)
            if plugin.spec.has_row_state and plugin.name in phase.states and plugin.name not in phase.skipped
        ]

    def run_filters_with_nominated(
        self,
        pod: PodRecord,
        phase: PreFilterPhase,
        rows: Rows,
        *,
        among: Mask | None = None,
        every: bool = False,
    ) -> FilterPhase:
        """Filter in two passes where pods of equal or higher priority are nominated (spec 01 §5.5).

        The plain pass decides everywhere else, and it is the second pass of the rows that survive the first.
        """
        result = self.run_filters(pod, phase, rows, among=among, every=every)
        refusals = self.refusals_for_rivals(pod, phase, rows, among=among)
        if refusals is not None:
            result.refuse_for_rivals(refusals)
        return result

    def refusals_for_rivals(
        self, pod: PodRecord, phase: PreFilterPhase, rows: Rows, *, among: Mask | None = None
    ) -> RefusalsForRivals | None:
        """The rows that the pod may not have once the pods nominated to them are there; None where there are none.

        Args:
            pod: the candidate.
            phase: what PreFilter left.
            rows: real or hypothetical rows.
            among: bool (R,), the rows to look at; None for all.
        """
        rivals = rivals_among(pod, rows, among)
        if not len(rivals):
            return None
        if isinstance(rows, HypotheticalRows):
            world = rows.take(rivals.at)
        else:
            world = self.hypothetical(phase, rows.cluster, rows.index[rivals.at])
        self._add_rivals(phase, world, rivals)
        filters = self.run_filters(pod, phase, world)
        refused = np.flatnonzero(filters.codes)
        return RefusalsForRivals(rivals.at[refused], filters, refused, rivals.pods) if len(refused) else None

    def beside_rivals(
        self, pod: PodRecord, phase: PreFilterPhase, rows: HypotheticalRows
    ) -> tuple[HypotheticalRows, Ints]:
        """The same rows, and after them once more those that pods are nominated to, with these pods there.

        A row passes both passes of the filters where it passes as it is and, if it stands there twice, as the other.

        Returns:
            The rows, and for those that stand there twice the position of the first, int64 (k,).
        """
        rivals = rivals_among(pod, rows)
        twice = rows.take(np.append(np.arange(len(rows)), rivals.at))
        self._add_rivals(phase, twice, rivals)
        return twice, rivals.at

    def _add_rivals(self, phase: PreFilterPhase, rows: HypotheticalRows, rivals: Rivals) -> None:
        """Put the rivals on the last of the rows."""
        nobody = np.full(len(rows) - len(rivals), -1, np.int64)
        for pods in rivals.pods:
            self.change(phase, rows, np.append(nobody, pods), 1)
        rows.pod_count[len(nobody) :] += rivals.in_flight


def _class_of(plugin: type[AnyPlugin]) -> type[AnyPlugin]:
    """The class to make a plugin of; one from outside is watched."""
    if not _is_outside(plugin):
        return plugin
    from kschedctl.framework.guard import guarded

    return guarded(plugin)


def _is_outside(plugin: type[AnyPlugin]) -> bool:
    return not plugin.__module__.startswith("kschedctl.")


def _nothing_left(narrowed_by: set[str]) -> str:
    if len(narrowed_by) == 1:
        return f"node(s) didn't satisfy plugin {next(iter(narrowed_by))}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(narrowed_by))}] simultaneously"


def states_or_missing(phase: PreFilterPhase, name: str) -> Any:
    """The PreFilter state of a plugin, MISSING where its PreFilter was not run."""
    return phase.states.get(name, MISSING)
