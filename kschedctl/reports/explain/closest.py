"""The node that lacks least: where a person would look first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kschedctl.objects.units import amount_of, amount_texts
from kschedctl.plugins.node_resources_fit import NodeResourcesFit
from kschedctl.reports.explain.model import Closest, Failure, FailureDetail, NodeReport
from kschedctl.reports.explain.reasons import refused_alike

_FIT: Final = NodeResourcesFit.spec.name


def closest_node(nodes: Sequence[NodeReport], pods_on: Mapping[str, int]) -> Closest | None:
    """The node with the fewest obstacles, amounts that could be freed or resized before anything else.

    Args:
        nodes: the rejected nodes, in order.
        pods_on: node name -> number of its pods.

    Returns:
        None where no node stands out.
    """
    known = [node for node in nodes if node.all_failures]
    if len(known) < 2:
        return None
    # Nodes that are refused alike share their failures.
    distances = {id(failures): _distance(failures) for failures, _ in refused_alike(known)}
    least = min(distances.values())
    if all(distance == least for distance in distances.values()):
        return None
    best = next(node for node in known if distances[id(node.all_failures)] == least)
    return Closest(node=best.name, text=_lacks(best.all_failures, pods_on[best.name]))


def _distance(failures: Sequence[Failure]) -> tuple[int, int, float]:
    """Obstacles that are no amounts, then amounts, then by how much of the need the largest falls short."""
    short = [detail for failure in failures for detail in failure.details if _is_amount(detail)]
    other = sum(max(1, len(f.details)) - sum(map(_is_amount, f.details)) for f in failures)
    return other, len(short), max((_shortfall(detail) for detail in short), default=0.0)


def _is_amount(detail: FailureDetail) -> bool:
    return detail.needs is not None


def _shortfall(detail: FailureDetail) -> float:
    needs, free = detail.needs or 0, detail.free or 0
    # No eviction makes the node larger.
    beyond = 1.0 if detail.total is not None and detail.total < needs else 0.0
    return beyond + (needs - free) / max(needs, 1)


def _lacks(failures: Sequence[Failure], pods: int) -> str:
    details = [detail for failure in failures for detail in failure.details]
    if len(details) == 1 and _is_amount(details[0]):
        # Attachments and devices are amounts, too, but not every pod holds some.
        return _short_of(details[0], pods if failures[0].plugin == _FIT else 0)
    texts = [detail.text for detail in details] or [r for f in failures for r in f.reasons]
    return f"only this is in the way: {texts[0]}" if len(texts) == 1 else "; ".join(texts)


def _short_of(detail: FailureDetail, pods: int) -> str:
    what, needs, free, total = detail.subject, detail.needs or 0, detail.free or 0, detail.total
    if total is None:
        missing, left = amount_texts(what, (needs - free, free))
        return f"short of {amount_of(what, missing)} ({left} free)"
    if what == "pods":
        return f"all of its {total} places for pods are taken"
    if total < needs:
        whole, missing = amount_texts(what, (total, needs - total))
        return f"which has {amount_of(what, whole)} in all, {missing} too few"
    missing, left, whole = amount_texts(what, (needs - free, free, total))
    holders = f"{pods} pods have the rest" if pods != 1 else "one pod has the rest"
    rest = f", {holders}" if pods and free < total else ""
    return f"short of {amount_of(what, missing)} ({left} free of {whole}{rest})"
