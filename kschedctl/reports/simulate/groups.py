"""Groups of pods in reports on many pods: how much of each is placed, and why not more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from kschedctl.cluster.group_members import GroupKey, GroupMembers
from kschedctl.cluster.state import ClusterState
from kschedctl.objects.groups import PodGroup
from kschedctl.reports.document import Block, FactList
from kschedctl.reports.model import ReportObject, doc
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.reports.suggest.sentences import fits_if
from kschedctl.reports.table import CellKind, Column, Row, Table
from kschedctl.whatif.queue.task import Task


class GroupOfPods(ReportObject, frozen=True, kw_only=True):
    """A PodGroup some pods of which were to be scheduled."""

    name: Annotated[str, doc("Namespace and name.")]
    exists: Annotated[bool, doc("Whether the object is there.")]
    min_count: Annotated[int | None, doc("So many must be placed at once; null: it is no gang.")]
    wanted: Annotated[int, doc("Its pods that were to be scheduled.")]
    placed: Annotated[int, doc("Those that are on a node.")]
    running: Annotated[int, doc("Its other pods that are on a node.")]
    message: Annotated[
        str, doc("Why not all are placed: the text of its last status, or what its pods wait for.")
    ]
    suggestions: Annotated[
        list[SuggestionReport],
        doc("What would make it fit, as the cluster is at the end; of the first groups alone."),
    ]

    @property
    def satisfied(self) -> bool:
        """Whether as many are on nodes as it needs."""
        return self.placed + self.running >= (self.min_count or 1)


def groups_of_pods(
    tasks: Sequence[Task], cluster: ClusterState, messages: Mapping[GroupKey, str] | None
) -> list[GroupOfPods]:
    """The groups of the pods of a run, in order of arrival; none where groups are not looked at."""
    if messages is None:
        return []
    grouped: dict[GroupKey, list[Task]] = {}
    for task in tasks:
        group = task.pod.spec.scheduling_group
        if group is not None:
            grouped.setdefault((task.pod.namespace, group.pod_group_name), []).append(task)
    return [_group(key, members, cluster, messages.get(key, "")) for key, members in grouped.items()]


def _group(key: GroupKey, tasks: Sequence[Task], cluster: ClusterState, message: str) -> GroupOfPods:
    found = cluster.objects.find(PodGroup, key[1], key[0])
    placed = sum(task.placed for task in tasks)
    waiting = next((task.why for task in tasks if not task.placed), "")
    return GroupOfPods(
        name="/".join(key),
        exists=found is not None,
        min_count=None if found is None else found.spec.min_count,
        wanted=len(tasks),
        placed=placed,
        running=len(GroupMembers.of(cluster).scheduled(key)) - placed,
        message="" if placed == len(tasks) else message or waiting,
        suggestions=[],
    )


def group_blocks(groups: Sequence[GroupOfPods]) -> Iterator[Block]:
    """A row a group."""
    if not groups:
        return
    gangs, running = any(one.min_count for one in groups), any(one.running for one in groups)
    why = any(one.message for one in groups)
    columns = [
        Column("pod group", CellKind.NAME_CUT),
        *([Column("min", CellKind.NUMBER, long="minCount")] if gangs else []),
        *([Column("run", CellKind.NUMBER, long="running before")] if running else []),
        Column("want", CellKind.NUMBER),
        Column("placed", CellKind.NUMBER),
        *([Column("why not")] if why else []),
    ]
    rows = [
        Row(
            [
                one.name if one.exists else f"{one.name} (not there)",
                *(["" if one.min_count is None else one.min_count] if gangs else []),
                *([one.running] if running else []),
                one.wanted,
                one.placed,
                *([one.message] if why else []),
            ]
        )
        for one in groups
    ]
    yield Table(columns, rows, noun="pod group")
    yield FactList.of(row for group in groups for row in _helps(group))


def _helps(group: GroupOfPods) -> Iterator[tuple[str, str]]:
    """What would make a group fit, in the cluster as it is at the end."""
    for label, text in fits_if(group.suggestions):
        yield label, f"{group.name}: {text}" if label else text
