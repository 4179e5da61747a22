"""Groups of pods in reports: gates that a cluster shows, and groups that an answer leaves aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.framework.versions import FeatureGates
from kschedctl.objects.phrases import names_text
from kschedctl.objects.pod import Pod
from kschedctl.reports.model import Caveat

_GROUPS: Final = "GenericWorkload"
_GANGS: Final = "GangScheduling"
_LISTED: Final = 3


def shown_gates_caveats(shown: Mapping[str, str], gates: FeatureGates) -> Iterator[Caveat]:
    """That feature gates are taken as on since the cluster has what the API server drops without them.

    Args:
        shown: each such gate with what shows it.
        gates: all that the scheduler runs with.
    """
    for name, why in shown.items():
        text = f"feature gate {name} is taken as on: {why}, which the API server drops without it"
        yield Caveat(code="gate-shown", message=text, may_change_answer=False)
    if shown and _GANGS in gates and not gates[_GANGS]:
        text = (
            f"whether feature gate {_GANGS} is on, without which minCount means nothing, cannot be seen; it is taken "
            f"as off (--feature-gates {_GANGS}=true)"
        )
        yield Caveat(code="gate-not-seen", message=text, may_change_answer=True)


def pod_groups_caveat(pods: Iterable[Pod | AdmittedPod], gates: FeatureGates) -> Caveat | None:
    """That pods belong to groups, which the answer leaves aside: they are judged each alone.

    Args:
        pods: those that an answer is about.
        gates: those of the scheduler.
    """
    grouped = [pod for pod in pods if pod.spec.pod_group]
    if not grouped:
        return None
    groups = sorted({f"{pod.namespace}/{pod.spec.pod_group}" for pod in grouped})
    who = f"pod group {names_text(groups, _LISTED)}"
    if _GROUPS not in gates:
        text = f"{who} means nothing: Kubernetes {gates.version} has no groups of pods"
        return Caveat(code="pod-groups-unknown", message=text, may_change_answer=False)
    if not gates[_GROUPS]:
        switch = ",".join(f"{name}=true" for name in (_GROUPS, _GANGS) if name in gates)
        text = (
            f"{who} is left out: the API server drops what names it unless feature gate {_GROUPS} is on, which is off "
            f"by default in {gates.version} (--feature-gates {switch})"
        )
        return Caveat(code="pod-groups-dropped", message=text, may_change_answer=True)
    text = (
        f"{who} is not evaluated, each pod is judged alone; kube-scheduler places enough pods of a gang at once or "
        "none"
    )
    return Caveat(code="pod-groups-not-evaluated", message=text, may_change_answer=True)
