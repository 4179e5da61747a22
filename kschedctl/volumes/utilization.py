"""How full the storage behind a placement would be, for scoring (spec 04 §3.7)."""

from __future__ import annotations

from collections import defaultdict

from kschedctl.objects.go import div
from kschedctl.objects.quantity import parse
from kschedctl.volumes.binding import BindingAnswer
from kschedctl.volumes.claims import capacity_of, requested_storage
from kschedctl.volumes.provisioning import NO_CAPACITY
from kschedctl.volumes.static_matching import NO_VOLUME

FULL = 100


def utilizations(answer: BindingAnswer, row: int) -> tuple[int, ...]:
    """Percent in use of each class's storage once the pod is on a node.

    Existing volumes count against their own size; only where there is none, new ones count against the
    published capacity that covers the node.
    """
    requested: dict[str, int] = defaultdict(int)
    capacity: dict[str, int] = defaultdict(int)
    for binding in answer.static:
        if binding.volume[row] != NO_VOLUME:
            volume = binding.pool.volumes[binding.volume[row]]
            name = volume.spec.storage_class_name
            requested[name] += requested_storage(binding.claim).value()
            capacity[name] += capacity_of(volume).value()
    if not requested:
        for provision in answer.provisions:
            source = int(provision.offer.source[row])
            if provision.mask[row] and provision.offer.capacities is not None and source != NO_CAPACITY:
                name = provision.claim.spec.storage_class_name or ""
                requested[name] += requested_storage(provision.claim).value()
                # The last claim of a class decides: upstream assigns here and does not add.
                capacity[name] = parse(provision.offer.capacities[source].capacity or 0).value()
    return tuple(_percent(requested[name], capacity[name]) for name in requested)


def _percent(requested: int, capacity: int) -> int:
    if capacity == 0 or requested > capacity:
        return FULL
    return div(requested * 100, capacity)
