"""What somebody who asks about manifests may not be aware of: what they add, and where they would be refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from kschedctl.objects.core import Namespace, Service
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.objects.resource import ResourceClaim, ResourceClaimTemplate
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.reports.caveats.cluster import unknown_fields_caveat
from kschedctl.reports.model import Caveat
from kschedctl.whatif.judgement.candidates import PodCandidate, PodCandidates
from kschedctl.workloads import WORKLOADS

_USUAL: Final = (
    Namespace,
    Service,
    PersistentVolumeClaim,
    ResourceClaim,
    ResourceClaimTemplate,
    *WORKLOADS,
)
"""What pods come with; everything else is the cluster's."""
_ALWAYS_THERE: Final = frozenset(("default", "kube-system", "kube-public", "kube-node-lease"))


def candidate_caveats(found: PodCandidates, objects: Sequence[TopLevel]) -> list[tuple[Caveat, ...]]:
    """The caveats of each candidate of manifests, beside those of the cluster.

    Args:
        found: the candidates in some manifests.
        objects: those of the cluster, without what the manifests hold.
    """
    shared = list(_additions(found, objects))
    known = _known_namespaces(objects, found.companions)
    return [
        tuple(
            caveat
            for caveat in (
                unknown_fields_caveat(candidate.unknown),
                _missing_namespace(candidate, known),
                *shared,
            )
            if caveat is not None
        )
        for candidate in found.candidates
    ]


def node_name_caveat(pod: Pod) -> Caveat | None:
    """That a pod names its node, so that nobody would ask kube-scheduler."""
    node = pod.spec.node_name
    if not node:
        return None
    text = (
        f"spec.nodeName is set to {node}: kube-scheduler never sees this pod; the kubelet of {node} admits or "
        "refuses it"
    )
    return Caveat(code="node-name-set", message=text, may_change_answer=True)


def _additions(found: PodCandidates, objects: Sequence[TopLevel]) -> Iterator[Caveat]:
    """That manifests change the cluster itself: what is new, and what is there otherwise."""
    old = {(type(obj), obj.namespace, obj.name): obj for obj in objects if not isinstance(obj, Pod)}
    new: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for obj, file in zip(found.companions, found.files, strict=True):
        known = old.get((type(obj), obj.namespace, obj.name))
        if not isinstance(obj, _USUAL) and known != obj:
            added, replaced = new.setdefault(file, (Counter(), Counter()))
            (added if known is None else replaced)[BY_TYPE[type(obj)].kind] += 1
    for file, (added, replaced) in new.items():
        parts = [f"adds {_counted(added)} to the cluster"] if added else []
        parts += [f"replaces {_counted(replaced)} of the cluster"] if replaced else []
        text = f"{file or 'the input'} also {' and '.join(parts)}"
        yield Caveat(code="cluster-changed-by-candidates", message=text, may_change_answer=False)


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _known_namespaces(objects: Sequence[TopLevel], companions: Sequence[TopLevel]) -> set[str] | None:
    """Those that are written down, those in which something is, and those that every cluster has.

    Returns:
        None where the cluster says nothing of its namespaces.
    """
    written = {obj.name for obj in objects if isinstance(obj, Namespace)}
    if not written:
        return None
    made = {obj.name for obj in companions if isinstance(obj, Namespace)}
    return written | made | {obj.namespace for obj in objects} | _ALWAYS_THERE


def _missing_namespace(candidate: PodCandidate, known: set[str] | None) -> Caveat | None:
    name = candidate.pod.namespace
    if known is None or name in known:
        return None
    text = (
        f'namespaces "{name}" not found: the API server refuses the pod until somebody creates the namespace'
    )
    return Caveat(code="namespace-missing", message=text, may_change_answer=True)
