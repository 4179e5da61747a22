"""One scheduling cycle: from a pod and a cluster to a decision (spec 01 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import structs

from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.state import ClusterState
from kschedctl.extenders.call import Transport
from kschedctl.extenders.chain import Extenders
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.fit_error import NO_NODES
from kschedctl.framework.runtime import Framework
from kschedctl.scheduling.class_cache import ClassCache
from kschedctl.scheduling.conclusion import conclude
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.evaluation import Evaluation, evaluate
from kschedctl.scheduling.known_failures import KnownFailures
from kschedctl.scheduling.made_up import unless_made_up
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.scheduling.policy import SchedulingPolicy
from kschedctl.scheduling.post_filter import ASK_ALL, PostFilterRule

Ints = npt.NDArray[np.int64]


class Scheduler:
    """The profiles of a configuration, ready to decide.

    Args:
        configuration: profiles, arguments, version, gates and plugins.
        options: what to do where the real scheduler leaves room.
        transport: carries calls to the extenders of the configuration; None: none of them is called.
    """

    def __init__(
        self,
        configuration: SchedulerConfiguration,
        options: SchedulingOptions | None = None,
        transport: Transport | None = None,
    ) -> None:
        self.configuration = configuration
        self.options = options or SchedulingOptions()
        self.transport = transport
        self.extenders = Extenders(configuration.extenders, transport)
        self._policy = SchedulingPolicy(configuration, self.options, self.extenders)
        self._known_of: ClusterState | None = None
        self._classes, self._failures = ClassCache(), KnownFailures()
        self._frameworks = {
            profile.scheduler_name: Framework(
                profile, configuration.registry, configuration.version, configuration.gates
            )
            for profile in configuration.profiles
        }

    def __reduce__(self) -> tuple[type[Scheduler], tuple[object, ...]]:
        """What travels: what it was made of. What is known of pods is found out anew."""
        return type(self), (self.configuration, self.options, self.transport)

    def framework(self, scheduler_name: str) -> Framework | None:
        """The profile that handles pods of this name."""
        return self._frameworks.get(scheduler_name)

    @property
    def frameworks(self) -> Mapping[str, Framework]:
        """Scheduler name -> the profile that handles it."""
        return self._frameworks

    def queue_order(self, pod: PodRecord, cluster: ClusterState) -> tuple[Any, ...]:
        """What the queue sorts by, which is the same for all profiles: the smallest first."""
        framework = next(iter(self._frameworks.values()))
        (plugin,) = framework.at(ExtensionPoint.QUEUE_SORT)
        return plugin.queue_order(pod, cluster)

    def decide(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        *,
        nominated: str | None = None,
        queued: bool = False,
        hint: str | None = None,
        scope: Ints | None = None,
        post_filter: PostFilterRule = ASK_ALL,
    ) -> Decision:
        """What kube-scheduler would decide for the pod; the cluster stays as it is but for the search's start.

        Args:
            pod: a pending pod of the cluster's pod table.
            cluster: the cluster.
            nominated: node nominated for the pod by an earlier preemption; None: as the cluster knows.
            queued: the pod comes out of the queue, whose gates it passed on the way in.
            hint: the node to try first where none is nominated, empty for none; with one, or without, all scores are
                worked out and kept. None: nobody asks for them.
            scope: int64 (n,), the only nodes to look at, in snapshot order; None for all.
            post_filter: what is asked where the pod fits nowhere.
        """
        framework = self._frameworks.get(pod.pod.spec.scheduler_name)
        if framework is None:
            text = f"no profile handles schedulerName {pod.pod.spec.scheduler_name}"
            return Decision(pod, cluster, Outcome.NO_PROFILE, text)
        if not queued and (gate := framework.pre_enqueue(pod, cluster)) is not None:
            return Decision(pod, cluster, Outcome.GATED, gate, framework)
        if pod.pod.is_terminating:
            text = f"skip schedule deleting pod: {pod.full_name}"
            return Decision(pod, cluster, Outcome.TERMINATING, text, framework)
        if not (cluster.present.count if scope is None else len(scope)):
            return Decision(pod, cluster, Outcome.UNSCHEDULABLE, framework=framework, event=NO_NODES)
        wanted = cluster.node_to_try_first(pod) if nominated is None else nominated
        first = wanted or hint
        extended = bool(self.extenders.interested(pod.pod))
        if first or hint is not None or scope is not None or extended or not self.options.reuse:
            row = cluster.row_of(first or "")
            evaluation = evaluate(framework, pod, cluster, row, every=self._every, scope=scope)
            if hint and not wanted:
                evaluation = structs.replace(evaluation, hinted=True)
            return conclude(self._policy, framework, pod, cluster, evaluation, post_filter=post_filter)
        return self._reusing(framework, pod, cluster, post_filter)

    def _reusing(
        self, framework: Framework, pod: PodRecord, cluster: ClusterState, post_filter: PostFilterRule
    ) -> Decision:
        """The decision for a pod without a nomination, of which equal ones may be known."""
        if self._known_of is not cluster:
            self._known_of, self._classes, self._failures = cluster, ClassCache(), KnownFailures()
        asks_all = post_filter is ASK_ALL
        known = self._failures.find(framework, pod, cluster) if asks_all else None
        if known is not None and known.evaluation is not None:
            return conclude(self._policy, framework, pod, cluster, known.evaluation, known)
        alike: Decision | None = None
        evaluation: Evaluation | None = None
        if not self._every and not self.options.score_single:  # only the choice is asked for
            evaluation = self._classes.evaluate(framework, pod, cluster)
        if evaluation is None:
            phase = framework.run_pre_filter(pod, cluster)
            alike = self._failures.find_alike(framework, pod, phase, cluster) if asks_all else None
            evaluation = None if alike is None else alike.evaluation
            if evaluation is None:
                evaluation = evaluate(framework, pod, cluster, None, every=self._every, phase=phase)
        decision = conclude(self._policy, framework, pod, cluster, evaluation, alike, post_filter)
        if asks_all:
            self._failures.keep(framework, decision)
        return decision

    def attempt(
        self,
        pod: PodRecord,
        cluster: ClusterState,
        *,
        scope: Ints | None = None,
        post_filter: PostFilterRule = ASK_ALL,
    ) -> Decision:
        """What the cycle of a group decides for one member, without PreEnqueue.

        Args:
            pod: a pending pod whose scheduler is of this configuration.
            cluster: the cluster with what the cycle has placed so far.
            scope: int64 (n,), the only nodes to look at, in snapshot order; None for all.
            post_filter: what is asked where the pod fits nowhere.
        """
        framework = self._frameworks[pod.pod.spec.scheduler_name]
        if not (cluster.present.count if scope is None else len(scope)):
            return Decision(pod, cluster, Outcome.UNSCHEDULABLE, framework=framework, event=NO_NODES)
        nominated = cluster.row_of(cluster.node_to_try_first(pod))
        evaluation = evaluate(framework, pod, cluster, nominated, every=self._every, scope=scope)
        return unless_made_up(
            conclude(self._policy, framework, pod, cluster, evaluation, post_filter=post_filter)
        )

    @property
    def _every(self) -> bool:
        return self.options.every_failure


def with_every_failure(decision: Decision) -> Decision:
    """The decision with the answers of every plugin on every node, for people.

    To be asked for while the cluster is as it was decided in.

    Raises:
        StaleDecisionError: it is not.
    """
    decision.check_readable()
    if decision.evaluation is None or decision.framework is None:
        return decision
    pod, cluster, nominated = decision.pod, decision.cluster, decision.evaluation.nominated
    evaluation = evaluate(decision.framework, pod, cluster, nominated, every=True)
    return decision.with_(evaluation=evaluation)
