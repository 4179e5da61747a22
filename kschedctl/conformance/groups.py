"""_Told of scenarios with groups of pods, and what the golden files hold of each cycle (spec 07 §14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.group_members import group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.conformance.emit import Result, fit_parts
from kschedctl.conformance.scenario import GoldenScenario
from kschedctl.framework.configuration import SchedulerConfiguration
from kschedctl.framework.versions import GroupCycle
from kschedctl.gangs.decision import GroupDecision, GroupVerdict, MemberDecision
from kschedctl.gangs.result import PlacementResult
from kschedctl.gangs.run import DecisionEffects, QueueRun
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

REAL = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM)
"""The choice of nodes is the real one."""

_LIMIT = 400
"""No scenario has so many cycles."""


def has_groups(scenario: GoldenScenario, configuration: SchedulerConfiguration) -> bool:
    """Whether a scenario has groups, which the version schedules as such where they are switched on."""
    if configuration.gates.group_cycle is GroupCycle.NONE:
        return False
    kinds = (PodGroup, CompositePodGroup, Workload)
    return any(isinstance(o, kinds) for o in scenario.objects) or any(
        pod.spec.scheduling_group is not None for pod in scenario.pods
    )


class _Told(Struct):
    """What is told of a scenario so far.

    Attributes:
        results: by pod.
        groups: one a group and cycle.
        order: the entities in the order of their cycles.
    """

    results: dict[str, Result] = field(default_factory=dict)
    groups: list[Result] = field(default_factory=list)
    order: list[str] = field(default_factory=list)


def replay_groups(scenario: GoldenScenario, session: Session) -> Result:
    """Let the candidates arrive, then take one entity after another from the queue."""
    found = _Told()
    run = QueueRun(session.scheduler, session.cluster, fit_parts)
    queued: list[PodRecord] = []
    for pod in scenario.pods:
        record = session.enter(pod)
        if isinstance(record, Invalid):
            found.results[pod.full_name] = {"outcome": str(Outcome.INVALID), "error": str(record)}
        elif session.scheduler.framework(record.pod.spec.scheduler_name) is None:
            found.results[pod.full_name] = {"outcome": str(Outcome.NO_PROFILE)}
        else:
            queued.append(record)
            run.enter(record)
    for cycle in range(1, _LIMIT):
        entity = run.pop()
        if entity is None:
            break
        decision = run.decide(entity)
        told = _told(decision)
        effects = run.settle(decision)
        _Cycle(session, found, cycle, effects).tell(decision, told)
    _tell_gated(session, found, queued)
    results = [{"pod": pod.full_name} | found.results[pod.full_name] for pod in scenario.pods]
    beside = {"groups": found.groups, "order": found.order}
    return {"results": results} | {name: part for name, part in beside.items() if part}


def _told(decision: Decision | GroupDecision) -> Result:
    """What a decision for a pod says of the nodes, before it is carried out."""
    return fit_parts(decision) if isinstance(decision, Decision) else {}


class _Cycle(Struct, frozen=True):
    session: Session
    found: _Told
    number: int
    effects: DecisionEffects

    def tell(self, decision: Decision | GroupDecision, told: Result) -> None:
        """Enter what came of the cycle."""
        if isinstance(decision, Decision):
            self.found.order.append(f"pod {decision.pod.full_name}")
            self._tell_pod(decision, told)
            return
        self.found.order.append(f"group {decision.root.full_name}")
        for at, verdict in enumerate(decision.verdicts):
            self.found.groups.append(self._group(decision, verdict, is_root=at == 0))
            for member in verdict.members:
                self._tell_member(member)

    def _tell_pod(self, decision: Decision, told: Result) -> None:
        pod = decision.pod
        if pod.id in self.effects.bound:
            self._put(pod, {"outcome": str(Outcome.SCHEDULED), "selected": decision.selected_node})
        elif decision.outcome is Outcome.ERROR:
            self._put(pod, {"outcome": str(Outcome.ERROR), "error": decision.message})
        else:
            text = decision.event
            nominated = {"nominated": node} if (node := self._nominated_by(decision)) else {}
            self._put(pod, {"outcome": str(Outcome.UNSCHEDULABLE), "event": text} | told | nominated)
            if self.effects.evicted:
                self.found.results[pod.full_name]["victims"] = self._names(self.effects.evicted)

    def _nominated_by(self, decision: Decision) -> str:
        found = decision.preemption
        return "" if found is None or found.nominated is None else self._node(found.nominated)

    def _tell_member(self, member: MemberDecision) -> None:
        pod = member.pod
        row = self.effects.bound.get(pod.id)
        if row is not None:
            self._put(pod, {"outcome": str(Outcome.SCHEDULED), "selected": self._node(row)})
            return
        if member.error:
            self._put(pod, {"outcome": str(Outcome.ERROR), "error": member.text})
            return
        result: Result = {"outcome": str(Outcome.UNSCHEDULABLE), "event": member.text}
        if member.own and member.attempt is not None:
            result |= member.attempt.inspected or {}
        if member.nomination:
            result["nominated"] = member.nomination
        self._put(pod, result)

    def _put(self, pod: PodRecord, result: Result) -> None:
        """The last attempt counts, but victims of earlier ones stay."""
        before = self.found.results.get(pod.full_name, {})
        kept = {"victims": before["victims"]} if "victims" in before else {}
        self.found.results[pod.full_name] = result | kept

    def _group(self, decision: GroupDecision, verdict: GroupVerdict, *, is_root: bool) -> Result:
        result: Result = {
            "group": verdict.group.full_name,
            "kind": "CompositePodGroup" if verdict.group.is_composite else "",
            "root": "" if is_root else decision.root.full_name,
            "cycle": self.number,
            "outcome": str(verdict.outcome),
            "message": verdict.message,
            "placement": verdict.placement if is_root else "",
            "placements": [_placement(tried) for tried in verdict.placements] if is_root else [],
            "order": [member.pod.full_name for member in verdict.members],
            "preemption": decision.preemption or "",
            "victims": self._names(self.effects.evicted) if is_root else [],
            "nominated": {m.pod.full_name: m.nomination for m in verdict.members if m.nomination},
        }
        if verdict.members:
            result["pods"] = {member.pod.full_name: self._bound(member) for member in verdict.members}
        if verdict.condition is not None:
            said = verdict.condition
            result["condition"] = {
                "type": self.session.scheduler.configuration.version.facts.group_condition,
                "status": said.status,
                "reason": said.reason,
                "message": said.message,
            }
        return result

    def _bound(self, member: MemberDecision) -> str | None:
        row = self.effects.bound.get(member.pod.id)
        return None if row is None else self._node(row)

    def _node(self, row: int) -> str:
        return self.session.cluster.nodes.names[row]

    def _names(self, pods: Iterable[int]) -> list[str]:
        records = self.session.cluster.pods.records
        return sorted(records[pod].full_name for pod in pods)


def _placement(tried: PlacementResult) -> Result:
    result: Result = {
        "name": tried.placement.name,
        "feasible": tried.feasible,
        "message": tried.message,
    }
    if tried.scores is not None:
        result |= {"scores": dict(tried.scores), "total": tried.total}
    return result


def _tell_gated(session: Session, found: _Told, queued: Sequence[PodRecord]) -> None:
    """Pods and groups that never had a cycle, with what keeps them out of the queue."""
    texts: dict[tuple[str, str], str] = {}
    left = [pod for pod in queued if pod.full_name not in found.results]
    for pod in left:
        framework = session.scheduler.framework(pod.pod.spec.scheduler_name)
        assert framework is not None
        text = framework.pre_enqueue(pod, session.cluster) or ""
        found.results[pod.full_name] = {"outcome": str(Outcome.GATED), "gated": text}
        if (key := group_of(pod)) is not None:
            texts[key] = texts.get(key) or text
    for pod in left:
        result = found.results[pod.full_name]
        if not result["gated"] and (key := group_of(pod)) is not None:
            result["gated"] = texts[key]
    seen = {group["group"] for group in found.groups}
    for key, text in texts.items():
        name = "/".join(key)
        if name not in seen:
            pods = {pod.full_name: None for pod in queued if group_of(pod) == key}
            found.groups.append(
                {"group": name, "cycle": 0, "outcome": "Gated", "message": text, "pods": pods}
            )
