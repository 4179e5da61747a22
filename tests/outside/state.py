"""A cluster at a moment, and what forbids a pod a node then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from .objects import Data, Node, Pod, matches, selects, tolerates


class State:
    """Nodes and the pods on them."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.pods: dict[str, Pod] = {}
        self._on: dict[str, dict[str, Pod]] = {name: {} for name in self.nodes}

    def add(self, node: Node) -> None:
        """A node is added."""
        self.nodes[node.name] = node
        self._on[node.name] = {}

    def put(self, key: str, pod: Pod) -> None:
        """A pod is there, perhaps on a node."""
        assert key not in self.pods, f"{key} is there twice"
        self.pods[key] = pod
        if pod.node is not None:
            self._on[pod.node][key] = pod

    def bind(self, key: str, node: str) -> None:
        """A pod gets its node."""
        self.pods[key].node = node
        self._on[node][key] = self.pods[key]

    def take(self, key: str) -> Pod:
        """A pod is gone."""
        pod = self.pods.pop(key)
        if pod.node is not None:
            del self._on[pod.node][key]
        return pod

    def on(self, node: str) -> Iterable[Pod]:
        """The pods of a node."""
        return self._on[node].values()

    def used(self, node: str) -> Mapping[str, Decimal]:
        """What the pods of a node ask for."""
        sums: dict[str, Decimal] = {}
        for pod in self.on(node):
            for name, value in pod.asks.items():
                sums[name] = sums.get(name, Decimal(0)) + value
        return sums

    def overcommitted(self, node: str) -> list[str]:
        """Resources of which a node has less than its pods ask for."""
        room = self.nodes[node].room
        return [name for name, value in self.used(node).items() if value > room.get(name, 0)]

    def forbids(self, pod: Pod, name: str, *, between_pods: bool = True) -> Iterator[str]:
        """Why a pod may not come to a node now.

        Args:
            pod: the pod, which is on no node.
            name: the node.
            between_pods: look at spread and affinity between pods, which later pods may break.
        """
        node, used = self.nodes[name], self.used(name)
        for resource, asked in pod.asks.items():
            if asked and used.get(resource, 0) + asked > node.room.get(resource, 0):
                yield f"{resource}: {used.get(resource, 0)} + {asked} of {node.room.get(resource, 0)}"
        for taint in node.taints:
            if taint["effect"] in ("NoSchedule", "NoExecute") and not tolerates(pod.spec, taint):
                yield f"taint {taint['key']}"
        if not selects(pod.spec, node):
            yield "node selector or affinity"
        taken = {port for other in self.on(name) for port in other.ports}
        if taken & pod.ports:
            yield f"host ports {sorted(taken & pod.ports)}"
        if between_pods:
            yield from self._apart(pod, node)
            yield from self._together(pod, node)
            yield from self._spread(pod, node)

    def _apart(self, pod: Pod, node: Node) -> Iterator[str]:
        for other in self.pods.values():
            if other.node is None:
                continue
            there = self.nodes[other.node]
            for term, one, whom in ((t, pod, other) for t in pod.anti_affinity):
                if _meets(term, one, whom) and _same(term, node, there):
                    yield f"anti-affinity to {other.full_name}"
            for term, one, whom in ((t, other, pod) for t in other.anti_affinity):
                if _meets(term, one, whom) and _same(term, node, there):
                    yield f"anti-affinity of {other.full_name}"

    def _together(self, pod: Pod, node: Node) -> Iterator[str]:
        terms = pod.affinity
        if not terms:
            return
        placed = [other for other in self.pods.values() if other.node is not None]
        met = [other for other in placed if all(_meets(term, pod, other) for term in terms)]
        for term in terms:
            if not any(_same(term, node, self.nodes[other.node or ""]) for other in met):
                first = not met and all(_meets(one, pod, pod) for one in terms)
                if not first or term["topologyKey"] not in node.labels:
                    yield f"affinity by {term['topologyKey']}"

    def _spread(self, pod: Pod, node: Node) -> Iterator[str]:
        constraints = pod.spread
        keys = {one["topologyKey"] for one in constraints}
        for one in constraints:
            key = one["topologyKey"]
            if key not in node.labels:
                yield f"spread: no label {key}"
                continue
            counts: dict[str, int] = {}
            for other in self.nodes.values():
                if not keys <= other.labels.keys() or not _counts(one, pod, other):
                    continue
                domain = other.labels[key]
                counts[domain] = counts.get(domain, 0) + sum(
                    pod.namespace == there.namespace
                    and not there.terminating
                    and matches(one["labelSelector"], there.labels)
                    for there in self.on(other.name)
                )
            least = min(counts.values(), default=0)
            if len(counts) < one.get("minDomains", 1):
                least = 0
            own = matches(one["labelSelector"], pod.labels)
            skew = counts.get(node.labels[key], 0) + own - least
            if skew > one["maxSkew"]:
                yield f"spread over {key}: skew {skew} of {one['maxSkew']}"


def _counts(constraint: Data, pod: Pod, node: Node) -> bool:
    """Whether a node counts for a constraint."""
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not selects(pod.spec, node):
        return False
    if constraint.get("nodeTaintsPolicy", "Ignore") == "Ignore":
        return True
    hard = (taint for taint in node.taints if taint["effect"] in ("NoSchedule", "NoExecute"))
    return all(tolerates(pod.spec, taint) for taint in hard)


def _meets(term: Data, pod: Pod, other: Pod) -> bool:
    """Whether a term of a pod is about another one."""
    where = term.get("namespaces") or [pod.namespace]
    return other.namespace in where and matches(term.get("labelSelector"), other.labels)


def _same(term: Data, one: Node, other: Node) -> bool:
    key = term["topologyKey"]
    return key in one.labels and one.labels[key] == other.labels.get(key)
