"""Sets of nodes that a group of pods is tried on as a whole (spec 07 §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from kschedctl.framework.status import Status

if TYPE_CHECKING:
    from kschedctl.cluster.pods import PodRecord
    from kschedctl.objects.pod import PodResourceClaim

Ints = npt.NDArray[np.int64]


class Placement(Struct, frozen=True, eq=False):
    """Nodes that a group may use together.

    Attributes:
        name: the value of the topology label that its nodes share, empty where there is no such label.
        rows: int64 (n,), the nodes in snapshot order.
    """

    name: str
    rows: Ints


class GroupScope(Struct, frozen=True):
    """What a plugin may know of a group.

    Attributes:
        key: namespace and name.
        topology_key: the label whose values name the placements, None for no constraint.
        scheduled: members that are on a node before the cycle, in order of arrival.
        is_composite: whether it has child groups instead of members.
        claims: the claims that its members share.
    """

    key: tuple[str, str]
    topology_key: str | None
    scheduled: Sequence[PodRecord]
    is_composite: bool = False
    claims: Sequence[PodResourceClaim] = ()


class GroupChange(Struct, frozen=True):
    """What a plugin can change for a group that fits nowhere.

    Attributes:
        status: what it says.
        carry_out: does it, in the journal of the cluster.
    """

    status: Status
    carry_out: Callable[[], None]


class PlacementTrial(Struct, frozen=True):
    """What a group would make of a placement.

    Attributes:
        placement: the nodes.
        scheduled: how many members were on a node before the cycle.
        placed: the members that found a node there.
    """

    placement: Placement
    scheduled: int
    placed: Sequence[PodRecord]
