"""Sweep files: what every scenario has in common, and the axes along which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Final

from msgspec import Struct

from kschedctl.errors import InputError, KschedError, UsageError
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.phrases import either
from kschedctl.sources.document import Document, load_document, raise_all
from kschedctl.sources.own_files import kind_of, packaged_schema, problems_of
from kschedctl.whatif.scenarios.scenario import Scenario, load_scenarios, scenario_of, scenario_schema
from kschedctl.whatif.world.targets import find_nodes
from kschedctl.whatif.world.world import World

_HEAD: Final = "A sweep begins with apiVersion: kschedctl.dev/v1alpha1 and kind: Sweep."
_MOST_SCENARIOS: Final = 100_000
BASELINE: Final = "none"
"""The value of an axis that leaves everything as it is."""
_SHARED: Final = (
    "description",
    "cluster",
    "manifests",
    "namespace",
    "rollout",
    "changes",
    "failMode",
    "preemption",
    "effects",
    "singlePass",
    "expectations",
)
"""Fields that a sweep has from scenarios."""

WrittenChange = tuple[str, str | Mapping[str, Any]]
"""The kind of a change and its text, or the patch itself."""


class AxisKind(StrEnum):
    """What varies along an axis."""

    LOSE_NODES = "loseNodes"
    LOSE_DOMAINS = "loseDomains"
    ADD_NODES = "addNodes"
    WEIGHT = "weight"
    SCHEDULERS = "schedulers"
    VERSIONS = "versions"
    SEEDS = "seeds"
    RELEASES = "releases"
    CHANGES = "changes"
    SCENARIOS = "scenarios"

    @property
    def is_loss(self) -> bool:
        """Whether nodes are lost, which comes after all other changes."""
        return self in (AxisKind.LOSE_NODES, AxisKind.LOSE_DOMAINS)


class Setting(Struct, frozen=True):
    """A value of an axis: what it makes of a scenario.

    Attributes:
        label: what it is called.
        changes: changes that it adds.
        lost: the nodes that are lost by them, where the axis is about losses.
        manifests: manifests that it adds, as they are to be opened.
        scheduler: the configuration file; None: it does not choose one.
        version: the version of kube-scheduler; None: it does not choose one.
        weights: plugin -> weight of its scores.
        seed: by which ties are broken at random; None: it does not choose one.
        scenario: a scenario whose parts it adds; None: there is none.
    """

    label: str
    changes: tuple[WrittenChange, ...] = ()
    lost: frozenset[str] = frozenset()
    manifests: tuple[str, ...] = ()
    scheduler: str | None = None
    version: str | None = None
    weights: Mapping[str, int] = {}
    seed: int | None = None
    scenario: Scenario | None = None


class Axis(Struct, frozen=True):
    """An axis.

    Attributes:
        name: what it is called.
        kind: what varies.
        settings: its values, in order.
    """

    name: str
    kind: AxisKind
    settings: tuple[Setting, ...]


class SweepFile(Struct, frozen=True):
    """A sweep as it is written.

    Attributes:
        base: what all scenarios have in common.
        document: where it stands.
    """

    base: Scenario
    document: Document

    def axes(self, objects: Sequence[TopLevel]) -> list[Axis]:
        """The axes over a cluster, whose nodes and domains some of them name.

        Raises:
            InputError: the only problem, such as a label that no node has.
            InputErrors: several problems.
        """
        world = World(objects)
        axes: list[Axis] = []
        problems: list[KschedError] = []
        for at, data in enumerate(self.document.data["axes"]):
            kind = _kind(data)
            try:
                settings = list(self._settings(kind, data[kind], world))
            except UsageError as error:
                place = self.document.place("axes", at, kind)
                problems.append(InputError(error.message, place=place, hint=error.hint))
                continue
            if data.get("baseline"):
                settings.insert(0, Setting(BASELINE))
            name = data.get("name") or _name(kind, data[kind])
            axes.append(Axis(name, kind, tuple(settings)))
            labels = [setting.label for setting in settings]
            if twice := sorted({label for label in labels if labels.count(label) > 1}):
                place = self.document.place("axes", at, kind)
                problems.append(InputError(f"{twice[0]} is given twice", place=place))
        names = [axis.name for axis in axes]
        problems += [
            InputError(
                f"two axes are called {name!r}",
                place=self.document.place("axes", at),
                hint="Give one of them a name.",
            )
            for at, name in enumerate(names)
            if name in names[:at]
        ]
        count = prod(len(axis.settings) for axis in axes)
        if count > _MOST_SCENARIOS:
            text = f"{count:,} scenarios are too many; at most {_MOST_SCENARIOS:,} are run"
            problems.append(InputError(text, place=self.document.place("axes")))
        raise_all(problems)
        return axes

    def _settings(self, kind: AxisKind, data: Any, world: World) -> Iterator[Setting]:
        context = self.base.context
        match kind:
            case AxisKind.LOSE_NODES:
                for node in find_nodes(world, data):
                    yield Setting(node.name, (("remove-node", node.name),), frozenset([node.name]))
            case AxisKind.LOSE_DOMAINS:
                for value, nodes in _domains(world, data).items():
                    yield Setting(value, (("fail-domain", f"{data}={value}"),), frozenset(nodes))
            case AxisKind.ADD_NODES:
                for count in _numbers(data["count"]):
                    added = (("add-node", f"{data['shape']}={count}"),) if count else ()
                    yield Setting(str(count), added)
            case AxisKind.WEIGHT:
                for weight in data["values"]:
                    yield Setting(str(weight), weights={data["plugin"]: weight})
            case AxisKind.SCHEDULERS:
                for one in data:
                    yield Setting(one["name"], scheduler=context.path(one["file"]) if "file" in one else None)
            case AxisKind.VERSIONS:
                for version in data:
                    yield Setting(version, version=version)
            case AxisKind.SEEDS:
                for seed in _numbers(data):
                    yield Setting(str(seed), seed=seed)
            case AxisKind.RELEASES:
                for one in data:
                    yield Setting(one["name"], manifests=tuple(map(context.path, one["manifests"])))
            case AxisKind.CHANGES:
                for one in data:
                    yield Setting(one["name"], changes_of(one["changes"]))
            case AxisKind.SCENARIOS:
                for scenario in load_scenarios([context.path(path) for path in data]):
                    yield Setting(scenario.name, scenario=scenario)


def load_sweep(path: str, stdin: BinaryIO | None = None) -> SweepFile:
    """Read a sweep file.

    Raises:
        InputError: the only problem.
        InputErrors: all problems of the file.
    """
    document = load_document(path, stdin)
    problems = list(_problems(document))
    raise_all(sorted(problems, key=lambda problem: (problem.place.line or 0) if problem.place else 0))
    return SweepFile(scenario_of(document, Path(path).parent), document)


@cache
def sweep_schema() -> Mapping[str, Any]:
    """The JSON Schema of a sweep: its own fields, and those that it has from scenarios."""
    schema = packaged_schema("kschedctl.whatif.sweeps", "sweep.schema.json")
    scenario = scenario_schema()
    fields = scenario["properties"]
    schema["properties"] |= {name: fields[name] for name in _SHARED}
    schema["$defs"] |= scenario["$defs"] | {"changes": fields["changes"]}
    return schema


def combinations(axes: Sequence[Axis]) -> Iterator[tuple[Setting, ...]]:
    """Every value of each axis with every value of the others, the last axis fastest."""
    return product(*(axis.settings for axis in axes))


def in_order(axes: Sequence[Axis], settings: Sequence[Setting]) -> list[Setting]:
    """The settings in the order in which they are applied.

    What is lost goes last, from all that was added; what is lost with something else is not lost again.
    """
    pairs = sorted(zip(axes, settings, strict=True), key=lambda pair: pair[0].kind.is_loss)
    ordered: list[Setting] = []
    for at, (_, one) in enumerate(pairs):
        larger = (other.lost for place, (_, other) in enumerate(pairs) if place != at)
        smaller = any(one.lost < lost for lost in larger)
        again = any(one.lost == earlier.lost for earlier in ordered)
        if not one.lost or not (smaller or again):
            ordered.append(one)
    return ordered


def changes_of(data: Sequence[Mapping[str, Any]]) -> tuple[WrittenChange, ...]:
    """Changes as they are written in files."""
    return tuple(next(iter(change.items())) for change in data)


def _problems(document: Document) -> Iterator[KschedError]:
    hint = "`kschedctl gate` runs scenarios." if kind_of(document) == "Scenario" else _HEAD
    broken = list(problems_of(document, "Sweep", sweep_schema(), hint))
    yield from broken
    if broken:
        return
    for at, axis in enumerate(document.data["axes"]):
        given = [kind for kind in AxisKind if kind in axis]
        if len(given) != 1:
            got = f', got {" and ".join(given)}; start each with "- "' if given else ""
            text = f"expected one of {either(list(AxisKind))}, which says what varies{got}"
            yield InputError(text, place=document.place("axes", at))


def _kind(data: Mapping[str, Any]) -> AxisKind:
    return next(kind for kind in AxisKind if kind in data)


def _name(kind: AxisKind, data: Any) -> str:
    """What an axis is called that has no name."""
    match kind:
        case AxisKind.LOSE_NODES:
            return "lost node"
        case AxisKind.LOSE_DOMAINS:
            return f"lost {data.rpartition('/')[2]}"
        case AxisKind.ADD_NODES:
            return f"nodes {data['shape']}"
        case AxisKind.WEIGHT:
            return f"weight of {data['plugin']}"
        case _:
            return kind.value.removesuffix("s")


def _domains(world: World, key: str) -> Mapping[str, Sequence[str]]:
    """Value of a label -> the nodes that have it, by value."""
    domains: dict[str, list[str]] = {}
    for node in world.nodes:
        if key in node.metadata.labels:
            domains.setdefault(node.metadata.labels[key], []).append(node.name)
    if not domains:
        raise UsageError(f"no node has the label {key}")
    return dict(sorted(domains.items()))


def _numbers(data: Sequence[int] | Mapping[str, int]) -> Sequence[int]:
    if isinstance(data, Mapping):
        if data["to"] < data["from"]:
            raise UsageError(f"a range from {data['from']} to {data['to']} has no number")
        return range(data["from"], data["to"] + 1, data.get("step", 1))
    return data
