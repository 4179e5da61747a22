"""Scenario files: changes, manifests and expectations, checked against a schema, every problem with its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct, field

from kschedctl.errors import InputError, KschedError, Place
from kschedctl.sources.document import Document, load_documents, raise_all
from kschedctl.sources.own_files import packaged_schema, problems_of
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.world.change_context import ChangeContext
from kschedctl.whatif.world.change_forms import FailMode, RolloutMode
from kschedctl.whatif.world.change_text import parse_change, told_change
from kschedctl.whatif.world.changes import Change

_HEAD = "A scenario begins with apiVersion: kschedctl.dev/v1alpha1 and kind: Scenario."
ALL = "all"
MANIFESTS = "manifests"


class OnNodes(Struct, frozen=True):
    """All pods of a workload are on some nodes."""

    workload: str
    nodes: str


class Spread(Struct, frozen=True):
    """The pods of a workload are spread over a node label."""

    workload: str
    over: str
    max_skew: int | None = None
    min_domains: int | None = None


class Drainable(Struct, frozen=True):
    """Nodes can be drained, each by itself or all together."""

    nodes: str
    together: bool = False


class NodesNeeded(Struct, frozen=True):
    """So many nodes of a shape at most have to be added for every pod to find a node; the shape is a change's text."""

    shape: str
    at_most: int
    context: ChangeContext


class Cost(Struct, frozen=True):
    """The nodes of a catalogue that have to be bought for every pod to find a node cost so much an hour at most."""

    catalogue: str
    at_most: float


class Expectations(Struct, frozen=True):
    """What is to hold; None or empty where it is not asked for.

    Attributes:
        schedulable: `all`, `manifests`, or workloads whose pods find a node.
        max_pending: so many pods may stay pending.
        no_preemption: nobody is preempted.
        on_nodes: where workloads are.
        spread: how workloads are spread.
        headroom: resource -> percent that stay free.
        survives_nodes: so many nodes may fail at once.
        survives_zones: so many zones may fail at once.
        drainable: which nodes can be drained.
        nodes_needed: how many nodes of a shape may be lacking.
        cost: what nodes that are lacking may cost.
        no_unread: nothing in the manifests is passed over that was meant to be read.
    """

    schedulable: str | tuple[str, ...] = ()
    max_pending: int | None = None
    no_preemption: bool = False
    on_nodes: tuple[OnNodes, ...] = ()
    spread: tuple[Spread, ...] = ()
    headroom: Mapping[str, int] = field(default_factory=dict)
    survives_nodes: int = 0
    survives_zones: int = 0
    drainable: Drainable | None = None
    nodes_needed: NodesNeeded | None = None
    cost: Cost | None = None
    no_unread: bool = False


class Scenario(Struct, frozen=True):
    """A scenario as it is written.

    Attributes:
        name: names it in reports.
        description: what it is about.
        cluster: paths of the cluster, empty where another one is to be used.
        manifests: paths of manifests.
        namespace: of objects of manifests that state none.
        changes: kind and text of each change; an inline patch is its data.
        context: how changes are to be read.
        preemption: whether pods may preempt.
        single_pass: try each pod once.
        effects: what evictions do.
        expectations: what is to hold.
        document: where it stands.
    """

    name: str
    description: str
    cluster: tuple[str, ...]
    manifests: tuple[str, ...]
    namespace: str | None
    changes: tuple[tuple[str, str | Mapping[str, Any]], ...]
    context: ChangeContext
    preemption: bool
    single_pass: bool
    effects: EffectsModel
    expectations: Expectations
    document: Document

    @property
    def rollout(self) -> RolloutMode:
        """What happens to running pods of workloads that manifests replace."""
        return self.context.rollout

    def place(self, *path: str | int) -> Place:
        """Where a field stands."""
        return self.document.place(*path)

    def parsed_changes(self) -> list[Change]:
        """The changes.

        Raises:
            UsageError: a text is malformed.
            InputError: a file that one names cannot be used.
        """
        changes: list[Change] = []
        for kind, what in self.changes:
            if isinstance(what, str):
                changes += parse_change(kind, what, self.context)
            else:
                changes.append(self.context.patch(what))
        return changes

    def change_texts(self) -> list[str]:
        """The changes as a person would say them."""
        return [told_change(kind, _reference(what), self.context) for kind, what in self.changes]


def load_scenarios(paths: Sequence[str], stdin: BinaryIO | None = None) -> list[Scenario]:
    """Read scenario files; one may hold several documents.

    Raises:
        InputError: the only problem.
        InputErrors: all problems of all files.
    """
    scenarios: list[Scenario] = []
    problems: list[KschedError] = []
    for path in paths:
        try:
            documents = load_documents(path, stdin)
        except KschedError as error:
            problems.append(error)
            continue
        if not documents:
            problems.append(InputError("holds no scenario", place=Place(file=path)))
        for document in documents:
            found = list(_problems(document))
            problems += found
            if not found:
                scenarios.append(scenario_of(document, Path(path).parent))
    raise_all(problems)
    return scenarios


def scenario_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario."""
    return packaged_schema("kschedctl.whatif.scenarios", "scenario.schema.json")


def _problems(document: Document) -> list[KschedError]:
    problems = problems_of(document, "Scenario", scenario_schema(), _HEAD)
    return sorted(problems, key=lambda problem: (problem.place.line or 0) if problem.place else 0)


def scenario_of(document: Document, directory: Path) -> Scenario:
    """The scenario of a document that was checked, with paths that relate to a directory."""
    data = document.data
    context = ChangeContext(
        directory=directory,
        fail_mode=FailMode(data.get("failMode", FailMode.GONE)),
        rollout=RolloutMode(data.get("rollout", RolloutMode.RECREATE)),
        namespace=data.get("namespace"),
    )
    cluster = data.get("cluster") or []
    paths = [cluster] if isinstance(cluster, str) else cluster
    return Scenario(
        name=data["metadata"]["name"],
        description=data.get("description", ""),
        cluster=tuple(context.path(path) for path in paths),
        manifests=tuple(context.path(path) for path in data.get("manifests") or []),
        namespace=data.get("namespace"),
        changes=tuple(next(iter(change.items())) for change in data.get("changes") or []),
        context=context,
        preemption=data.get("preemption", True),
        single_pass=data.get("singlePass", False),
        effects=EffectsModel(data.get("effects", EffectsModel.IN_FLIGHT)),
        expectations=_expectations(data.get("expectations") or {}, context),
        document=document,
    )


def _expectations(data: Mapping[str, Any], context: ChangeContext) -> Expectations:
    schedulable = data.get("schedulable") or ()
    survives = data.get("survives") or {}
    needed, cost = data.get("nodesNeeded"), data.get("cost")
    return Expectations(
        schedulable=schedulable if isinstance(schedulable, str) else tuple(schedulable),
        max_pending=data.get("maxPending"),
        no_preemption=data.get("noPreemption", False),
        on_nodes=tuple(OnNodes(item["workload"], item["nodes"]) for item in data.get("onNodes") or ()),
        spread=tuple(
            Spread(item["workload"], item["over"], item.get("maxSkew"), item.get("minDomains"))
            for item in data.get("spread") or ()
        ),
        headroom={name: int(share.rstrip("%")) for name, share in (data.get("headroom") or {}).items()},
        survives_nodes=survives.get("nodes", 0),
        survives_zones=survives.get("zones", 0),
        drainable=_drainable(data.get("drainable")),
        nodes_needed=NodesNeeded(needed["shape"], needed["atMost"], context) if needed else None,
        cost=Cost(context.path(cost["catalogue"]), float(cost["atMost"])) if cost else None,
        no_unread=data.get("noUnread", False),
    )


def _drainable(data: str | Mapping[str, Any] | None) -> Drainable | None:
    if data is None:
        return None
    return Drainable(data) if isinstance(data, str) else Drainable(data["nodes"], data.get("together", False))


def _reference(what: str | Mapping[str, Any]) -> str:
    if isinstance(what, str):
        return what
    metadata = what.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return f"{what.get('kind')}/{name}"
