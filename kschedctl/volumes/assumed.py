"""What earlier pods of a sequence took, as the scheduler's own cache sees it before any controller reacts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar

from msgspec import Struct, field

from kschedctl.cluster.change_log import ChangeLog
from kschedctl.volumes.claims import ClaimKey

K = TypeVar("K")
V = TypeVar("V")

_MOST_CHANGES: Final = 1024


class ClaimReference(Struct, frozen=True):
    """The claim that a volume is for; an empty uid stands for any claim of that name."""

    key: ClaimKey
    uid: str

    def is_for(self, key: ClaimKey, uid: str) -> bool:
        """Whether this very claim is meant."""
        return self.key == key and self.uid in ("", uid)


class BindingPlan(Struct, frozen=True):
    """What placing a pod on one node would take (spec 04 §3.8).

    Attributes:
        node: name of the node.
        static: volume name -> claim that it would be bound to.
        provisioned: claims whose volume would be made on the node.
    """

    node: str
    static: tuple[tuple[str, ClaimReference], ...] = ()
    provisioned: tuple[ClaimKey, ...] = ()


class AssumedBindings(Struct):
    """Volumes promised to claims, and the nodes chosen for claims to be provisioned.

    Neither the volume's phase nor the claim changes: that is the work of controllers, which come later.

    Attributes:
        claim_of_volume: volume name -> the claim that it is promised to.
        node_of_claim: claim -> the node on which its volume is to be made.
        changes: names of volumes in the order in which they were promised or given back.
    """

    claim_of_volume: dict[str, ClaimReference] = field(default_factory=dict)
    node_of_claim: dict[ClaimKey, str] = field(default_factory=dict)
    changes: ChangeLog[str] = field(default_factory=lambda: ChangeLog(_MOST_CHANGES))

    def commit(self, plan: BindingPlan) -> Callable[[], None]:
        """Take what the plan says.

        Returns:
            A function that takes it back; to be called in the reverse order of the commits.
        """
        undo: list[Callable[[], object]] = []
        undo += [_put(self.claim_of_volume, volume, reference) for volume, reference in plan.static]
        undo += [_put(self.node_of_claim, claim, plan.node) for claim in plan.provisioned]
        self.changes.extend(volume for volume, _ in plan.static)
        return partial(self._undo, plan, undo)

    def release(self, plan: BindingPlan) -> Callable[[], None]:
        """Give back what the plan took, whatever was taken since.

        Returns:
            A function that takes it again.
        """
        undo = [_drop(self.claim_of_volume, volume) for volume, _ in plan.static]
        undo += [_drop(self.node_of_claim, claim) for claim in plan.provisioned]
        self.changes.extend(volume for volume, _ in plan.static)
        return partial(self._undo, plan, undo)

    def _undo(self, plan: BindingPlan, steps: Sequence[Callable[[], object]]) -> None:
        for step in reversed(steps):
            step()
        self.changes.extend(volume for volume, _ in plan.static)


def _drop(table: dict[K, V], key: K) -> Callable[[], object]:
    """Remove an entry; the returned function restores it."""
    before = table.pop(key)
    return partial(table.__setitem__, key, before)


def _put(table: dict[K, V], key: K, value: V) -> Callable[[], object]:
    """Write an entry; the returned function restores what was there."""
    before = table.get(key)
    table[key] = value
    return partial(table.pop, key) if before is None else partial(table.__setitem__, key, before)
