"""What follows from what: lists in lists, which fold where they branch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kschedctl.reports.figures import Branch, BranchTree
from kschedctl.writers.html.elements import Markup, element

_OPEN: Final = 40
"""Branches with more below them are folded at first."""


def tree(found: BranchTree) -> Markup:
    """A tree; whoever reads it by ear hears lists in lists."""
    return element("figure", element("figcaption", found.title), _branches(found.branches), class_="tree")


def _branches(branches: Sequence[Branch]) -> Markup:
    return element("ul", *(element("li", _branch(branch)) for branch in branches))


def _branch(branch: Branch) -> Markup:
    told = [element("span", f" {branch.told}", class_="dim")] if branch.told else []
    line = element("span", element("b", branch.label), *told, class_=f"branch {branch.tone.value}")
    if not branch.below:
        return line
    opened = "" if len(branch.below) <= _OPEN else None
    return element("details", element("summary", line), _branches(branch.below), open=opened)
