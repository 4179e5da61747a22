"""Groups of pods in few words, and what a run over the queue makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from builders import Data, enter, pod, session

from kschedctl.framework.versions import Version
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.gangs.decision import GroupDecision, MemberDecision
from kschedctl.gangs.run import QueueRun
from kschedctl.scheduling.decision import Decision
from kschedctl.scheduling.options import Sampling, TieBreak

API = {"1.36": "scheduling.k8s.io/v1alpha2", "1.37": "scheduling.k8s.io/v1beta1"}
GATES = {
    "1.36": {"GenericWorkload": True, "GangScheduling": True},
    "1.37": {"GenericWorkload": True},
}


def group(
    name: str,
    min_count: int | None = None,
    *,
    key: str = "",
    parent: str = "",
    version: str = "1.36",
    **spec: Any,
) -> Data:
    """A PodGroup: a gang where `min_count` is given; `key` confines it to one domain."""
    policy: Data = {"basic": {}} if min_count is None else {"gang": {"minCount": min_count}}
    return {
        "apiVersion": API[version],
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedulingPolicy": policy} | _common(key, parent) | spec,
    }


def composite(
    name: str, min_groups: int | None = None, *, key: str = "", parent: str = "", **spec: Any
) -> Data:
    """A CompositePodGroup; the same for its child groups."""
    policy: Data = {"basic": {}} if min_groups is None else {"gang": {"minGroupCount": min_groups}}
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha3",
        "kind": "CompositePodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedulingPolicy": policy} | _common(key, parent) | spec,
    }


def _common(key: str, parent: str) -> Data:
    constraints = {"schedulingConstraints": {"topology": [{"key": key}]}} if key else {}
    return constraints | ({"parentCompositePodGroupName": parent} if parent else {})


def members(of: str, count: int, **spec: Any) -> list[Data]:
    """Pods of a group: `g-0`, `g-1`, ..."""
    return [pod(f"{of}-{i}", schedulingGroup={"podGroupName": of}, **spec) for i in range(count)]


def play(
    objects: Iterable[Data],
    pods: Iterable[Data],
    *,
    version: Version = V1_36,
    gates: Mapping[str, bool] | None = None,
    config: Data | None = None,
) -> list[str]:
    """What each cycle decides, a line each, in the order of the queue."""
    asked = session(
        *objects,
        version=version,
        gates=GATES[version.minor] | dict(gates or {}),
        config=config,
        tie_break=TieBreak.UPSTREAM,
        sampling=Sampling.UPSTREAM,
        score_single=False,
    )
    run = QueueRun(asked.scheduler, asked.cluster)
    for data in pods:
        run.enter(enter(asked, data))
    lines = []
    while (entity := run.pop()) is not None:
        decision = run.decide(entity)
        lines.append(_line(decision))
        run.settle(decision)
    return lines


def _line(decision: Decision | GroupDecision) -> str:
    if isinstance(decision, Decision):
        return f"{decision.pod.name}: {decision.selected_node or decision.event}"
    names, records = decision.cluster.nodes.names, decision.cluster.pods.records
    said = [_member(member, names) for member in decision.members()]
    victims = sorted(records[pod].name for pod in decision.victims)
    evicts = f" evicts {' '.join(victims)}" if victims else ""
    message = f" ({decision.verdict.message})" if decision.verdict.message else ""
    return f"{decision.root.key[1]}: {decision.verdict.outcome}{message}{evicts}; {', '.join(said)}"


def _member(member: MemberDecision, names: list[str]) -> str:
    if member.selected is not None:
        return f"{member.pod.name} {names[member.selected]}"
    return f"{member.pod.name} -" + (f" to {member.nomination}" if member.nomination else "")
