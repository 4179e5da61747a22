"""Text that flows into the width that is left for it, as all text here does: no word is cut inside a name."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from kschedctl.writers.terminal.wrapping import pieces, wrapped


class Flowing:
    """Lines of text; what goes on below a line is set in as the line is.

    Args:
        text: the lines.
        style: of all of it.
    """

    def __init__(self, text: str, style: str = "") -> None:
        self.text = text
        self.style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = []
        for line in self.text.split("\n"):
            words = line.lstrip(" ")
            indent = len(line) - len(words)
            lines += [" " * indent + one for one in wrapped(words, max(options.max_width - indent, 1))]
        yield Text("\n".join(lines), self.style, overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = max(map(len, self.text.split("\n")))
        shortest = max((len(piece) for word in self.text.split() for piece in pieces(word)), default=1)
        return Measurement(shortest, longest).with_maximum(options.max_width)
