"""Why not there: single nodes that somebody asks about, and one node against another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final

from msgspec import Struct

from kschedctl.errors import UsageError
from kschedctl.objects.phrases import names_text
from kschedctl.questions.ask import PodQuestion
from kschedctl.reports.explain.stories import NodeStory, story_of
from kschedctl.reports.suggest.model import SuggestionReport
from kschedctl.scheduling.decision import Decision, Outcome

_MOST: Final = 20
_MOST_RIVALS: Final = 3


class NodesAskedAbout(Struct, frozen=True):
    """Nodes whose story is told.

    Attributes:
        patterns: names, in which `*` stands for anything.
        versus: a node and the one beside which it is held; empty: beside the one that is taken.
    """

    patterns: Sequence[str] = ()
    versus: tuple[str, str] | tuple[()] = ()


def stories_of(
    question: PodQuestion, found: Decision, asked: NodesAskedAbout, costs: Mapping[str, float]
) -> list[NodeStory]:
    """The stories, while the cluster is as it was decided.

    Raises:
        UsageError: there is no such node, or too many are meant.
    """
    names = list(dict.fromkeys(_named(asked, found)))
    if asked.versus:
        first, second = asked.versus
        pairs: list[tuple[str, str | None]] = [(first, second), (second, first)]
    else:
        pairs = []
    pairs += [(name, found.selected_node) for name in names]
    return [
        story_of(found, name, beside, _helps(question, found, name, beside, costs)) for name, beside in pairs
    ]


def _named(asked: NodesAskedAbout, found: Decision) -> Iterator[str]:
    known = found.cluster.nodes.row_of
    for name in asked.versus:
        if name not in known:
            raise _unknown(name, known)
    for pattern in asked.patterns:
        matching = [name for name in sorted(known) if fnmatchcase(name, pattern)]
        if not matching:
            raise _unknown(pattern, known)
        if len(matching) > _MOST:
            raise UsageError(f"{pattern} means {len(matching)} nodes; {_MOST} at most are told one by one")
        yield from matching


def _unknown(name: str, known: Mapping[str, int]) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {names_text(sorted(known), 3)}."
    return UsageError(f"there is no node {name}", hint=hint)


def _helps(
    question: PodQuestion, found: Decision, name: str, beside: str | None, costs: Mapping[str, float]
) -> list[SuggestionReport]:
    """What would let the pod have the node, or let it win."""
    if found.outcome not in (Outcome.SCHEDULED, Outcome.UNSCHEDULABLE) or found.group:
        return []
    if name == found.selected_node or found.pod.pod.source is None or found.by_extenders is not None:
        return []
    from kschedctl.advice.search import preferences_for_node, suggestions_for_node
    from kschedctl.questions.home import home_of
    from kschedctl.reports.suggest.build import suggestion_reports

    session, row = question.cluster.session, found.cluster.nodes.row_of[name]
    feasible = [] if found.feasible is None else found.feasible.tolist()
    if row in feasible:
        made = preferences_for_node(session, question.pod, row, _rivals(found, row))
    else:
        made = suggestions_for_node(session, question.pod, found, row, costs=costs)
    return suggestion_reports(made, home_of(question)) if made else []


def _rivals(found: Decision, row: int) -> list[int]:
    """The nodes that are ahead of one, if they are few."""
    if found.scores is None:
        return [found.selected] if found.selected is not None else []
    rows, totals = found.scores.feasible.tolist(), found.scores.totals.tolist()
    mine = totals[rows.index(row)]
    ahead = [r for r, total in zip(rows, totals, strict=True) if total > mine or r == found.selected]
    return ahead if len(ahead) <= _MOST_RIVALS else []
