"""Words for people: where something is reachable, and why a claim stands in the way."""

from __future__ import annotations

from kschedctl.objects.selectors import Requirement
from kschedctl.objects.units import STORAGE_OF_CLASS, amount_text
from kschedctl.objects.well_known import BETA_REGION, BETA_ZONE, HOSTNAME, REGION, ZONE
from kschedctl.volumes.binding import ClaimFinding, ClaimObstacle, VolumeBinder
from kschedctl.volumes.catalog import StorageCatalog
from kschedctl.volumes.claims import class_of_claim, requested_storage
from kschedctl.volumes.in_tree import IN_TREE_PLUGINS
from kschedctl.volumes.provisioning import NO_CAPACITY
from kschedctl.volumes.static_matching import VolumePool
from kschedctl.volumes.topology import EVERYWHERE, Terms, affinity_terms, class_terms

_NOUNS = {
    ZONE: "in zone",
    BETA_ZONE: "in zone",
    REGION: "in region",
    BETA_REGION: "in region",
    HOSTNAME: "on host",
    **{plugin.topology_key: "in zone" for plugin in IN_TREE_PLUGINS if plugin.topology_key},
}
_PHRASES = {
    "In": "where {key} is {values}",
    "NotIn": "where {key} is not {values}",
    "Exists": "where {key} is set",
    "DoesNotExist": "where {key} is not set",
    "Gt": "where {key} is above {values}",
    "Lt": "where {key} is below {values}",
}


_MOST_VOLUMES = 3
"""So many volumes are named."""


def place(terms: Terms) -> str:
    """Where terms match: `in zone a or b`, `on host n1`, `nowhere`."""
    if not terms:
        return "nowhere"
    if () in terms:
        return "anywhere"
    return ", or ".join(" and ".join(_phrase(r) for r in term) for term in terms)


def place_of_labels(key: str, values: tuple[str, ...]) -> str:
    """Where a label has one of these values."""
    return _phrase(Requirement(key, "In", values))


def _phrase(requirement: Requirement) -> str:
    values = " or ".join(requirement.values)
    if requirement.operator == "In" and requirement.key in _NOUNS:
        return f"{_NOUNS[requirement.key]} {values}"
    return _PHRASES[requirement.operator].format(key=requirement.key, values=values)


def subject(finding: ClaimFinding, binder: VolumeBinder, row: int) -> str:
    """What decides on one node, the same for all nodes that it decides for."""
    claim = finding.claim
    match finding.obstacle:
        case ClaimObstacle.VOLUME_MISSING:
            return f"volume {claim.spec.volume_name} does not exist"
        case ClaimObstacle.VOLUME_UNREACHABLE:
            return f"volume {claim.spec.volume_name} is only {_reach(claim.spec.volume_name, binder.catalog)}"
        case ClaimObstacle.SELECTED_ELSEWHERE:
            return f"claim {claim.name} belongs to node {binder.selected_node(claim)}"
        case ClaimObstacle.NOT_PROVISIONED:
            return f"no volume of class {class_of_claim(claim)} fits claim {claim.name}"
        case ClaimObstacle.OUTSIDE_TOPOLOGY:
            return f"class {class_of_claim(claim)} provisions only {_allowed(finding, binder.catalog)}"
        case ClaimObstacle.NO_ROOM:
            name = class_of_claim(claim)
            published = binder.provisioning(name).largest[row] != NO_CAPACITY
            return f"{STORAGE_OF_CLASS}{name}" if published else f"no capacity of class {name} is published"


def room(finding: ClaimFinding, binder: VolumeBinder, row: int) -> tuple[int, int] | None:
    """Bytes that a claim asks for and that its class can make on one node; None where that does not decide."""
    if finding.obstacle is not ClaimObstacle.NO_ROOM:
        return None
    largest = int(binder.provisioning(class_of_claim(finding.claim)).largest[row])
    return None if largest == NO_CAPACITY else (requested_storage(finding.claim).value(), largest)


def sentence(finding: ClaimFinding, binder: VolumeBinder, row: int) -> str:
    """Why one claim cannot be used on one node."""
    claim, head = finding.claim, f"claim {finding.claim.name}"
    match finding.obstacle:
        case ClaimObstacle.VOLUME_MISSING:
            return f"{head} is bound to {claim.spec.volume_name}, which does not exist"
        case ClaimObstacle.VOLUME_UNREACHABLE:
            name = claim.spec.volume_name
            return f"{head} is bound to {name}, which is only reachable {_reach(name, binder.catalog)}"
        case ClaimObstacle.SELECTED_ELSEWHERE:
            return f"{head} is being provisioned on node {binder.selected_node(claim)}"
        case ClaimObstacle.NOT_PROVISIONED:
            return f"{head}: {_no_volume(finding, binder, row)}, and the class makes none"
        case ClaimObstacle.OUTSIDE_TOPOLOGY:
            allowed = _allowed(finding, binder.catalog)
            return f"{head} can get a new volume of class {class_of_claim(claim)} only {allowed}"
        case ClaimObstacle.NO_ROOM:
            return f"{head} needs {requested_storage(claim)}: {_room(finding, binder, row)}"


def _reach(volume: str, catalog: StorageCatalog) -> str:
    found = catalog.volumes.get(volume)
    affinity = found.spec.node_affinity if found is not None else None
    terms = affinity_terms(affinity.required if affinity is not None else None)
    # A migrated volume may be restricted by its labels alone; those are told by their names.
    if terms == EVERYWHERE and found is not None:
        zone = found.metadata.labels.get(ZONE) or found.metadata.labels.get(BETA_ZONE) or ""
        return f"in zone {zone} of its driver's own topology label"
    return place(terms)


def _allowed(finding: ClaimFinding, catalog: StorageCatalog) -> str:
    return place(class_terms(catalog.classes[class_of_claim(finding.claim)]))


def _no_volume(finding: ClaimFinding, binder: VolumeBinder, row: int) -> str:
    name = class_of_claim(finding.claim)
    counts = _counts(binder.pool(name), finding, row)
    return f"no volume of class {name} fits here" + (f" ({counts})" if counts else "")


def _counts(pool: VolumePool, finding: ClaimFinding, row: int) -> str:
    unfit = pool.unfit(finding.claim, row)
    return "; ".join(f"{_volumes(names)} {why}" for why, names in unfit.items() if names)


def _volumes(names: list[str]) -> str:
    """Few volumes by name, many by number."""
    return ", ".join(names) if len(names) <= _MOST_VOLUMES else str(len(names))


def _room(finding: ClaimFinding, binder: VolumeBinder, row: int) -> str:
    name = class_of_claim(finding.claim)
    largest = int(binder.provisioning(name).largest[row])
    if largest == NO_CAPACITY:
        return f"no capacity of class {name} is published for this node"
    return f"class {name} has room for at most {amount_text('storage', largest)} here"
