"""Replay a scenario with the rules by which the golden decisions were taken (conformance README)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from kschedctl.admission.invalid import Invalid
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.start_times import start_of
from kschedctl.cluster.state import ClusterState
from kschedctl.conformance.emit import Result, golden_result
from kschedctl.conformance.extender_scheduler import ExtenderScheduler
from kschedctl.conformance.extender_script import ExtenderScript
from kschedctl.conformance.groups import REAL, has_groups, replay_groups
from kschedctl.conformance.scenario import GoldenScenario
from kschedctl.conformance.timeline import IN_TIME, every_node_scored, in_time, replay_in_time
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import (
    carry_out_post_filter,
    evict_and_retry,
    place,
    refusal_on_made_up,
    settle_nomination,
)
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.whatif.session import Session

GOLDEN = SchedulingOptions(tie_break=TieBreak.FIRST, score_single=True)
NATIVE = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM, preemption=False)

RECORDED_AT = start_of("2026-07-01T00:00:00Z")
"""A time at which golden decisions were taken: times in them are either long past or long to come."""


NOT_FOUND: Final = "not found"
"""What DynamicResources says where its PreFilter was not run."""

Bind = Callable[[Decision], str | None]
"""Binds a pod that was placed; the error that keeps it from it, or None."""


def _bind_at_once(_: Decision) -> None:
    return None


def replay(scenario: GoldenScenario) -> dict[str, Any]:
    """Our answer to a scenario, in the golden shape: `results`, and what else its kind of scenario has.

    Raises:
        UnsupportedError: a candidate needs a plugin that is not evaluated yet.
    """
    gates = feature_gates(scenario.version, scenario.gates)
    configuration = load_configuration(scenario.config, scenario.version, gates, IN_TREE)
    if scenario.time is not None:
        session = Session(scenario.objects, in_time(configuration, scenario.time), IN_TIME)
        _without_controllers(session.cluster)
        return {"results": []} | replay_in_time(session, scenario.time, _without_controllers)
    grouped = has_groups(scenario, configuration)
    options = REAL if grouped else NATIVE if scenario.native else GOLDEN
    session = Session(
        scenario.objects, configuration, options, missing_classes_refuse=False, looked_at=RECORDED_AT
    )
    _without_controllers(session.cluster)
    if grouped:
        return replay_groups(scenario, session)
    if not scenario.extender_replies:
        return {"results": _results(scenario, session)}
    script = ExtenderScript(scenario.extender_replies, scenario.objects, scenario.pods)
    written = [extender["urlPrefix"] for extender in (scenario.config or {}).get("extenders", ())]
    scheduler = ExtenderScheduler(configuration, every_node_scored(configuration), options, script)
    session.scheduler = scheduler
    results = _results(scenario, session, scheduler.bind)
    return {"results": results} | ({"extenderCalls": script.told(written)} if script.calls else {})


def _place(decision: Decision, bind: Bind) -> str | None:
    """Place a pod and bind it; why it cannot be, everything then taken back, or None."""
    start = decision.cluster.mark()
    # A pod on a node that an extender made up is on no node that anybody looks at.
    refused = refusal_on_made_up(decision) if decision.takes_made_up else place(decision)
    if refused is not None:
        return refused.message
    decision.cluster.drop_nomination(decision.pod.id)
    error = bind(decision)
    if error is not None:
        decision.cluster.undo_to(start)
    return error


def _without_controllers(cluster: ClusterState) -> None:
    """Behind the golden decisions are no controllers, which free claims, and nobody labels pods as they are bound."""
    ClusterDevices.of(cluster).releases = False
    cluster.copied_labels = ()


def _results(scenario: GoldenScenario, session: Session, bind: Bind = _bind_at_once) -> list[Result]:
    in_turn = scenario.sequence or scenario.native
    # In a sequence all candidates wait in the queue from the start, so their nominations are seen.
    enter = session.enter_pending if in_turn else session.enter
    entered = [enter(pod) for pod in scenario.pods]
    results: list[Result] = []
    for pod, record in zip(scenario.pods, entered, strict=True):
        if isinstance(record, Invalid):
            errors = [str(error) for error in record.errors]
            results.append(
                {
                    "pod": pod.full_name,
                    "outcome": str(Outcome.INVALID),
                    "fieldErrors": errors,
                    "error": str(record),
                }
            )
            continue
        results.append(_one(session, record, bind, in_turn=in_turn, native=scenario.native))
    return results


def _one(session: Session, pod: PodRecord, bind: Bind, *, in_turn: bool, native: bool) -> Result:
    # A candidate brings its own nomination to its turn, whatever others made of it meanwhile.
    decision = session.scheduler.decide(pod, session.cluster, nominated=pod.pod.nominated_node_name)
    result = golden_result(decision, native=native)
    if not in_turn:
        return result
    carry_out_post_filter(decision)
    if decision.outcome is Outcome.SCHEDULED:
        refused = _place(decision, bind)
        if refused is not None:
            return {"pod": pod.full_name, "outcome": str(Outcome.ERROR), "error": refused}
    elif decision.makes_room:
        result |= _preempt(session, decision, bind)
    elif not native:
        _settle_nomination(decision)
    return result


def _settle_nomination(decision: Decision) -> None:
    """As in the recordings: wherever nodes were tried the nomination goes, though an error leaves it in place."""
    preemption = decision.preemption
    tried = preemption is not None and preemption.eligible and decision.message != NOT_FOUND
    settle_nomination(decision.with_(keeps_nomination=decision.keeps_nomination and not tried))


def _preempt(session: Session, decision: Decision, bind: Bind) -> Result:
    """Evict, decide again with the node nominated, and place: the short way of the golden sequences."""
    preemption = decision.preemption
    assert preemption is not None
    assert preemption.nominated is not None
    victims = preemption.candidates[preemption.nominated].victims
    result: Result = {"victims": [session.cluster.pods.records[pod].full_name for pod in victims]}
    again = evict_and_retry(session.scheduler, decision)
    if again.outcome is Outcome.SCHEDULED and _place(again, bind) is None:
        result["selected"] = again.selected_node
    elif again.outcome is not Outcome.SCHEDULED:
        session.cluster.nominate(decision.pod.id, session.cluster.nodes.names[preemption.nominated])
    return result
