"""A comparison in pictures: how many pods are placed on each side, and which nodes gain and lose some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedctl.reports.compare.model import SideBySide
from kschedctl.reports.explain.reasons import natural_key
from kschedctl.reports.figures import Figure, NodeGrid, NodeGroup, StackedBars
from kschedctl.reports.tone import Tone


def figures(report: SideBySide) -> list[Figure]:
    """The pictures of a report; the nodes alone that pods come to or leave."""
    bars = [(side.label, [side.placed, side.wanted - side.placed]) for side in report.sides]
    found: list[Figure] = [
        StackedBars("pods by side", ["placed", "without a node"], bars, [Tone.YES, Tone.NO])
    ]
    gains, losses = (_by_node(report, side) for side in (1, 0))
    both = [name for name in gains if name in losses]
    groups = [
        ("gains pods", True, {name: _came(gains[name]) for name in gains if name not in losses}),
        ("gains and loses", True, {name: f"{_came(gains[name])}; {_left(losses[name])}" for name in both}),
        ("loses pods", False, {name: _left(losses[name]) for name in losses if name not in gains}),
    ]
    shown = [
        NodeGroup(label, good, [(name, told[name]) for name in sorted(told, key=natural_key)])
        for label, good, told in groups
        if told
    ]
    if shown:
        first, second = (side.label for side in report.sides)
        found.append(NodeGrid(f"nodes from {first} to {second}", shown))
    return found


def _by_node(report: SideBySide, side: int) -> Mapping[str, Sequence[str]]:
    """Node -> the pods that are there on this side alone."""
    found: dict[str, list[str]] = {}
    for pod in report.moved:
        here = pod.nodes[side]
        if here is not None and here != pod.nodes[1 - side]:
            found.setdefault(here, []).append(pod.pod)
    return found


def _came(pods: Sequence[str]) -> str:
    return f"gets {', '.join(pods)}"


def _left(pods: Sequence[str]) -> str:
    return f"loses {', '.join(pods)}"
