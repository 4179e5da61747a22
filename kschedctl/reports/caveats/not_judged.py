"""Pods that fit nowhere for the lack of what could not be read alone: that is no "no"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kschedctl.objects.phrases import names_text
from kschedctl.reports.model import Caveat, ClusterSummary

_CODE: Final = "not-judged"
_NAMED: Final = 4


def not_judged_caveats(whys: Mapping[str, str | None]) -> list[Caveat]:
    """The caveats about pods that cannot be judged.

    Args:
        whys: name of the pod -> why; None: it can.
    """
    groups: dict[str, list[str]] = {}
    for name, why in whys.items():
        if why is not None:
            groups.setdefault(why, []).append(name)
    return [
        Caveat(
            code=_CODE,
            message=f"{names_text(names, _NAMED)} cannot be judged: {why}",
            may_change_answer=True,
        )
        for why, names in groups.items()
    ]


def not_judged(cluster: ClusterSummary) -> list[str]:
    """What an answer says of pods that could not be judged."""
    return [caveat.message for caveat in cluster.caveats if caveat.code == _CODE]
