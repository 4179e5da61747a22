"""Shapes and the nodes of a cluster: of which node a shape is a copy, and of which shape a node is."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.errors import InputError, KschedError, UsageError
from kschedctl.objects.node import Node
from kschedctl.objects.quantity import Quantity, parse
from kschedctl.sources.document import raise_all
from kschedctl.whatif.fleet.catalogue import Catalogue, Shape
from kschedctl.whatif.world.targets import find_nodes
from kschedctl.whatif.world.utilization import PODS, ZONE_KEYS
from kschedctl.whatif.world.world import World

_TYPE_KEYS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")


def check_models(catalogue: Catalogue, world: World) -> None:
    """Make sure that the nodes are there of which shapes are copies.

    Raises:
        InputError: one is not, at the only such place.
        InputErrors: several are not.
    """
    problems = list[KschedError]()
    for shape, place in zip(catalogue.shapes, catalogue.places, strict=True):
        try:
            if shape.like:
                find_nodes(world, shape.like)
        except UsageError as error:
            problems.append(InputError(error.message, place=place, hint=error.hint))
    raise_all(problems)


class ShapesOfNodes:
    """Tells of which shape a node is.

    A node is of the first shape that is sold in its zone and has the name of its instance type or that type itself;
    where no shape has, of the first one with the same resources.

    Args:
        shapes: in the order of the catalogue.
        world: the cluster, with the nodes of which shapes are copies.
    """

    def __init__(self, shapes: Sequence[Shape], world: World) -> None:
        models = ((shape, _model(shape, world)) for shape in shapes)
        self._known = [
            (shape, {shape.name, model.metadata.first_label(_TYPE_KEYS)} - {None}, _room(model))
            for shape, model in models
            if model is not None
        ]

    def of(self, node: Node) -> Shape | None:
        """The shape of a node; None: it is of none."""
        kind, zone = node.metadata.first_label(_TYPE_KEYS), node.metadata.first_label(ZONE_KEYS)
        room = _room(node)
        sold = [entry for entry in self._known if not entry[0].zones or zone in entry[0].zones]
        alike = [shape for shape, types, _ in sold if kind in types]
        alike += [shape for shape, _, offered in sold if offered == room]
        return alike[0] if alike else None


def _model(shape: Shape, world: World) -> Node | None:
    return find_nodes(world, shape.like)[0] if shape.like else shape.template


def _room(node: Node) -> dict[str, Quantity]:
    """What it offers; how many pods it takes is a setting of its kubelet, and nothing that is paid for."""
    offered = node.status.allocatable or node.status.capacity
    return {name: parse(raw) for name, raw in offered.items() if name != PODS and parse(raw).nano}
