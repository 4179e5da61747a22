"""The node that lacks least: where a person would look first."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects.units import amount_of, amount_texts
from kschedctl.reports.explain.model import Closest, Failure, FailureDetail, NodeReport
from kschedctl.reports.explain.reasons import is_taint_of_cordon, refused_alike


def closest_node(nodes: Sequence[NodeReport]) -> Closest | None:
    """The node with the fewest obstacles, amounts that could be freed or resized before anything else.

    Args:
        nodes: the rejected nodes, in order.

    Returns:
        None where there is none to choose from.
    """
    if len([node for node in nodes if node.all_failures]) < 2:
        return None
    (best,) = nearest_nodes(nodes, 1)
    return Closest(node=best.name, text=_lacks(best.all_failures))


def nearest_nodes(nodes: Sequence[NodeReport], most: int) -> list[NodeReport]:
    """The nodes that lack least, in that order, else in their own."""
    known = [node for node in nodes if node.all_failures]
    # Nodes that are refused alike share their failures.
    distances = {id(failures): _distance(failures) for failures, _ in refused_alike(known)}
    return sorted(known, key=lambda node: distances[id(node.all_failures)])[:most]


def _distance(failures: Sequence[Failure]) -> tuple[int, int, float]:
    """Obstacles that are no amounts, then amounts, then by how much of the need the largest falls short.

    A cordon and the taint that comes with it are one obstacle.
    """
    found = [[d for d in f.details if not is_taint_of_cordon(d, failures)] for f in failures]
    short = [detail for details in found for detail in details if _is_amount(detail)]
    other = sum(
        (len(details) if failure.details else 1) - sum(map(_is_amount, details))
        for failure, details in zip(failures, found, strict=True)
    )
    return other, len(short), max((_shortfall(detail) for detail in short), default=0.0)


def _is_amount(detail: FailureDetail) -> bool:
    return detail.needs is not None


def _shortfall(detail: FailureDetail) -> float:
    needs, free = detail.needs or 0, detail.free or 0
    # No eviction makes the node larger.
    beyond = 1.0 if detail.total is not None and detail.total < needs else 0.0
    return beyond + (needs - free) / max(needs, 1)


def _lacks(failures: Sequence[Failure]) -> str:
    details = [d for failure in failures for d in failure.details if not is_taint_of_cordon(d, failures)]
    if len(details) == 1 and _is_amount(details[0]):
        return _short_of(details[0])
    texts = [detail.text for detail in details] or [r for f in failures for r in f.reasons]
    return f"only this is in the way: {texts[0]}" if len(texts) == 1 else "; ".join(texts)


def _short_of(detail: FailureDetail) -> str:
    what, needs, free, total = detail.subject, detail.needs or 0, detail.free or 0, detail.total
    if total is None:
        missing, left = amount_texts(what, (needs - free, free))
        return f"short of {amount_of(what, missing)} ({left} free)"
    if what == "pods":
        return f"all of its {total} places for pods are taken"
    if total < needs:
        whole, missing = amount_texts(what, (total, needs - total))
        return f"which has {amount_of(what, whole)} in all, {missing} too few"
    if free < 0:
        missing, asked, whole = amount_texts(what, (needs - free, total - free, total))
        return f"short of {amount_of(what, missing)} (its pods ask for {asked} of {whole})"
    missing, left, whole = amount_texts(what, (needs - free, free, total))
    return f"short of {amount_of(what, missing)} ({left} free of {whole})"
