"""What plugins read of a pod, for those that are to share a score (OpportunisticBatching, spec 01 §10, spec 08 §5).

A fragment is a name and a value; plugins that read the same of a pod give the same fragment.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from kschedctl.cluster.pods import PodRecord
from kschedctl.objects.go import wrap_int64
from kschedctl.objects.meta import NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.pod import PodSpec
from kschedctl.objects.pod_requests import pod_requests, to_resource_units

Fragments = Mapping[str, object]


def of_tolerations(spec: PodSpec) -> Fragments:
    """Tolerations in order of key and value."""
    return {"Tolerations": sorted(spec.tolerations, key=lambda t: (t.key, t.value))}


def of_volumes(pod: PodRecord) -> Fragments:
    """Volumes without their names; those that hold configuration or secrets are left out."""
    written = pod.pod.source.spec.volumes if pod.pod.source is not None else pod.pod.spec.volumes
    sources = [replace(volume, name="") for volume in written if not volume.is_configuration]
    return {"Volumes": sorted(sources, key=repr)}


def of_requests(spec: PodSpec) -> Fragments:
    """Requests in resource units; what is not asked for is not there."""
    found = pod_requests(spec)
    amounts = {name: wrap_int64(to_resource_units(name, amount)) for name, amount in found.items()}
    return {"Resources": {name: amount for name, amount in sorted(amounts.items()) if amount}}


def of_node_affinity(spec: PodSpec) -> Fragments:
    """Node selector, required and preferred terms, whatever their order."""
    affinity = spec.affinity.node_affinity if spec.affinity else None
    found: dict[str, object] = {"NodeSelector": dict(sorted((spec.node_selector or {}).items()))}
    if affinity is not None:
        required = affinity.required.node_selector_terms if affinity.required is not None else ()
        preferred = [(term.weight, _term(term.preference)) for term in affinity.preferred]
        found["NodeAffinity"] = (sorted(map(_term, required)), sorted(preferred))
    return found


def _term(term: NodeSelectorTerm) -> tuple[list[str], list[str]]:
    return _requirements(term.match_expressions), _requirements(term.match_fields)


def _requirements(found: tuple[NodeSelectorRequirement, ...]) -> list[str]:
    return sorted(repr((r.key, r.operator, sorted(r.values))) for r in found)
