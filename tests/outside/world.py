"""The input of a question as a cluster, with its changes made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .objects import Data, Node, Pod, selects, tolerates
from .state import State

_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job")


class World:
    """The input of a question, with its changes made.

    Attributes:
        state: the cluster at the beginning.
        templates: workload -> template of its pods.
        wanted: workload -> how many pods it is to have; bare pods are workloads of one.
        displaced: pods that changes take off their nodes, and that controllers make anew.
        lost: pods that changes take away for good.
        waiting: pods that are on no node at the beginning.
    """

    def __init__(
        self, objects: Sequence[Data], release: Sequence[Data] = (), changes: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._classes = {o["metadata"]["name"]: o["value"] for o in objects if o["kind"] == "PriorityClass"}
        self._owners = {
            o["metadata"]["name"]: f"Deployment/{o['metadata']['ownerReferences'][0]['name']}"
            for o in objects
            if o["kind"] == "ReplicaSet"
        }
        self.budgets = [o for o in objects if o["kind"] == "PodDisruptionBudget"]
        replaced = {_key(o) for o in release if o["kind"] in _WORKLOADS}
        now = {_key(o): o for o in [*objects, *release] if o["kind"] in _WORKLOADS}
        self.templates: dict[str, Data] = {key: one["spec"]["template"] for key, one in now.items()}
        self.wanted: dict[str, int] = {
            key: one["spec"].get("replicas", one["spec"].get("parallelism", 0)) for key, one in now.items()
        }
        self.displaced: list[Pod] = []
        self.lost: list[Pod] = []
        self.waiting: dict[str, Pod] = {}
        nodes = {o["metadata"]["name"]: Node.of(o) for o in objects if o["kind"] == "Node"}
        emptied, gone = self._changed(nodes, changes)
        self.state = State(node for name, node in nodes.items() if name not in gone)
        for pod in (self._pod(o) for o in objects if o["kind"] == "Pod"):
            if pod.workload not in replaced or pod.workload.startswith("DaemonSet/"):
                self._put(pod, emptied, gone)
        self._count_daemons()

    def _changed(
        self, nodes: dict[str, Node], changes: Iterable[tuple[str, str]]
    ) -> tuple[set[str], set[str]]:
        """Make the changes: the nodes that are emptied, and those that are gone."""
        emptied, gone = set(), set()
        for kind, what in changes:
            match kind:
                case "drain":
                    emptied.add(what)
                    nodes[what].taints.append(_CORDON)
                case "remove-node":
                    gone.add(what)
                case "cordon":
                    nodes[what].taints.append(_CORDON)
                case "taint":
                    name, _, taint = what.partition(" ")
                    pair, _, effect = taint.partition(":")
                    key, _, value = pair.partition("=")
                    nodes[name].taints.append({"key": key, "value": value, "effect": effect})
                case "scale":
                    workload, _, count = what.partition("=")
                    kind_, _, name = workload.partition("/")
                    self.wanted[f"{_named(kind_)}/{name}"] = int(count)
                case "add-node":
                    like, _, count = what.removeprefix("like=").partition("=")
                    for copy in _copies(nodes[like], int(count)):
                        assert copy.name not in nodes
                        nodes[copy.name] = copy
        return emptied, gone

    def _put(self, pod: Pod, emptied: set[str], gone: set[str]) -> None:
        """A pod of the input on its node, or where changes leave it."""
        daemon = pod.workload.startswith("DaemonSet/")
        bare = pod.workload.startswith("Pod/")
        if pod.node in gone or (pod.node in emptied and not daemon):
            if pod.workload in self.templates and not daemon:
                self.displaced.append(pod)
            elif not daemon:
                self.lost.append(pod)
        elif pod.node is None:
            self.waiting[pod.full_name] = pod
        else:
            self.state.put(pod.full_name, pod)
        if bare and pod not in self.lost:
            self.wanted[pod.workload] = 1

    def _count_daemons(self) -> None:
        """How many pods a DaemonSet is to have: where one runs it stays, unless a taint evicts it."""
        for key, template in self.templates.items():
            if key.startswith("DaemonSet/"):
                there = {pod.node for pod in self.state.pods.values() if pod.workload == key}
                self.wanted[key] = sum(
                    name in there or _takes_daemon(template["spec"], node)
                    for name, node in self.state.nodes.items()
                )

    def _pod(self, data: Data) -> Pod:
        meta = data["metadata"]
        owners = meta.get("ownerReferences") or [{"kind": "Pod", "name": meta["name"]}]
        owner = self.top(f"{owners[0]['kind']}/{owners[0]['name']}")
        spec = data["spec"]
        priority = spec.get("priority", 0)
        return Pod(
            meta["namespace"],
            meta["name"],
            meta.get("labels") or {},
            spec,
            spec.get("nodeName"),
            owner,
            priority=priority,
        )

    def top(self, owner: str) -> str:
        """The workload at the top of an owner."""
        own = owner.removeprefix("default/")
        kind, _, name = own.partition("/")
        return self._owners[name] if kind == "ReplicaSet" else own

    def made(self, full_name: str, workload: str, node: str | None = None) -> Pod:
        """A pod of a workload, as its controller makes it."""
        template = self.templates[workload]
        spec = template["spec"]
        if workload.startswith("DaemonSet/"):
            spec = {**spec, "tolerations": [*(spec.get("tolerations") or ()), _ANYTHING]}
        namespace, _, name = full_name.partition("/")
        priority = self._classes.get(spec.get("priorityClassName", ""), 0)
        return Pod(namespace, name, template["metadata"]["labels"], spec, node, workload, priority=priority)


_CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_ANYTHING = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}


def _key(data: Data) -> str:
    return f"{data['kind']}/{data['metadata']['name']}"


def _named(kind: str) -> str:
    return next(one for one in _WORKLOADS if one.lower() == kind)


def _copies(model: Node, count: int) -> Iterator[Node]:
    """Copies as they are named: NAME-new-1 and so on; they are neither cordoned nor tainted by hand."""
    for number in range(1, count + 1):
        name = f"{model.name}-new-{number}"
        labels = model.labels | {"kubernetes.io/hostname": name}
        taints = [taint for taint in model.taints if taint is not _CORDON]
        yield Node(name, labels, taints, model.room)


def _takes_daemon(spec: Data, node: Node) -> bool:
    hard = (taint for taint in node.taints if taint["effect"] in ("NoSchedule", "NoExecute"))
    bears = {**spec, "tolerations": [*(spec.get("tolerations") or ()), _ANYTHING]}
    return selects(spec, node) and all(tolerates(bears, taint) for taint in hard)
