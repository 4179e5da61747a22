"""Which members of a stateful set get a new template: `spec.updateStrategy`."""

from __future__ import annotations

from collections.abc import Collection

from kschedctl.objects.apps import StatefulSet
from kschedctl.workloads.limits import pods_made
from kschedctl.workloads.stateful_set import expand_stateful_set, ordinals_of
from kschedctl.workloads.workload import Expansion


def replaces_on_delete(owner: StatefulSet) -> bool:
    """Whether old members stay until somebody deletes them."""
    strategy = owner.spec.update_strategy
    return strategy is not None and strategy.type == "OnDelete"


def partition_of(owner: StatefulSet) -> int:
    """How many members, from the first one on, a rolling update leaves in their old form; 0 where it is OnDelete."""
    strategy = owner.spec.update_strategy
    if strategy is None or strategy.rolling_update is None or replaces_on_delete(owner):
        return 0
    return strategy.rolling_update.partition or 0


def is_replaced(owner: StatefulSet, ordinal: int) -> bool:
    """Whether an update replaces an old member, or takes it away as one too many."""
    ordinals = ordinals_of(owner)
    if ordinal not in ordinals:
        return True
    return not replaces_on_delete(owner) and ordinal >= ordinals.start + partition_of(owner)


def members_to_come(owner: StatefulSet, before: StatefulSet, there: Collection[int]) -> Expansion:
    """The members that an update creates, in the order of their numbers, and their claims.

    Those that are missing below the partition are made in the old form. OnDelete replaces none, but what is made anew
    under it is in the new form.

    Args:
        owner: the set as it is to be.
        before: the set as it was.
        there: the numbers of the members that exist.

    Raises:
        UsageError: no cluster holds so many members.
    """
    ordinals = ordinals_of(owner)
    pods_made(ordinals.stop - ordinals.start, None, owner)
    partition = ordinals.start + partition_of(owner)
    old = [i for i in ordinals if i < partition and i not in there]
    new = [i for i in ordinals if is_replaced(owner, i) or (i >= partition and i not in there)]
    first, second = expand_stateful_set(before, old), expand_stateful_set(owner, new)
    return Expansion((*first.pods, *second.pods), (*first.others, *second.others))
