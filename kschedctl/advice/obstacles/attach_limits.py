"""Volumes that a node can attach: a higher limit, as the driver would have to report it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kschedctl.advice.json_patch import add
from kschedctl.advice.measure import Measure, Measures, ObjectPatch, Reference
from kschedctl.advice.situation import Ints, Situation
from kschedctl.objects.storage import CsiNode
from kschedctl.plugins.node_volume_limits import NodeVolumeLimits

_MOST_NODES: Final = 3
_MORE: Final = (1, 2, 4)
_PLUGIN: Final = NodeVolumeLimits.spec.name


def attach_limits(situation: Situation, rows: Ints) -> Iterator[Measures]:
    """The limits of a node as high as the pod needs them."""
    plugin = next(one for one in situation.framework.plugins if one.name == _PLUGIN)
    assert isinstance(plugin, NodeVolumeLimits)
    state = situation.phase.states[_PLUGIN]
    for row in situation.nearest(rows, _MOST_NODES).tolist():
        short = {s.driver: s.used + s.needs for s in plugin.shortages(state, situation.rows, row)}
        if short:
            yield from _raised(situation, row, short)
            continue
        # A claim that cannot be used hides what the pod would attach.
        for more in _MORE:
            higher = {name: limit + more for name, limit in _limits(situation, row).items()}
            yield from _raised(situation, row, higher)


def _limits(situation: Situation, row: int) -> Mapping[str, int]:
    found = situation.cluster.objects.find(CsiNode, situation.cluster.nodes.names[row])
    return {
        driver.name: driver.allocatable.count
        for driver in (found.spec.drivers if found else ())
        if driver.allocatable is not None and driver.allocatable.count is not None
    }


def _raised(situation: Situation, row: int, counts: Mapping[str, int]) -> Iterator[Measures]:
    name = situation.cluster.nodes.names[row]
    found = situation.cluster.objects.find(CsiNode, name)
    if found is None:
        return
    changes = []
    for at, driver in enumerate(found.spec.drivers):
        if driver.name not in counts or driver.allocatable is None or driver.allocatable.count is None:
            continue
        count, limit = counts[driver.name], driver.allocatable.count
        operation = add(count, "spec", "drivers", at, "allocatable", "count")
        changes.append(
            Measure(
                "volume-limit",
                f"{name} attaches {count} volumes of {driver.name} (limit now {limit})",
                (ObjectPatch(Reference("CSINode", "", name), (operation,)),),
                size=round(1 + 0.1 * (count - limit), 2),
                row=row,
                note="the limit is what the driver reports; a larger machine type has a higher one",
            )
        )
    if changes:
        yield tuple(changes)
