"""What would make a pod fit: the part of a report."""

from __future__ import annotations

from typing import Annotated, Any

from kschedctl.reports.model import ReportObject, doc


class TargetReference(ReportObject, frozen=True, kw_only=True):
    """An object by name."""

    kind: Annotated[str, doc("Kind.")]
    namespace: Annotated[str | None, doc("Namespace; null for kinds without one.")]
    name: Annotated[str, doc("Name.")]


class EditReport(ReportObject, frozen=True, kw_only=True):
    """What is done to one object."""

    target: Annotated[TargetReference, doc("The object.")]
    file: Annotated[str | None, doc("The manifest in which it is written; null: it is in the cluster.")]
    patch: Annotated[
        list[dict[str, Any]], doc("A JSON Patch (RFC 6902) of it; empty: it is added or deleted.")
    ]
    words: Annotated[list[str], doc("The patch in words, a line an operation.")]
    added: Annotated[dict[str, Any] | None, doc("The object that is added; null: it is there.")]
    deleted: Annotated[
        bool,
        doc(
            "Whether it is deleted; with `added` it is then made anew, else its controller does that, if it has one."
        ),
    ]


class ChangeReport(ReportObject, frozen=True, kw_only=True):
    """One change."""

    kind: Annotated[str, doc("What it costs, a key of the table of costs.")]
    text: Annotated[str, doc("The condition that it meets.")]
    note: Annotated[str, doc("What else has to be known; empty: nothing.")]
    edits: Annotated[list[EditReport], doc("What it does to which objects.")]


class MoveReport(ReportObject, frozen=True, kw_only=True):
    """A running pod that has to leave its node."""

    pod: Annotated[str, doc("Namespace and name.")]
    source: Annotated[
        str,
        doc(
            "The node that it leaves.",
        ),
    ]
    returns: Annotated[bool, doc("Whether its controller makes a successor.")]
    target: Annotated[str | None, doc("Where its successor is placed; null: nowhere, or there is none.")]
    may_come_first: Annotated[bool, doc("Whether the room is left, too, if its successor is placed first.")]


class SuggestionReport(ReportObject, frozen=True, kw_only=True):
    """Measures with which the pod schedules, as the whole algorithm says that was run again with them made."""

    text: Annotated[str, doc("The conditions under which the pod fits, in a sentence.")]
    cost: Annotated[float, doc("What it costs, by the table of costs: the cheapest is first.")]
    node: Annotated[str, doc("Where the pod then goes.")]
    nodes: Annotated[list[str], doc("All nodes that are then feasible.")]
    preempts: Annotated[list[str], doc("Running pods whose place it then takes, by preemption.")]
    moves: Annotated[list[MoveReport], doc("Running pods that have to leave their nodes for it.")]
    needs_new_pod: Annotated[
        bool, doc("Whether the pod has to be deleted and made anew, since it cannot be changed in place.")
    ]
    changes: Annotated[list[ChangeReport], doc("What is changed; all of it is needed.")]
    commands: Annotated[list[str], doc("How it is done with kubectl, as far as that does it.")]
