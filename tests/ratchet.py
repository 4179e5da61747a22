"""What is not reached yet: the table may only shrink, and its figures only rise."""

from collections.abc import Mapping
from typing import Final

REACHED: Final[dict[str, tuple[float, str]]] = {
    "1.34/dra2": (99.37, "#13"),
    "1.34/gates34": (82.28, "#13"),
    "1.34/inflight": (0.0, "#15"),
    "1.34/invalid": (81.81, "#13"),
    "1.34/queue": (0.0, "#15"),
    "1.35/batching": (0.0, "#17"),
    "1.35/declared": (74.66, "#16"),
    "1.35/dra": (98.06, "#16"),
    "1.35/dra-advanced": (79.49, "#16"),
    "1.35/dra2": (93.07, "#16"),
    "1.35/edge": (95.93, "#16"),
    "1.35/inflight": (0.0, "#15"),
    "1.35/invalid": (81.81, "#16"),
    "1.35/news": (89.34, "#16"),
    "1.35/queue": (0.0, "#15"),
    "1.37/affinity": (79.25, "#16"),
    "1.37/batching": (0.0, "#17"),
    "1.37/bigseq": (37.58, "#16"),
    "1.37/capacity": (74.21, "#16"),
    "1.37/config": (72.5, "#16"),
    "1.37/config2": (69.73, "#16"),
    "1.37/declared": (92.3, "#16"),
    "1.37/dra": (50.75, "#16"),
    "1.37/dra-advanced": (65.75, "#16"),
    "1.37/dra2": (58.95, "#16"),
    "1.37/edge": (61.37, "#16"),
    "1.37/extender": (0.0, "#17"),
    "1.37/gang": (0.0, "#16"),
    "1.37/gangcomposite": (0.0, "#16"),
    "1.37/gangcpreempt": (0.0, "#16"),
    "1.37/gangdra": (0.0, "#16"),
    "1.37/gangpreempt": (0.0, "#16"),
    "1.37/gangtopo": (0.0, "#16"),
    "1.37/gangvictim": (0.0, "#16"),
    "1.37/ghost": (54.31, "#16"),
    "1.37/inflight": (0.0, "#15"),
    "1.37/invalid": (76.61, "#16"),
    "1.37/limits": (87.57, "#16"),
    "1.37/limscale": (74.54, "#16"),
    "1.37/misc": (68.28, "#16"),
    "1.37/news": (57.42, "#16"),
    "1.37/node": (53.77, "#16"),
    "1.37/odd": (49.68, "#16"),
    "1.37/preempt2": (36.16, "#16"),
    "1.37/preemption": (46.12, "#16"),
    "1.37/queue": (0.0, "#15"),
    "1.37/resize": (53.18, "#16"),
    "1.37/resources": (55.18, "#16"),
    "1.37/sequence": (78.49, "#16"),
    "1.37/tolops": (74.19, "#16"),
    "1.37/topology": (81.05, "#16"),
    "1.37/volumes": (57.23, "#16"),
    "batching": (0.0, "#17"),
    "extender": (0.0, "#17"),
    "gang": (0.0, "#16"),
    "gangdra": (0.0, "#16"),
    "gangpreempt": (0.0, "#16"),
    "gangtopo": (0.0, "#16"),
    "gangvictim": (0.0, "#16"),
    "gates": (92.87, "#13"),
    "inflight": (0.0, "#15"),
    "invalid": (82.06, "#13"),
    "queue": (0.0, "#15"),
}
"""Category of the full corpus -> percent of its pods that agree, cut to two decimals, and the issue that brings 100.

A category that is not here agrees on every pod.
"""

REFUSED_AS_INVALID: Final[dict[str, tuple[float, str]]] = {
    "1.34/invalid": (81.81, "#13"),
    "1.35/declared": (74.66, "#16"),
    "1.35/edge": (97.67, "#16"),
    "1.35/invalid": (81.81, "#16"),
    "1.35/news": (94.13, "#16"),
    "1.37/invalid": (83.66, "#16"),
    "gates": (96.65, "#13"),
    "invalid": (82.06, "#13"),
}
"""The same for the API server's verdict on candidates: whether it refuses exactly those that we refuse."""


def verdict(category: str, agreeing: int, pods: int, table: Mapping[str, tuple[float, str]] = REACHED) -> str:
    """What is wrong with the agreement of a category, empty where it is what the table says."""
    expected, _ = table.get(category, (100.0, ""))
    found = cut_percent(agreeing, pods)
    if found < expected:
        return f"{category}: {found} % of {pods} pods agree, which was {expected} % before"
    if category in table and found > expected:
        change = "take its line out of" if found == 100.0 else f"write {found} for it into"
        return f"{category}: {found} % agree now, more than {expected} %: {change} {__file__}"
    return ""


def cut_percent(agreeing: int, pods: int) -> float:
    """Share of the pods that agree, cut to two decimals: 100 stands for all of them."""
    return agreeing * 10_000 // pods / 100
