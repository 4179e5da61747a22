"""What would have to be bought so that every pod finds a node: how many nodes of a shape, or at what price."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.errors import InputError, Place, UsageError
from kschedctl.objects.apps import DaemonSet
from kschedctl.objects.phrases import plural
from kschedctl.observer import SILENT, Observer
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.capacity.node_count import fewest_nodes
from kschedctl.whatif.fleet.catalogue import load_catalogue
from kschedctl.whatif.fleet.mix import cheapest_fleet
from kschedctl.whatif.fleet.wish import Fleet, Wish
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.scenarios.checks import Check, Finding, Rule, why_of
from kschedctl.whatif.scenarios.scenario import Cost, NodesNeeded
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate
from kschedctl.whatif.world.change_text import parse_change
from kschedctl.whatif.world.changes import AddNode
from kschedctl.workloads import WorkloadKey


class Basis(Struct, frozen=True):
    """What a scenario was simulated from, to simulate it again with other nodes.

    Attributes:
        loaded: the cluster as loaded.
        options: what to do where the real scheduler leaves room.
        plan: manifests and changes.
    """

    loaded: Session
    options: SchedulingOptions
    plan: Plan


def check_nodes_needed(wanted: NodesNeeded, basis: Basis, observer: Observer = SILENT) -> Check:
    """That no more nodes of a shape have to be added than allowed.

    Raises:
        UsageError: the shape is malformed, or the node that it is like is not there.
        InputError: the file of the shape cannot be used.
    """
    shape = _shape(wanted)
    lacking = _lacking(basis, 0, shape)
    left, tried = lacking, 0

    def gained(count: int) -> int:
        nonlocal left, tried
        observer.progress("clusters filled", tried, None)
        left, tried = _lacking(basis, count, shape), tried + 1
        return len(lacking) - len(left)

    title = (
        f"at most {plural(wanted.at_most, 'node')} like {wanted.shape.removeprefix('like=')} more are needed"
    )
    finding = None
    if lacking:
        found = fewest_nodes(gained, len(lacking))
        if found.nodes is None:
            more = plural(found.tried, "node")
            finding = Finding(
                f"no number of such nodes is enough: with {more} more {_told(left)}", _whose(left)
            )
        elif found.nodes > wanted.at_most:
            verb = "is" if found.nodes == 1 else "are"
            text = f"{plural(found.nodes, 'such node')} more {verb} needed, {wanted.at_most or 'none'} may be"
            finding = Finding(f"{text}: as it is, {_told(lacking)}", _whose(lacking))
    return Check(Rule.NODES_NEEDED, title, ("nodesNeeded",), () if finding is None else (finding,))


def check_cost(wanted: Cost, basis: Basis, observer: Observer = SILENT) -> Check:
    """That the cheapest nodes of a catalogue with which every pod finds a node cost no more than allowed.

    Raises:
        UsageError: HiGHS is not installed, or the node that a shape is like is not there.
        InputError: the catalogue cannot be used.
    """
    catalogue = load_catalogue(wanted.catalogue)
    if not catalogue.priced:
        hint = "Write pricePerHour for every shape, or expect nodesNeeded."
        raise InputError("no shape has a price", place=Place(file=wanted.catalogue), hint=hint)
    # A daemon that finds a new node full would call for another one.
    manifests = sorted(basis.plan.manifests, key=lambda obj: not isinstance(obj, DaemonSet))
    wish = Wish(replace(basis.plan, manifests=manifests), catalogue.shapes)
    fleet = cheapest_fleet(basis.loaded, basis.options, wish, observer=observer)
    title = f"what has to be bought costs at most {wanted.at_most:.2f} an hour"
    finding = None
    if not fleet.possible:
        text = f"nothing in the catalogue is enough: {_told(fleet.lacking)}"
        finding = Finding(text, _whose(fleet.lacking))
    elif fleet.cost > wanted.at_most:
        least = "" if fleet.bound is None else f"; nothing costs less than {fleet.bound:.2f}"
        needed = f"nodes for {fleet.cost:.2f} an hour are needed ({_bought(fleet, wish)})"
        finding = Finding(f"{needed}, {wanted.at_most:.2f} may be{least}")
    return Check(Rule.COST, title, ("cost",), () if finding is None else (finding,))


def _shape(wanted: NodesNeeded) -> AddNode:
    changes = parse_change("add-node", wanted.shape, wanted.context, name="shape")
    shapes = [change for change in changes if isinstance(change, AddNode)]
    if len(shapes) > 1:
        raise UsageError(
            f"shape {wanted.shape!r}: {len(shapes)} nodes are in it", hint="One shape is counted."
        )
    return shapes[0]


def _whose(tasks: Sequence[Task]) -> WorkloadKey | None:
    """The workload of the pods, None where they are of several."""
    workloads = {task.workload for task in tasks}
    return workloads.pop() if len(workloads) == 1 else None


def _lacking(basis: Basis, count: int, shape: AddNode) -> list[Task]:
    """Pods without a node in the cluster with so many nodes more."""
    added = [dataclasses.replace(shape, count=count)] if count else []
    plan = replace(basis.plan, changes=(*basis.plan.changes, *added))
    return [task for task in simulate(basis.loaded, basis.options, plan).tasks if not task.placed]


def _told(tasks: Sequence[Task]) -> str:
    first = tasks[0]
    verb = "finds" if len(tasks) == 1 else "find"
    return f"{plural(len(tasks), 'pod')} {verb} no node, {first.name} since {why_of(first)}"


def _bought(fleet: Fleet, wish: Wish) -> str:
    parts = []
    for column, count in zip(fleet.columns, fleet.mix, strict=True):
        if count:
            where = f" in {column.zone}" if column.zone else ""
            parts.append(f"{count} {wish.shapes[column.shape].name}{where}")
    return ", ".join(parts)
