"""-o markdown of a preemption: for pull requests and tickets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedctl.objects.phrases import plural
from kschedctl.reports.caveats.made_up import practical_outcome
from kschedctl.reports.formats import Look
from kschedctl.reports.head import head
from kschedctl.reports.preempt import sentences
from kschedctl.reports.preempt.grids import Grid, candidates, victims
from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.render.markdown import escaped, notes, small, table

_MARKS = {"Scheduled": "✅", "Preempts": "⚠️"}
_MOST = 20


def markdown_pieces(answers: Iterable[Preemption], look: Look) -> Iterator[str]:
    """The answers as GitHub-flavoured Markdown."""
    between = ""
    for answer in answers:
        yield between + "\n\n".join(_blocks(answer, look)) + "\n"
        between = "\n"


def _blocks(answer: Preemption, look: Look) -> list[str]:
    blocks = [f"### {_MARKS.get(practical_outcome(answer), '❌')} {escaped(sentences.verdict(answer))}"]
    if look.quiet:
        return blocks
    if lines := answer.problems or [answer.message] * bool(answer.message):
        blocks.append("\n".join(f"- {escaped(line)}" for line in lines))
    if answer.victims:
        blocks.append(_table(victims(answer, _MOST)))
    if answer.candidates:
        blocks.append(_table(candidates(answer, _MOST)))
    if answer.no_candidates:
        blocks.append(
            "\n".join(
                f"- {escaped(group.text)}: {len(group.nodes)} nodes"
                if len(group.nodes) > _MOST
                else f"- {escaped(group.text)}: {escaped(' '.join(group.nodes))}"
                for group in answer.no_candidates
            )
        )
    if answer.aftermath is not None and answer.aftermath.victims:
        lines = sentences.tree(answer.aftermath.victims, bullet="- ")
        more = [f"- {plural(len(lines) - _MOST, 'more line')}"] if len(lines) > _MOST else []
        blocks.append("\n".join([*map(escaped, lines[:_MOST]), *more]))
    if rows := sentences.notes(answer):
        blocks.append(notes(rows))
    return [*blocks, small(head(answer, look.now))]


def _table(grid: Grid) -> str:
    drawn = table(grid.titles, grid.rows, ["right" if column.number else "left" for column in grid.columns])
    return f"{drawn}\n\n{plural(grid.left_out, f'more {grid.titles[0]}')}" if grid.left_out else drawn
