"""Suggestions in words: under which conditions the pod fits, and where it then goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kschedctl.objects.phrases import names_text, plural
from kschedctl.reports.document import Block, FactList, Section, TextLines
from kschedctl.reports.suggest.model import MoveReport, SuggestionReport

_MOST_NODES = 3


def fits_if(
    found: Sequence[SuggestionReport], label: str = "fits if", *, where: bool = True
) -> Iterator[tuple[str, str]]:
    """The best suggestions, a line each: any of them is enough; with the nodes that are then feasible, or not."""
    for i, one in enumerate(found):
        yield ("" if i else label), ("or " if i else "") + _condition(one, where=where)


def _condition(one: SuggestionReport, *, where: bool) -> str:
    beside = [text for text in (_moves(one), _preempts(one), _notes(one)) if text]
    tail = f"; {'; '.join(beside)}" if beside else ""
    return f"{one.text}{_where(one) if where else ''}{tail}"


def _where(one: SuggestionReport) -> str:
    """The nodes that are then feasible, where the condition does not name the only one."""
    if one.nodes == [one.node] and one.node in one.text.replace(",", " ").split():
        return ""
    names = [one.node, *(name for name in one.nodes if name != one.node)]
    return f" ({names_text(names, _MOST_NODES)})"


def _moves(one: SuggestionReport) -> str:
    """What becomes of the pods that leave; of those that were going anyway nothing has to be said."""
    going = {
        f"{edit.target.namespace}/{edit.target.name}"
        for change in one.changes
        if change.kind in ("wait", "scale-down")
        for edit in change.edits
    }
    moves = [move for move in one.moves if move.pod not in going]
    return " and ".join(map(_move, moves[:2])) + (f" and {len(moves) - 2} more" if moves[2:] else "")


def _move(move: MoveReport) -> str:
    name = move.pod.rpartition("/")[2]
    if not move.returns:
        return f"nothing makes {name} anew"
    if move.target is None:
        return f"{name} finds no other place"
    order = "" if move.may_come_first else f", if it is not back on {move.source} before"
    return f"{name} goes to {move.target}{order}"


def _preempts(one: SuggestionReport) -> str:
    return f"preempts {names_text(one.preempts, 2)}" if one.preempts else ""


def _notes(one: SuggestionReport) -> str:
    return "; ".join(dict.fromkeys(change.note for change in one.changes if change.note))


def in_full(found: Sequence[SuggestionReport]) -> Iterator[Block]:
    """Every suggestion with what follows from it, and how it is done."""
    for number, one in enumerate(found, 1):
        goes = f"{one.node}, {plural(len(one.nodes), 'node')} feasible" if one.nodes[1:] else one.node
        facts = [("goes to", goes), ("cost", f"{one.cost:g}")]
        facts += [("moves", _moves(one))] if _moves(one) else []
        facts += [("preempts", ", ".join(one.preempts))] if one.preempts else []
        facts += [("note", note) for change in one.changes if (note := change.note)]
        facts += [("note", "the pod has to be deleted and made anew")] if one.needs_new_pod else []
        facts += _to_write(one)
        blocks: list[Block] = [FactList.of(facts)]
        if one.commands:
            blocks.append(TextLines(one.commands, whole=True))
        yield Section(f"{number}. fits if {one.text}", blocks)


def _to_write(one: SuggestionReport) -> Iterator[tuple[str, str]]:
    """What is changed in files for which there is no command, since they hold other objects, too."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for edit in (edit for change in one.changes for edit in change.edits):
        if edit.file is not None and not any(edit.file in command for command in one.commands):
            space = f"{edit.target.namespace}/" if edit.target.namespace else ""
            for text in edit.words:
                names = places.setdefault((edit.file, edit.target.kind, text), [])
                names.append(f"{space}{edit.target.name}")
    for (file, kind, text), names in places.items():
        yield "write", f"{file}, {kind} {names_text(names, _MOST_NODES)}: {text}"
