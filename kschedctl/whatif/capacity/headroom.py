"""Room that is to be kept free on every node."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import UsageError
from kschedctl.objects.meta import ResourceList
from kschedctl.objects.node import Node
from kschedctl.objects.quantity import Quantity, QuantityError, parse
from kschedctl.whatif.world.world import World


class Headroom(Struct, frozen=True):
    """A part of a resource, or an amount of it, that no pod may use on any node.

    Attributes:
        resource: its name.
        percent: the part of what a node can allocate; None where an amount is given.
        amount: the amount.
    """

    resource: str
    percent: int | None = None
    amount: Quantity | None = None

    def __str__(self) -> str:
        return f"{self.resource}={self.amount if self.percent is None else f'{self.percent}%'}"


def parse_headroom(text: str) -> Headroom:
    """Read `cpu=10%` or `memory=2Gi`.

    Raises:
        UsageError: the text has another form.
    """
    resource, equals, amount = text.partition("=")
    number = amount.removesuffix("%")
    if (
        resource
        and equals
        and amount.endswith("%")
        and number.isdecimal()
        and len(number) < 10
        and int(number) <= 100
    ):
        return Headroom(resource, percent=int(number))
    try:
        if resource and equals and not amount.endswith("%"):
            return Headroom(resource, amount=parse(amount))
    except QuantityError:
        pass
    raise UsageError(f"{text!r} is no headroom", hint="Write cpu=10% or memory=2Gi.")


def check_resources(headroom: Sequence[Headroom], nodes: Sequence[Node]) -> None:
    """Refuse headroom of what no node has, if there are nodes: it would keep nothing free.

    Raises:
        UsageError: such a name is given.
    """
    known = sorted({name for node in nodes for name in _room_of(node)})
    for kept in headroom:
        if nodes and kept.resource not in known:
            raise UsageError(f"headroom {kept}: no node has any {kept.resource}", hint=_hint(kept, known))


def _hint(kept: Headroom, known: Sequence[str]) -> str:
    meant = [name for name in known if kept.resource in name] or get_close_matches(kept.resource, known)
    question = f"Did you mean {' or '.join(meant)}? " if meant else ""
    return f"{question}The nodes have {', '.join(known)}."


def keep_free(world: World, headroom: Sequence[Headroom]) -> None:
    """Take the room away from every node."""
    if not headroom:
        return
    for node in world.all(Node):
        allocatable = dict(_room_of(node))
        for kept in headroom:
            _reduce(allocatable, kept)
        world.put(replace(node, status=replace(node.status, allocatable=allocatable)))


def _room_of(node: Node) -> ResourceList:
    return node.status.allocatable or node.status.capacity


def _reduce(allocatable: ResourceList, kept: Headroom) -> None:
    raw = allocatable.get(kept.resource)
    if raw is None:
        return
    total = parse(raw).milli_value() if kept.resource == "cpu" else parse(raw).value()
    if kept.percent is not None:
        left = total * (100 - kept.percent) // 100
    else:
        assert kept.amount is not None
        taken = kept.amount.milli_value() if kept.resource == "cpu" else kept.amount.value()
        left = max(total - taken, 0)
    allocatable[kept.resource] = f"{left}m" if kept.resource == "cpu" else left
