"""The configuration and the options of a run where a decision asks for them."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.cluster.pods import PodRecord
from kschedctl.extenders.chain import Extenders
from kschedctl.framework.configuration import DefaultPreemptionArgs, SchedulerConfiguration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.runtime import Framework
from kschedctl.preemption.evaluator import CandidateLimits, preempt
from kschedctl.preemption.result import PreemptionResult
from kschedctl.scheduling.chance import Draw, chance
from kschedctl.scheduling.node_search import sampling_target
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.scheduling.tie_break import break_tie

Ints = npt.NDArray[np.int64]


Preempt = Callable[..., PreemptionResult]


class SchedulingPolicy(Struct, frozen=True):
    """How much is looked at, and which of equal nodes is taken.

    Attributes:
        configuration: profiles, arguments, version and gates.
        options: what to do where the real scheduler leaves room.
        extenders: those that are called.
        preempt: finds whom to evict.
    """

    configuration: SchedulerConfiguration
    options: SchedulingOptions
    extenders: Extenders
    preempt: Preempt = preempt

    @property
    def takes_nominated_unseen(self) -> bool:
        """The real one looks at a nominated node alone, if the pod fits there; tables for people show all nodes."""
        return self.options.sampling is Sampling.UPSTREAM

    def target(self, framework: Framework, nodes: int) -> int | None:
        """How many feasible nodes end the search, None for no end."""
        if self.options.sampling is Sampling.OFF:
            return None
        if not framework.at(ExtensionPoint.SCORE) and not self.extenders.choose:
            return 1
        own = framework.profile.percentage_of_nodes_to_score
        common = self.configuration.percentage_of_nodes_to_score
        return sampling_target(nodes, common if own is None else own)

    def takes_leader(self, framework: Framework, pod: PodRecord) -> bool:
        """Whether every node is looked at, and of equal ones the place in the search alone decides."""
        by_chance = self.configuration.version.facts.ties_are_random or self.extenders.interested(pod.pod)
        return (
            self.options.sampling is Sampling.OFF
            and self.options.tie_break is TieBreak.UPSTREAM
            and not by_chance
            and not self.options.score_single
            and not self.extenders.are_called
        )

    def choose(self, pod: PodRecord, tied: Ints, feasible: Ints, names: list[str]) -> int:
        """The row that is taken among those with the highest total.

        Args:
            pod: the candidate.
            tied: int64 (T,), their positions among the feasible ones.
            feasible: int64 (F,), rows in the order of the search.
            names: node names by row.
        """
        rule = self.options.tie_break
        by_chance = self.configuration.version.facts.ties_are_random or self.extenders.interested(pod.pod)

        def draw() -> random.Random:
            return chance(self.options.seed, Draw.NODE, pod)

        return int(feasible[break_tie(tied, feasible, names, rule, bool(by_chance), draw)])

    def candidate_limits(self, framework: Framework, pod: PodRecord) -> CandidateLimits | None:
        """How many preemption candidates the real one looks for; None where every node is tried."""
        if self.options.sampling is Sampling.OFF:
            return None
        args = framework.profile.args_of(DefaultPreemptionArgs)
        return CandidateLimits(
            args.min_candidate_nodes_percentage,
            args.min_candidate_nodes_absolute,
            chance(self.options.seed, Draw.OFFSET, pod),
        )
