"""The part of DynamicResources that allocates: claims must have, or find, their devices (spec 05)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from kschedctl.cluster.group_members import GroupMembers, group_of
from kschedctl.cluster.pods import PodRecord
from kschedctl.cluster.rows import Rows
from kschedctl.cluster.state import ClusterState
from kschedctl.dra.assume import Deallocation, apply, bind, free_for_group, leave, post_filter, reserve
from kschedctl.dra.claims import DeviceClaimProblem, resolve
from kschedctl.dra.cluster_devices import ClusterDevices
from kschedctl.dra.explain import explain, found_on
from kschedctl.dra.features import from_gates
from kschedctl.dra.group_claims import GroupClaims
from kschedctl.dra.ledger import ClaimLedger
from kschedctl.dra.node_allocatable import Statuses
from kschedctl.dra.pod_claims import BINDING_TIMEOUT, NodeAnswer, NodeFit, NodeMisfit, pre_filter, score
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.placement import GroupChange, GroupScope
from kschedctl.framework.plugin import (
    NoState,
    PluginContext,
    PreFilterResult,
    PreScoreResult,
    Scores,
    select,
)
from kschedctl.framework.status import Background, BackgroundOf, Cell, Code, Detail, Status
from kschedctl.framework.verdicts import PASS, Reason, Verdicts
from kschedctl.framework.versions import GroupCycle
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.groups import PodGroup
from kschedctl.objects.node import Node
from kschedctl.objects.pod_requests import pod_requests, to_resource_units
from kschedctl.plugins.device_claim_state import DeviceClaimState, Ints
from kschedctl.plugins.device_reach import ReachIndex
from kschedctl.plugins.device_room import Refusal, refusal, taken_text, with_taken
from kschedctl.plugins.node_offers import OfferIndex

GROUP_CLAIMS_FREED = "deallocation and deletion of ResourceClaims completed"

_CODES = {
    "unschedulable": Code.UNSCHEDULABLE,
    "unresolvable": Code.UNRESOLVABLE,
    "error": Code.ERROR,
}


class DeviceClaims:
    """The half of DynamicResources that claims need: the search runs node by node; equal nodes are searched once.

    Args:
        name: of the plugin.
        context: what it may know.
    """

    def __init__(self, name: str, context: PluginContext) -> None:
        self.name = name
        self.context = context
        self._features = from_gates(context.gates.enabled, context.facts.devices)
        self._offers = OfferIndex()
        self._reach = ReachIndex()
        timeout = None if context.args is None else context.args.binding_timeout
        self._binding_timeout: int = BINDING_TIMEOUT if timeout is None else timeout
        self._filters = ExtensionPoint.FILTER in context.points

    def pre_enqueue(self, pod: PodRecord, cluster: ClusterState) -> str | None:
        """Every claim of the pod must exist and be its own."""
        if not pod.pod.spec.resource_claims:
            return None
        group = self._group_of(pod, cluster)
        owners = () if group is None else (group.uid,)
        found = resolve(pod.pod, self._ledger(cluster).find, self._features.rules, owners)
        return found.text if isinstance(found, DeviceClaimProblem) else None

    def pre_filter(self, pod: PodRecord, cluster: ClusterState) -> PreFilterResult[DeviceClaimState]:
        """State: the claims. Skips where the pod needs none."""
        ledger = self._ledger(cluster)
        found = pre_filter(
            pod.pod,
            _requests(pod),
            ledger,
            self._group_of(pod, cluster),
            in_flight_anywhere=self.context.facts.group_cycle is GroupCycle.OF_MEMBERS,
        )
        if found is None:
            return PreFilterResult(skip=True)
        if isinstance(found, DeviceClaimProblem):
            return PreFilterResult(status=_status(found))
        state = DeviceClaimState(
            found, ledger, self._offers, self._reach, cluster.looked_at, self._binding_timeout
        )
        return PreFilterResult(state)

    def filter(self, state: DeviceClaimState, rows: Rows) -> Verdicts:
        """Reject rows that lack devices, or that the devices cannot be reached from."""
        if self._features.node_allocatable:
            return self._filter_with_room(state, rows)
        codes = np.zeros(len(rows), np.uint8)
        masks: dict[Reason, npt.NDArray[np.bool_]] = {}

        def own_text(row: int) -> str:
            return state.refusal(rows.node(row))

        for group, answer in state.answers(rows, select(np.ones(len(rows), bool), rows.wanted)):
            if isinstance(answer, NodeFit):
                continue
            if rows.undecided is None or rows.undecided[group].any():
                state.unavailable.update(answer.unavailable)
            codes[group] = _CODES[answer.problem.code]
            # An error names the pool or device that it met on the node.
            reason = own_text if codes[group[0]] == Code.ERROR else answer.problem.text
            masks.setdefault(reason, np.zeros(len(rows), bool))[group] = True
        return Verdicts(codes, tuple((mask, reason) for reason, mask in masks.items())) if masks else PASS

    def _filter_with_room(self, state: DeviceClaimState, rows: Rows) -> Verdicts:
        """The same where devices take resources of their node: that depends on the pods there, node by node."""
        codes = np.zeros(len(rows), np.uint8)
        masks: dict[Reason, npt.NDArray[np.bool_]] = {}
        for row in select(np.ones(len(rows), bool), rows.wanted).tolist():
            refused = self._refusal(state, rows, row)
            if refused is None:
                continue
            codes[row] = refused[0]
            for reason in refused[1]:
                masks.setdefault(reason, np.zeros(len(rows), bool))[row] = True
        return Verdicts(codes, tuple((mask, reason) for reason, mask in masks.items())) if masks else PASS

    def _refusal(self, state: DeviceClaimState, rows: Rows, row: int) -> Refusal | None:
        node = rows.node(row)
        neighbours = (rows.cluster.pods.records[i].pod for i in rows.pods(row))
        shared = state.account.sharing_problem(state.claims, node, neighbours)
        if shared is not None:
            return _CODES[shared.code], (shared.text,)
        answer = state.answer(node)
        fit = answer if isinstance(answer, NodeFit) else answer.fit
        taken = () if fit is None else state.account.taken(state.claims, fit, node)
        if isinstance(taken, DeviceClaimProblem):
            return _CODES[taken.code], (taken.text,)
        refused = refusal(state.claims.pod, taken, self._features.rules, rows, row) if taken else None
        if refused is not None or isinstance(answer, NodeFit):
            return refused
        if rows.undecided is None or rows.undecided[row]:
            state.unavailable.update(answer.unavailable)
        return _CODES[answer.problem.code], (answer.problem.text,)

    def post_filter(
        self, pod: PodRecord, state: DeviceClaimState | NoState, cluster: ClusterState
    ) -> Status | None:
        """Tell whether a claim can be freed that no running pod needs where it is; `carry_out` does it."""
        change = self._deallocation(pod, state, cluster)
        told = change.happens or self.context.facts.deallocation_is_told
        code = Code.UNSCHEDULABLE if change.leave is None else Code.UNRESOLVABLE
        return Status(code, (change.text,) if told else ())

    def carry_out(self, pod: PodRecord, state: DeviceClaimState | NoState, cluster: ClusterState) -> bool:
        """Free the claim that PostFilter found, one at a time."""
        change = state.decided if isinstance(state, DeviceClaimState) else None
        if change is None or not change.happens:
            return False
        ClusterDevices.of(cluster).record(apply(change, self._ledger(cluster)))
        return True

    def pre_score(
        self, pod: PodRecord, cluster: ClusterState, feasible: npt.NDArray[np.int64]
    ) -> PreScoreResult[DeviceClaimState]:
        """State: as in PreFilter; what was found for a node is remembered with the claims' content."""
        return PreScoreResult(self.pre_filter(pod, cluster).state)

    def score(self, state: DeviceClaimState, rows: Rows) -> Scores | Status:
        """The earlier the alternatives that a node can serve, the higher; 0 without what Filter found."""
        scores = np.zeros(len(rows), np.int64)
        rules = self._features.rules
        if state is None or not self._filters:
            return scores
        if rules.scores_ask_the_gate and not self._features.prioritized_list:
            return scores
        for group, answer in state.answers(rows, rows.present):
            if isinstance(answer, NodeFit):
                found = score(state.claims, answer, rules)
                if isinstance(found, DeviceClaimProblem):
                    return _status(found)
                scores[group] = found
        return scores

    def reserve(
        self, pod: PodRecord, state: DeviceClaimState, cluster: ClusterState, row: int
    ) -> Status | None:
        """Check that Filter found devices for all claims."""
        if state is None:
            return None
        answer = self._found(state, cluster.nodes.objects[row])
        problem = answer.problem if isinstance(answer, NodeMisfit) else reserve(state.claims, answer)
        if problem is not None:
            return _status(problem)
        if self._features.node_allocatable and isinstance(answer, NodeFit):
            self._count(pod, state.account.taken(state.claims, answer, cluster.nodes.objects[row]), cluster)
        return None

    def reserve_unfiltered(self, state: DeviceClaimState) -> Status | None:
        """As `reserve` where Filter found nothing, since it was not asked."""
        problem = reserve(state.claims, NodeFit())
        return None if problem is None else _status(problem)

    def unreserve(self, pod: PodRecord, state: DeviceClaimState, cluster: ClusterState) -> None:
        """Drop the pod from its claims; one that nobody else uses has no devices again, if it had none before."""
        ledger, fresh = state.ledger, {claim.name for _, claim in state.claims.unallocated}
        devices = ClusterDevices.of(cluster)
        for claim in ledger.claims_of(cluster.pods.records[pod.id].pod):
            devices.record(ledger.unreserve(claim, pod.pod.uid))
            now = ledger.find(claim.namespace, claim.name)
            if now is not None and claim.name in fresh and not now.status.reserved_for:
                devices.record(ledger.deallocate(now))

    def _count(self, pod: PodRecord, taken: Statuses | DeviceClaimProblem, cluster: ClusterState) -> None:
        """Let a pod that was put on a node count with what it takes there by its devices."""
        placed = cluster.pods.records[pod.id].pod
        before = placed.status.node_allocatable_resource_claim_statuses
        if not isinstance(taken, DeviceClaimProblem) and taken != before:
            version = replace(placed, status=with_taken(placed.status, taken))
            cluster.count_anew(pod.id, version)

    def pre_bind(
        self, pod: PodRecord, state: DeviceClaimState, cluster: ClusterState, row: int
    ) -> Status | None:
        """Allocate the claims and reserve them for the pod."""
        if state is None:
            return None
        node = cluster.nodes.objects[row]
        answer = self._found(state, node)
        done = (
            answer.problem
            if isinstance(answer, NodeMisfit)
            else bind(state.claims, answer, node, state.ledger, in_flight=bool(cluster.in_flight))
        )
        if isinstance(done, DeviceClaimProblem):
            return _status(done)
        ClusterDevices.of(cluster).record(done)
        return None

    def _group_of(self, pod: PodRecord, cluster: ClusterState) -> GroupClaims | None:
        """The group with which a pod shares claims, None where groups have none."""
        key = group_of(pod) if self._features.workload_claims else None
        group = None if key is None else cluster.objects.find(PodGroup, key[1], key[0])
        return None if group is None else GroupClaims(group)

    def _deallocation(
        self, pod: PodRecord, state: DeviceClaimState | NoState, cluster: ClusterState
    ) -> Deallocation:
        """What PostFilter does for a pod; decided once."""
        if not isinstance(state, DeviceClaimState):
            return post_filter(None, (), pod.pod)
        if state.decided is None:
            state.decided = post_filter(state.claims, state.unavailable, pod.pod)
            group = state.claims.group
            if not state.decided.happens and group is not None and not _runs(group, cluster):
                state.decided = leave(group, state.ledger) or state.decided
        return state.decided

    def group_post_filter(
        self, group: GroupScope, members: Sequence[tuple[PodRecord, Any]], cluster: ClusterState
    ) -> GroupChange | None:
        """Free what claims of members that fit nowhere hold, else what those of the group hold (1.37)."""
        states = [(pod, state) for pod, state in members if isinstance(state, DeviceClaimState)]
        changes: list[Deallocation] = []
        for pod, state in states:
            changes.append(post_filter(state.claims, state.unavailable, pod.pod))
        text, code = GROUP_CLAIMS_FREED, Code.UNSCHEDULABLE
        if not all(change.happens for change in changes):
            found = self._group_change([state for _, state in states], cluster)
            if found is not None:
                changes.append(found)
                text = found.text
                code = Code.UNRESOLVABLE if found.leave is not None else code
        ledger = self._ledger(cluster)

        def carry_out() -> None:
            for change in changes:
                ClusterDevices.of(cluster).record(apply(change, ledger))

        return GroupChange(Status(code, (text,)), carry_out)

    def _group_change(self, states: Sequence[DeviceClaimState], cluster: ClusterState) -> Deallocation | None:
        group = next((state.claims.group for state in states if state.claims.group is not None), None)
        if group is None or _runs(group, cluster):
            return None
        freed = free_for_group(group, [(state.claims, state.unavailable) for state in states])
        return freed or leave(group, self._ledger(cluster))

    def _found(self, state: DeviceClaimState, node: Node) -> NodeAnswer:
        """What Filter found for a node; nothing where the profile does not run it."""
        return state.answer(node) if self._filters else NodeFit()

    def details(self, state: DeviceClaimState, rows: Rows, row: int) -> tuple[Detail, ...]:
        """Which request could have which devices, and why it could not have the others."""
        node = rows.node(row)
        answer = state.answer(node)
        if self._features.node_allocatable:
            refused = self._refusal(state, rows, row)
            reasons = () if refused is None else refused[1]
            if isinstance(answer, NodeFit) or answer.problem.text not in reasons:
                text = self._taken_text(state, answer, node)
                return tuple(Detail(self.name, reason, "devices", text) for reason in reasons)
        if isinstance(answer, NodeFit):
            return ()
        return tuple(
            Detail(self.name, answer.problem.text, found.subject, found.text)
            for found in explain(state.claims, node, answer, state.holders)
        )

    def _taken_text(self, state: DeviceClaimState, answer: NodeAnswer, node: Node) -> str:
        """What the devices of a pod take of a node, for people."""
        fit = answer if isinstance(answer, NodeFit) else answer.fit
        taken = () if fit is None else state.account.taken(state.claims, fit, node)
        if not taken or isinstance(taken, DeviceClaimProblem):
            return "are resources of their node, which a single pod can use"
        return "; ".join(map(taken_text, taken))

    def background(
        self, pod: PodRecord, cluster: ClusterState, state: DeviceClaimState | None, feasible: Ints | None
    ) -> tuple[Background, ...]:
        """The devices that each request would get: on feasible nodes, or wherever they are if there are none."""
        if not isinstance(state, DeviceClaimState):
            return ()
        among = np.arange(cluster.nodes.count) if feasible is None else feasible
        answers: dict[int, NodeAnswer] = {}
        for group, answer in state.answers(Rows(cluster), among):
            answers.update(dict.fromkeys(group.tolist(), answer))
        cells: list[tuple[Cell, ...]] = []
        for row in among.tolist():
            node, answer = cluster.nodes.objects[row], answers[row]
            if isinstance(answer, NodeFit):
                cells += [
                    (node.name, found.request, found.devices)
                    for found in found_on(state.claims, node, answer)
                ]
        if not cells:
            return ()
        asked = BackgroundOf.FILTER if feasible is None else BackgroundOf.SCORE
        columns = ("node", "request", "devices")
        return (Background(self.name, asked, "devices for the claims", columns, tuple(cells)),)

    def _ledger(self, cluster: ClusterState) -> ClaimLedger:
        return ClusterDevices.of(cluster).ledger(self._features)


def _requests(pod: PodRecord) -> Mapping[str, int]:
    """Effective requests of the pod, resource -> whole units."""
    requests = pod_requests(pod.pod.spec)
    return {name: wrap_int64(to_resource_units(name, amount)) for name, amount in requests.items()}


def _runs(group: GroupClaims, cluster: ClusterState) -> bool:
    """Whether pods of a group are on nodes, those aside that the cycle tries."""
    key = (group.group.namespace, group.group.name)
    return any(pod not in cluster.in_flight for pod in GroupMembers.of(cluster).scheduled(key))


def _status(problem: DeviceClaimProblem) -> Status:
    return Status(_CODES[problem.code], (problem.text,), fault=problem.fault)
