"""A Policy as a profile of today: predicates filter, priorities score, extenders stay what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from kschedctl.errors import ConfigurationError
from kschedctl.framework.configuration.base import API_VERSION, KIND
from kschedctl.framework.configuration.duration import Duration
from kschedctl.framework.configuration.legacy.policy_names import (
    ALWAYS,
    BY_SELECTOR,
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    EQUAL_PRIORITY,
    FILTERS,
    IN_OTHER_WORDS,
    LOST_PRIORITIES,
    SCORES,
    STRATEGIES,
)
from kschedctl.framework.configuration.legacy.policy_types import (
    LegacyPolicy,
    Predicate,
    Priority,
    RatioArguments,
)
from kschedctl.framework.configuration.legacy.profile import FIT, profile
from kschedctl.framework.configuration.legacy.translation import (
    REMOVED,
    Data,
    Remarks,
    Translation,
    label_affinity,
)
from kschedctl.framework.extension_points import PointsByPlugin
from kschedctl.framework.versions import DefaultPlugin
from kschedctl.objects.go import quote

_SPREAD: Final = "PodTopologySpread"


def translate_policy(
    data: Mapping[str, Any], defaults: Sequence[DefaultPlugin], points: PointsByPlugin
) -> Translation:
    """Turn a Policy into a configuration with one profile.

    Args:
        data: the Policy.
        defaults: the default plugins of today.
        points: plugin -> its extension points.

    Raises:
        ConfigurationError: a value has a wrong type, or a name is no predicate or priority.
    """
    try:
        policy = msgspec.convert(data, LegacyPolicy)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"the Policy cannot be read: {error}") from error
    work = _Work(policy)
    work.filter()
    work.score()
    work.rest()
    configuration: Data = {"apiVersion": API_VERSION, "kind": KIND}
    configuration["profiles"] = [profile(work.filters, work.scores, work.args, defaults, points)]
    if policy.extenders:
        configuration["extenders"] = [_extender(extender) for extender in policy.extenders]
    return Translation(configuration, tuple(work.remarks.lost), tuple(work.remarks.notes))


class _Work:
    """A Policy on its way.

    Attributes:
        filters: plugins that filter.
        scores: plugin -> weight.
        args: plugin -> arguments.
        remarks: what is lost or said otherwise.
    """

    def __init__(self, policy: LegacyPolicy) -> None:
        self._policy = policy
        self.filters: set[str] = set()
        self.scores: dict[str, int] = {}
        self.args: dict[str, Data] = {}
        self.remarks = Remarks.none()

    def filter(self) -> None:
        """Find what filters."""
        written = self._policy.predicates
        predicates = [Predicate(name) for name in DEFAULT_PREDICATES] if written is None else list(written)
        present, absent = list[str](), list[str]()
        for at, predicate in enumerate(predicates):
            argument = predicate.argument
            if argument is not None and argument.labels_presence is not None:
                labels = argument.labels_presence
                (present if labels.presence else absent).extend(labels.labels)
            elif argument is not None and argument.service_affinity is not None:
                self.remarks.lost.append(f"predicates[{at}] {predicate.name}: {REMOVED['ServiceAffinity']}")
            else:
                self._filter_by(predicate.name, at)
        for name in sorted(ALWAYS):
            self.filters.update(FILTERS[name])
        if present or absent:
            self._filter_by_labels(present, absent)

    def _filter_by(self, name: str, at: int) -> None:
        if name in FILTERS:
            self.filters.update(FILTERS[name])
        elif name in IN_OTHER_WORDS:
            plugin, how = IN_OTHER_WORDS[name]
            self.filters.add(plugin)
            self.remarks.notes.append(f"predicates[{at}] {name} is {plugin}: {how}")
        else:
            raise ConfigurationError(f"predicates[{at}].name: there is no predicate {quote(name)}")

    def _filter_by_labels(self, present: list[str], absent: list[str]) -> None:
        """Keep pods to nodes with labels, and without: NodeAffinity does so where it filters anyway."""
        if "NodeAffinity" not in self.filters:
            self.remarks.lost.append(
                f"labelsPresence of {', '.join([*present, *absent])}: NodeAffinity could keep pods to such nodes, but "
                "would then look at the selectors of pods, which this Policy does not"
            )
            return
        self.args["NodeAffinity"] = {"addedAffinity": label_affinity(present, absent)}
        self.remarks.notes.append("labelsPresence is the addedAffinity of NodeAffinity")

    def score(self) -> None:
        """Find what scores, with which weights."""
        written = self._policy.priorities
        priorities = (
            [Priority(name, weight) for name, weight in DEFAULT_PRIORITIES.items()]
            if written is None
            else list(written)
        )
        names = {priority.name for priority in priorities}
        for at, priority in enumerate(priorities):
            if priority.weight <= 0:
                text = f"priorities[{at}].weight: {quote(priority.name)} should have a positive weight"
                raise ConfigurationError(text)
            self._score_by(priority, f"priorities[{at}] {priority.name}")
        if _SPREAD in self.scores and not names & BY_SELECTOR:
            self.args[_SPREAD] = {"defaultingType": "List"}
        if names & BY_SELECTOR:
            own = "EvenPodsSpreadPriority" in names
            self._note_spreading(sorted(names & BY_SELECTOR)[0], weighs_alone=not own)

    def _note_spreading(self, name: str, *, weighs_alone: bool) -> None:
        weight = "" if weighs_alone else ", by the weight of EvenPodsSpreadPriority"
        self.remarks.notes.append(f"{name} is PodTopologySpread with its default constraints{weight}")

    def _score_by(self, priority: Priority, where: str) -> None:
        name, argument = priority.name, priority.argument
        ratio = None if argument is None else argument.requested_to_capacity_ratio_arguments
        if argument is not None and argument.label_preference is not None:
            self.remarks.lost.append(f"{where}: {REMOVED['NodeLabel']}")
        elif argument is not None and argument.service_anti_affinity is not None:
            self.remarks.lost.append(f"{where}: {REMOVED['ServiceAffinity']}")
        elif ratio is not None or name in STRATEGIES:
            self._score_by_resources(priority, ratio, where)
        elif name in SCORES:
            # The weight of EvenPodsSpreadPriority wins over that of priorities by selector.
            if name not in BY_SELECTOR or SCORES[name] not in self.scores:
                self.scores[SCORES[name]] = priority.weight
        elif name in LOST_PRIORITIES:
            self.remarks.lost.append(f"{where}: {REMOVED[LOST_PRIORITIES[name]]}")
        elif name != EQUAL_PRIORITY:
            raise ConfigurationError(f"{where.split()[0]}.name: there is no priority {quote(name)}")

    def _score_by_resources(self, priority: Priority, ratio: RatioArguments | None, where: str) -> None:
        if FIT in self.scores:
            self.remarks.lost.append(f"{where}: NodeResourcesFit scores by one strategy in a profile")
            return
        self.scores[FIT] = priority.weight
        strategy = "RequestedToCapacityRatio" if ratio is not None else STRATEGIES[priority.name]
        scoring: Data = {"type": strategy}
        if ratio is not None:
            scoring["resources"] = [{"name": r.name, "weight": r.weight or 1} for r in ratio.resources]
            shape = [{"utilization": point.utilization, "score": point.score} for point in ratio.shape]
            scoring["requestedToCapacityRatio"] = {"shape": shape}
        if strategy != "LeastAllocated":
            self.args[FIT] = {"scoringStrategy": scoring}
            self.remarks.notes.append(f"{where} is the strategy {strategy} of NodeResourcesFit")

    def rest(self) -> None:
        """The fields that are neither."""
        weight = self._policy.hard_pod_affinity_symmetric_weight
        if weight and "InterPodAffinity" in self.scores:
            self.args["InterPodAffinity"] = {"hardPodAffinityWeight": weight}
        if self._policy.always_check_all_predicates:
            self.remarks.notes.append(
                "alwaysCheckAllPredicates is gone: kube-scheduler stops at the first plugin that rejects a node; no "
                "decision hangs on it"
            )


def _extender(written: Mapping[str, Any]) -> Data:
    """An extender; its timeout was a number of nanoseconds, and one field had another name."""
    found: Data = {key: value for key, value in written.items() if key != "enableHttps"}
    if "enableHttps" in written:
        found["enableHTTPS"] = written["enableHttps"]
    if isinstance(timeout := written.get("httpTimeout"), int):
        found["httpTimeout"] = str(Duration(timeout))
    return found
