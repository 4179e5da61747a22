"""The text of the FailedScheduling event, byte for byte (spec 01 §6.1)."""

from __future__ import annotations

from collections.abc import Mapping

NO_NODES = "no nodes available to schedule pods"


def fit_error(nodes: int, reasons: Mapping[str, int], *, pre_filter: str = "", post_filter: str = "") -> str:
    """The message for a pod that fits nowhere.

    Args:
        nodes: number of nodes N in the snapshot.
        reasons: how many nodes have each reason, the absent nodes' reasons included.
        pre_filter: message of the PreFilter rejection; the reasons are then not printed.
        post_filter: message of PostFilter.
    """
    text = f"0/{nodes} nodes are available:"
    if pre_filter:
        text += f" {pre_filter}."
    elif reasons:
        # kube-scheduler sorts the finished strings by bytes, so "10 x" comes before "2 y".
        lines = sorted((f"{count} {reason}" for reason, count in reasons.items()), key=str.encode)
        text += f" {', '.join(lines)}."
    return f"{text} {post_filter}" if post_filter else text
