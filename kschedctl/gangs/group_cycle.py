"""The cycle of a group as 1.37 runs it: given up early, and preempting as a whole (spec 07 §5 to §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.status import Code
from kschedctl.gangs.composite import Tree, run_tree
from kschedctl.gangs.context import GroupContext
from kschedctl.gangs.decision import GroupDecision, GroupVerdict, MemberDecision
from kschedctl.gangs.group import Group
from kschedctl.gangs.preemption import GroupPreemption, preempt_for_assignments
from kschedctl.gangs.result import GroupResult, MemberAttempt
from kschedctl.gangs.status import UNSCHEDULABLE, GroupStatus, failed, unschedulable
from kschedctl.gangs.submission import condition_of, outcome_of, rejected_before
from kschedctl.gangs.validation import problem_of_members
from kschedctl.plugins.default_preemption import DefaultPreemption


def decide_group(context: GroupContext, root: Group) -> GroupDecision:
    """Run the cycle; the cluster stays as it is but for the search's start."""
    if (text := problem_of_members(context, root)) is not None:
        return rejected_before(context, root, text, told=True)
    with context.in_flight(root.pods()):
        return _decide(context, root)


def _decide(context: GroupContext, root: Group) -> GroupDecision:
    tree = run_tree(context, root)
    first = tree.results[root].status
    code = first.code
    tree.complete()
    copies = {group: result.status.copy() for group, result in tree.results.items()}
    asks = code is Code.UNSCHEDULABLE and context.may_preempt
    preemption = _post_filter(context, root, tree) if asks else None
    if preemption is not None:
        _append(tree, preemption.status)
    waits = preemption is not None and preemption.status.succeeded
    verdicts = tuple(
        _verdict(context, tree.results[group], copies[group], preemption if waits else None)
        for group in root.listed()
    )
    return GroupDecision(
        root,
        context.cluster,
        context.framework,
        verdicts,
        None if preemption is None else preemption.status.message,
        () if preemption is None else preemption.victims,
        None if preemption is None else preemption.carry_out,
    )


def _append(tree: Tree, said: GroupStatus) -> None:
    """Tell what preemption said in every group: in one that shares its status with others once for each of them."""
    for result in tree.results.values():
        if said.code is Code.ERROR:
            result.status = said
        else:
            result.status.reasons.append(said.message)


def _post_filter(context: GroupContext, root: Group, tree: Tree) -> GroupPreemption:
    """Ask the plugins that can make room for a group, in order (spec 07 §7)."""
    reasons: list[str] = []
    freed: list[Callable[[], None]] = []
    for name in context.framework.profile.plugins(ExtensionPoint.POD_GROUP_POST_FILTER):
        if name == DefaultPreemption.spec.name:
            found = preempt_for_assignments(context, root, lambda: _again(context, root))
        else:
            found = _other(context, root, tree, name)
        if found.carry_out is not None:
            freed.append(found.carry_out)
        if found.status.code in (Code.SUCCESS, Code.UNRESOLVABLE):
            return replace(found, carry_out=_all(freed))
        if found.status.code is Code.ERROR:
            text = f'error in "{name}" PodGroupPostFilter plugins: {found.status.message}'
            return GroupPreemption(failed(text))
        reasons += found.status.reasons
    return GroupPreemption(unschedulable(*reasons), carry_out=_all(freed))


def _all(steps: Sequence[Callable[[], None]]) -> Callable[[], None]:
    def carry_out() -> None:
        for step in steps:
            step()

    return carry_out


def _other(context: GroupContext, root: Group, tree: Tree, name: str) -> GroupPreemption:
    plugin = context.framework.plugin(name)
    found = plugin.group_post_filter(context.scope_of(root), tree.states(name), context.cluster)
    if found is None:
        return GroupPreemption(unschedulable())
    return GroupPreemption(
        GroupStatus(found.status.code, list(found.status.reasons)), carry_out=found.carry_out
    )


def _again(context: GroupContext, root: Group) -> tuple[GroupStatus, Sequence[MemberAttempt]]:
    tree = run_tree(context, root)
    return tree.results[root].status, tree.found()


def _verdict(
    context: GroupContext, result: GroupResult, before: GroupStatus, room: GroupPreemption | None
) -> GroupVerdict:
    group, status = result.group, result.status
    members = tuple(
        _member(
            context, result, before, room, pod, result.attempts[at] if at < len(result.attempts) else None
        )
        for at, pod in enumerate(group.members)
    )
    waits = room is not None
    return GroupVerdict(
        group=group,
        outcome=outcome_of(status, waits=waits),
        message=status.message,
        condition=condition_of(context, group, status),
        placement=result.chosen.name if result.chosen is not None and status.succeeded else "",
        placements=[tried for tried in result.placements if tried.placement.name],
        members=members,
    )


def _member(
    context: GroupContext,
    result: GroupResult,
    before: GroupStatus,
    room: GroupPreemption | None,
    pod: PodRecord,
    attempt: MemberAttempt | None,
) -> MemberDecision:
    status = result.status
    if status.code is Code.ERROR:
        own = attempt is not None and attempt.code is Code.ERROR
        text = attempt.text if attempt is not None and own else status.message
        return MemberDecision(pod, attempt, text=text, own=own, error=True, nomination="")
    nomination = _nomination(context, room, pod)
    if attempt is None:
        return MemberDecision(pod, None, text=before.message, nomination=nomination)
    if not attempt.fits:
        kept = attempt.refused is None and attempt.decision.keeps_nomination
        stays = nomination if nomination is not None or kept else ""
        return MemberDecision(pod, attempt, text=attempt.text, own=True, nomination=stays)
    if status.succeeded:
        return MemberDecision(pod, attempt, selected=attempt.placed)
    if room is not None:
        return MemberDecision(pod, attempt, text=status.message, nomination=nomination)
    return MemberDecision(pod, attempt, text=f"{UNSCHEDULABLE}, {status.message}", nomination="")


def _nomination(context: GroupContext, room: GroupPreemption | None, pod: PodRecord) -> str | None:
    """The node that preemption for the group nominates a member to, None where it says nothing of it."""
    if room is None:
        return None
    if room.keeps_nominations:
        return context.cluster.node_to_try_first(pod) or None
    return context.node_name(room.nodes[pod.id]) if pod.id in room.nodes else None
