"""Whether the spread constraints of a workload are kept once its rolling update is done.

kube-scheduler counts the old pods while it places the new ones, and moves nothing afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.apps import Deployment
from kschedctl.objects.meta import TopLevel
from kschedctl.plugins.pod_topology_spread import PodTopologySpread
from kschedctl.plugins.spread_counts import HardCounts
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.updates.rolling_update import RollingUpdate
from kschedctl.workloads import WorkloadKey, key_of
from kschedctl.workloads.replicated import HASH_LABEL

_PLUGIN = PodTopologySpread.spec.name


class SpreadAtEnd(Struct, frozen=True):
    """A hard constraint of a workload as a rolling update leaves it.

    Attributes:
        workload: the workload.
        key: topology key.
        max_skew: what the constraint allows.
        counts: pods of each domain, most first.
        own_revision: whether it counts pods of one revision alone.
    """

    workload: WorkloadKey
    key: str
    max_skew: int
    counts: tuple[int, ...]
    own_revision: bool = False

    @property
    def skew(self) -> int:
        """The skew that there is."""
        return self.counts[0] - self.counts[-1]

    @property
    def broken(self) -> bool:
        """Whether it is not kept."""
        return self.skew > self.max_skew


def broken_spreads(
    session: Session, tasks: Sequence[Task], rollouts: Sequence[RollingUpdate]
) -> list[SpreadAtEnd]:
    """The constraints that finished rolling updates leave broken, with the cluster as it is at the end."""
    return [one for one in spreads_at_end(session, tasks, rollouts) if one.broken]


def spreads_at_end(
    session: Session, tasks: Sequence[Task], rollouts: Sequence[RollingUpdate]
) -> list[SpreadAtEnd]:
    """The constraints of workloads whose rolling updates are finished, with the cluster as it is at the end."""
    done = {update.workload for update in rollouts if not update.stuck}
    found: dict[tuple[WorkloadKey, str], SpreadAtEnd] = {}
    for task in tasks:
        record = task.record
        if task.workload not in done or record is None or not task.placed:
            continue
        done.discard(task.workload)
        framework = session.scheduler.framework(record.pod.spec.scheduler_name)
        if framework is None or not framework.has(_PLUGIN):
            continue
        state: tuple[HardCounts, ...] = (
            framework.plugin(_PLUGIN).pre_filter(record, session.cluster).state or ()
        )
        for hard in state:
            counts = tuple(sorted(hard.counts[hard.present].tolist(), reverse=True))
            constraint = hard.constraint
            own_revision = any(one.key == HASH_LABEL for one in constraint.selector.requirements)
            end = SpreadAtEnd(task.workload, constraint.key, constraint.max_skew, counts, own_revision)
            if len(counts) > 1 and hard.own and (end.broken or (task.workload, constraint.key) not in found):
                found[task.workload, constraint.key] = end
    return list(found.values())


def by_revision(objects: Sequence[TopLevel], workloads: Sequence[WorkloadKey]) -> list[TopLevel]:
    """The manifests with spread constraints of some deployments that count pods of one revision alone."""
    return [
        _counting_own(obj) if isinstance(obj, Deployment) and key_of(obj) in workloads else obj
        for obj in objects
    ]


def _counting_own(workload: Deployment) -> Deployment:
    template = workload.spec.template
    constraints = tuple(
        constraint
        if HASH_LABEL in constraint.match_label_keys
        else replace(constraint, match_label_keys=(*constraint.match_label_keys, HASH_LABEL))
        for constraint in template.spec.topology_spread_constraints
    )
    spec = replace(template.spec, topology_spread_constraints=constraints)
    return replace(workload, spec=replace(workload.spec, template=replace(template, spec=spec)))
