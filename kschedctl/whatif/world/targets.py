"""What a change is about: nodes by name or label selector, workloads as KIND/NAME."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from kschedctl.errors import UsageError
from kschedctl.objects.kind_names import kind_named
from kschedctl.objects.kinds import KINDS
from kschedctl.objects.meta import TopLevel
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.objects.selectors import Requirement
from kschedctl.whatif.world.world import World

EVERY_NODE = "*"
DEFAULT_NAMESPACE = "default"

_IN_SET = re.compile(r"(?P<key>[^\s!=,]+)\s+(?P<operator>in|notin)\s+\((?P<values>[^()]*)\)")
_EQUALITY = re.compile(r"(?P<key>[^\s!=,]+)\s*(?P<operator>==|!=|=)\s*(?P<value>[^\s!=,]*)")
_ABSENCE = re.compile(r"!\s*(?P<key>[^\s!=,]+)")
_PRESENCE = re.compile(r"(?P<key>[^\s!=,()]+)")
_COMMA = re.compile(r",(?![^(]*\))")
_SELECTOR_SIGNS = re.compile(r"[=!,\s]")
_SEPARATORS = re.compile(r"[,\s]+")
_NODE_PREFIX = re.compile(r"nodes?/|no/")


def parse_selector(text: str) -> tuple[Requirement, ...]:
    """A label selector as kubectl takes it: `a=b,c!=d,e,!f,g in (x,y)`.

    Raises:
        UsageError: a part of it has no meaning.
    """
    return tuple(_requirement(part.strip(), text) for part in _COMMA.split(text))


def _requirement(part: str, text: str) -> Requirement:
    if match := _IN_SET.fullmatch(part):
        values = tuple(value.strip() for value in match["values"].split(","))
        return Requirement(match["key"], "In" if match["operator"] == "in" else "NotIn", values)
    if match := _EQUALITY.fullmatch(part):
        return Requirement(match["key"], "NotIn" if match["operator"] == "!=" else "In", (match["value"],))
    if match := _ABSENCE.fullmatch(part):
        return Requirement(match["key"], "DoesNotExist")
    if match := _PRESENCE.fullmatch(part):
        return Requirement(match["key"], "Exists")
    raise UsageError(
        f"{text!r} is no label selector" + (f": {part!r} has no meaning" if part != text else ""),
        hint="Write key=value, key!=value, key, !key or 'key in (a,b)', with commas between them.",
    )


def find_nodes(world: World, target: str) -> list[Node]:
    """The nodes that a name, a label selector or `*` stands for, by name; at least one.

    Raises:
        UsageError: there is none.
    """
    nodes = world.nodes
    if target == EVERY_NODE:
        if nodes:
            return nodes
        raise UsageError("the cluster has no nodes")
    if _SELECTOR_SIGNS.search(target):
        return _matching(nodes, target)
    name = _NODE_PREFIX.sub("", target)
    found = [node for node in nodes if node.name == name]
    if not found:
        raise UsageError(f"there is no node {name!r}", hint=_similar(name, [n.name for n in nodes]))
    return found


def _matching(nodes: Sequence[Node], selector: str) -> list[Node]:
    """The nodes whose labels a selector accepts; a list of names is told how names are given."""
    names = {node.name for node in nodes}
    several = [word for word in _SEPARATORS.split(selector) if word in names]
    if several and "=" not in selector:
        hint = (
            f"{', '.join(several)}: name each node on its own, as in `drain n1 n2` or --drain n1 --drain n2."
        )
        raise UsageError(f"{selector!r} is no label selector, but names nodes", hint=hint)
    requirements = parse_selector(selector)
    found = [n for n in nodes if all(r.accepts(n.metadata.labels.get(r.key)) for r in requirements)]
    if not found:
        raise UsageError(f"no node matches {selector!r}", hint=_label_values(nodes, selector))
    return found


def find_object(world: World, reference: str, namespace: str = DEFAULT_NAMESPACE) -> TopLevel:
    """The object that `KIND/NAME` or `NAMESPACE/KIND/NAME` stands for; kinds by kubectl's names.

    Raises:
        UsageError: the reference has another form, or there is no such object.
    """
    parts = reference.split("/")
    if len(parts) == 3:
        namespace = parts.pop(0)
    if len(parts) != 2 or not all(parts):
        raise UsageError(f"{reference!r} is no reference", hint="Write KIND/NAME or NAMESPACE/KIND/NAME.")
    kind = kind_named(parts[0])
    if kind is None:
        known = sorted({k.kind for k in KINDS})
        raise UsageError(f"{parts[0]!r} is no kind that scheduling reads", hint=_similar(parts[0], known))
    found = world.find(kind.type, parts[1], namespace if kind.namespaced else "")
    if found is None:
        where = f" in namespace {namespace}" if kind.namespaced else ""
        hint = _elsewhere(parts[1], kind.kind.lower(), world.all(kind.type))
        raise UsageError(f"there is no {kind.kind} {parts[1]}{where}", hint=hint)
    return found


def is_there(world: World, reference: str) -> bool:
    """Whether there is an object of a reference, whatever its form."""
    try:
        find_object(world, reference)
    except UsageError:
        return False
    return True


def place_of_coming_pod(world: World, reference: str) -> int | None:
    """Where in `world.created` the pod of a reference is that a manifest brings; None: nowhere."""
    *namespace, kind, name = ("", *reference.split("/"))[-3:]
    known = kind_named(kind)
    if known is None or known.type is not Pod:
        return None
    where = "".join(namespace) or DEFAULT_NAMESPACE
    pods = ((created.pod.namespace, created.pod.name) for created in world.created)
    return next((at for at, pod in enumerate(pods) if pod == (where, name)), None)


def _elsewhere(name: str, kind: str, objects: Sequence[TopLevel]) -> str | None:
    """Where an object of this name is, else which have a similar one."""
    spaces = sorted({obj.namespace for obj in objects if obj.name == name})
    if spaces:
        return f"There is one in {', '.join(spaces[:3])}: use -n {spaces[0]}, or {spaces[0]}/{kind}/{name}."
    return _similar(name, sorted({obj.name for obj in objects}))


def _similar(name: str, known: Sequence[str]) -> str | None:
    close = get_close_matches(name, known, n=3)
    return f"Did you mean {' or '.join(close)}?" if close else None


def _label_values(nodes: Sequence[Node], target: str) -> str | None:
    """The values that the labels of a selector have."""
    key = parse_selector(target)[0].key
    values = sorted({n.metadata.labels[key] for n in nodes if key in n.metadata.labels})
    return f"The values of {key} are {', '.join(values[:10])}." if values else f"No node has the label {key}."
