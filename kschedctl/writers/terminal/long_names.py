"""Long names in narrow columns: cut in the middle, `gke-prod…3f2a9c1d-x7k2`, so that no two look the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from typing import Final

from kschedctl.writers.formats import Look

_WORDS: Final = re.compile(r"(?<=[-._/])")
_SEPARATORS: Final = "-._/"
_LEAST: Final = 12
"""Nobody recognizes a name by less."""

Cut = Callable[[str, int, str], str]
"""From a name, the room for what is left of it and the mark of a cut to a text; empty where it cannot be done."""

Cell = Sequence[tuple[str, str]]
"""Names of nodes, each with what is to follow it, such as `:3`."""


def node_cells(cells: Sequence[Cell], room: int, look: Look, *, wide: bool = False) -> list[str]:
    """The cells of a column of nodes, each with as many as fit on a line: `n1:2 n2:1 +41`.

    Args:
        cells: the nodes of each cell.
        room: the width of the column.
        look: whether the mark of a cut may be one that not every terminal can show.
        wide: all of them, over several lines.
    """
    after = max((len(suffix) + len(_more(cell, wide)) for cell in cells for _, suffix in cell), default=0)
    short = short_names({name for cell in cells for name, _ in cell}, room - after, look)
    shown = [[short[name] + suffix for name, suffix in cell] for cell in cells]
    return [" ".join(names) if wide else fitted(names, room) for names in shown]


def fitted(names: Sequence[str], width: int) -> str:
    """As many names as fit, and how many are left out: `n1 n2 n3 +41`."""
    line = " ".join(names)
    if len(line) <= width:
        return line
    taken, used = 0, 0
    for name in names:
        rest = len(names) - taken - 1
        tail = len(f" +{rest}") if rest else 0
        if used + len(name) + tail > width and taken:
            break
        used += len(name) + 1
        taken += 1
    left = len(names) - taken
    return " ".join(names[:taken]) + (f" +{left}" if left else "")


def short_names(names: Collection[str], width: int, look: Look) -> dict[str, str]:
    """Names as they are shown within a width, 12 at least; those that no cut tells from others stay whole.

    NodeNames of the same form, such as those of a node pool, are cut in the same way.
    """
    width = max(width, _LEAST)
    mark = "…" if look.unicode else ".."
    shown = {name: name for name in names if len(name) <= width}
    for family in _families(name for name in names if len(name) > width):
        shown |= _cut(family, width - len(mark), mark, set(shown.values()))
    return shown


def _families(names: Iterable[str]) -> list[list[str]]:
    """Names of as many words that begin with the same one."""
    families: dict[tuple[int, str], list[str]] = {}
    for name in sorted(names):
        words = _WORDS.split(name)
        families.setdefault((len(words), words[0]), []).append(name)
    return list(families.values())


def _cut(family: list[str], room: int, mark: str, taken: Set[str]) -> dict[str, str]:
    for cut in (_host, _between_words, _last_words, _differences(family), _middle, _end, _start):
        texts = {name: cut(name, room, mark) for name in family}
        found = set(texts.values())
        if "" not in found and len(found) == len(family) and found.isdisjoint(taken):
            return texts
    return {name: name for name in family}


def _more(cell: Cell, wide: bool) -> str:
    return f" +{len(cell) - 1}" if len(cell) > 1 and not wide else ""


def _host(name: str, room: int, mark: str) -> str:
    """`ip-10-0-12-34…` of a name with a domain."""
    host, dot, _ = name.partition(".")
    return host + mark if dot and len(host) <= room else ""


def _between_words(name: str, room: int, mark: str) -> str:
    """Whole words from both ends, more of the last ones, in which nodes of a pool differ."""
    words = _WORDS.split(name)
    tail = _as_many(words[::-1], room * 2 // 3, lambda taken: "".join(reversed(taken)))
    head = _as_many(words, room - len(tail), lambda taken: "".join(taken).rstrip(_SEPARATORS))
    return f"{head}{mark}{tail}" if head and tail else ""


def _as_many(words: Sequence[str], room: int, joined: Callable[[Sequence[str]], str]) -> str:
    texts = [joined(words[:count]) for count in range(len(words))]
    return max((text for text in texts if len(text) <= room), key=len, default="")


def _last_words(name: str, room: int, mark: str) -> str:
    tail = _as_many(_WORDS.split(name)[::-1], room, lambda taken: "".join(reversed(taken)))
    return mark + tail if tail else ""


def _differences(family: Sequence[str]) -> Cut:
    """`…a…x7k2`: only the words that differ."""
    columns = zip(*(_WORDS.split(name) for name in family), strict=True)
    differing = [len(set(column)) > 1 for column in columns]

    def cut(name: str, room: int, mark: str) -> str:
        text = ""
        for word, differs in zip(_WORDS.split(name), differing, strict=True):
            if differs:
                text += word
            elif not text.endswith(mark):
                text = text.rstrip(_SEPARATORS) + mark
        return text if mark != text and len(text) <= room + len(mark) else ""

    return cut


def _middle(name: str, room: int, mark: str) -> str:
    return _kept(name, room // 2, room - room // 2, mark)


def _end(name: str, room: int, mark: str) -> str:
    return _kept(name, 1, room - 1, mark)


def _start(name: str, room: int, mark: str) -> str:
    return _kept(name, room - 1, 1, mark)


def _kept(name: str, head: int, tail: int, mark: str) -> str:
    """So many characters from both ends."""
    return f"{name[:head]}{mark}{name[-tail:]}" if head > 0 and tail > 0 else ""
