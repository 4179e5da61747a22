"""The claims of a pod: one that cannot be used is mended, one whose volume is elsewhere gives way to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.combinations import cheapest_first
from kschedctl.advice.costs import COSTS
from kschedctl.advice.measure import Measure, Measures
from kschedctl.advice.obstacles.broken_claims import ephemeral_missing, made_anew, made_for_pod, missing
from kschedctl.advice.obstacles.claim_parts import as_empty_dirs
from kschedctl.advice.obstacles.member_claims import is_named_by_set
from kschedctl.advice.obstacles.other_claims import otherwise
from kschedctl.advice.situation import Ints, Mask, Situation
from kschedctl.volumes.claims import ClaimUse, claim_uses
from kschedctl.volumes.cluster_storage import ClusterStorage
from kschedctl.volumes.pod_volumes import VolumeClaimProblem, problem_of

_MOST_TOGETHER: Final = 24
_MOST_KINDS: Final = 4
_PLUGINS: Final = frozenset({"VolumeBinding", "VolumeZone", "VolumeRestrictions"})


def claims(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """Every claim mended that stops the pod everywhere; and those changed that stop it on some of the nodes."""
    broken, others = dict[ClaimUse, list[Measures]](), dict[ClaimUse, list[Measures]]()
    for use in claim_uses(situation.pod):
        is_broken, changes = _about(situation, use, rows)
        (broken if is_broken else others)[use] = [(change,) for change in changes]
    for needed in islice(cheapest_first(list(broken.values()), COSTS), _MOST_TOGETHER):
        if needed:
            yield needed
        for together in _stopping(situation, list(others), rows):
            for more in islice(cheapest_first([others[use] for use in together], COSTS), _MOST_TOGETHER):
                yield (*needed, *more)
    if (without := _without(situation)) is not None:
        yield (without,)


def _stopping(situation: Situation, uses: Sequence[ClaimUse], rows: Ints) -> list[tuple[ClaimUse, ...]]:
    """The claims that stop the pod together on some node, few first; each alone where none of them does."""
    alone: list[tuple[ClaimUse, ...]] = [(use,) for use in uses]
    if len(uses) < 2:
        return alone
    masks = [_refused(situation, use)[rows] for use in uses]
    kinds = dict.fromkeys(
        tuple(use for use, mask in zip(uses, masks, strict=True) if mask[at]) for at in range(len(rows))
    )
    found = sorted(filter(None, kinds), key=len)[:_MOST_KINDS]
    return list(dict.fromkeys([*found, *(alone if () in kinds else ())]))


def _refused(situation: Situation, use: ClaimUse) -> Mask:
    """The nodes that refuse the pod for this volume alone, bool (N,)."""
    pod, session = situation.pod, situation.session
    start = session.cluster.mark()
    try:
        volumes = tuple(volume for volume in pod.spec.volumes if volume.name == use.volume)
        record = session.enter(replace(pod, spec=replace(pod.spec, volumes=volumes)))
        if isinstance(record, Invalid):
            return np.ones(situation.cluster.nodes.count, bool)
        return situation.refused(record, _PLUGINS)
    finally:
        session.cluster.undo_to(start)


def _about(situation: Situation, use: ClaimUse, rows: Ints) -> tuple[bool, Iterator[Measure]]:
    """Whether no node could take the pod with this claim, and what can be done about it."""
    catalog = ClusterStorage.of(situation.cluster).catalog
    found = catalog.claims.get(use.key)
    match problem_of(use, situation.pod, catalog):
        case VolumeClaimProblem.MISSING:
            return True, missing(situation, use, catalog)
        case VolumeClaimProblem.EPHEMERAL_MISSING:
            return True, ephemeral_missing(situation, use, catalog)
        case VolumeClaimProblem.NOT_OWNER:
            assert found is not None
            owner = found.metadata.controller
            whose = f"it is {owner.kind} {owner.name}'s" if owner else "it is nobody's"
            return True, made_for_pod(situation, use, found, whose)
        case VolumeClaimProblem.LOST | VolumeClaimProblem.DELETED:
            assert found is not None
            lost = found.status.phase == "Lost"
            return True, made_anew(
                situation, use, found, catalog, "its data is gone" if lost else "it is deleted"
            )
        case VolumeClaimProblem.UNBOUND:
            assert found is not None
            return True, otherwise(situation, use, found, rows, catalog)
    assert found is not None
    gone = found.spec.volume_name
    if gone and gone not in catalog.volumes:
        return True, made_anew(situation, use, found, catalog, f"volume {gone} is gone")
    return False, otherwise(situation, use, found, rows, catalog)


def _without(situation: Situation) -> Measure | None:
    """The pod without any volume that is not made for it alone, empty directories in their place."""
    if any(is_named_by_set(situation, use.key.name) for use in claim_uses(situation.pod)):
        return None
    places = [
        at
        for at, volume in enumerate(situation.spec.volumes)
        if volume.has_source and not volume.is_configuration and volume.image is None
    ]
    return as_empty_dirs(tuple(places), situation) if places else None
