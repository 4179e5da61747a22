"""Random clusters with what is to happen to them: plain objects, made of a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from .objects import HOST, Data, Node, Pod
from .state import State

ZONE = "topology.kubernetes.io/zone"
GPU = "example.com/gpu"
CLASSES = {"low": -10, "normal": 0, "high": 1000}


class RandomCluster:
    """A cluster, and questions about it.

    Attributes:
        objects: what is in it.
        release: manifests to apply.
        nodes: names of its nodes.
    """

    def __init__(self, seed: int, least: int = 60, most: int = 300) -> None:
        self._rng = random.Random(seed)
        self.size = self._rng.randint(least, most)
        self.zones = ["a", "b", "c", "d"][: self._rng.randint(2, 4)]
        nodes = [self._node(i) for i in range(self.size)]
        self.nodes = [node["metadata"]["name"] for node in nodes]
        self._state = State(map(Node.of, nodes))
        self.objects: list[dict[str, Any]] = [*nodes, *map(_priority_class, CLASSES)]
        self.apps: list[dict[str, Any]] = []
        self.objects += self._daemons()
        for number in range(int(self.size * self._rng.uniform(0.4, 1.4))):
            self.objects += self._workload(number)
        self._rng.shuffle(self.objects)
        self.release = list(self._release())

    def _node(self, number: int) -> dict[str, Any]:
        rng = self._rng
        pool = rng.choices(("general", "highmem", "gpu"), (7, 2, 1))[0]
        name = f"{pool}-{number}"
        labels = {HOST: name, ZONE: self.zones[number % len(self.zones)], "pool": pool, "rank": str(number)}
        if rng.random() < 0.03:
            del labels[ZONE]
        cpu = rng.choice((4, 8, 16))
        memory = cpu * (16 if pool == "highmem" else 4)
        room = {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": str(rng.choice((15, 30, 110)))}
        spec: dict[str, Any] = {}
        if pool == "gpu":
            room[GPU] = "4"
            spec["taints"] = [{"key": "gpu", "value": "present", "effect": "NoSchedule"}]
        elif rng.random() < 0.05:
            spec["taints"] = [{"key": "old", "effect": rng.choice(("NoSchedule", "PreferNoSchedule"))}]
        metadata = {"name": name, "labels": labels}
        status = {
            "allocatable": room,
            "capacity": room,
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec, "status": status}

    def _daemons(self) -> Iterator[dict[str, Any]]:
        for name, everywhere in (("log", True), ("metrics", False)):
            tolerations = [{"operator": "Exists"}] if everywhere else []
            template = _template(name, {"cpu": "100m", "memory": "64Mi"}, tolerations=tolerations)
            metadata = _metadata(name)
            spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
            yield {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}
            for node in self._state.nodes.values():
                if not everywhere and any(taint["effect"] == "NoSchedule" for taint in node.taints):
                    continue
                pinned = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node.name]}]}
                required = {"nodeSelectorTerms": [pinned]}
                affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
                own = template["spec"] | {"affinity": affinity}
                own = own | {"tolerations": [*own["tolerations"], *_DAEMON_TOLERATIONS]}
                yield self._pod(f"{name}-{node.name}", name, own, f"DaemonSet/{name}", node.name)

    def _workload(self, number: int) -> Iterator[dict[str, Any]]:
        rng = self._rng
        name = f"app{number}"
        template = self._random_template(name)
        kind = rng.choices(("Deployment", "StatefulSet", "Job", "Pod"), (6, 2, 1, 1))[0]
        replicas = 1 if kind == "Pod" else rng.randint(1, 12)
        owner = f"{kind}/{name}"
        if kind == "Pod":
            yield self._placed(name, name, template["spec"], "")
            return
        workload = _workload(kind, name, replicas, template)
        self.apps.append(workload)
        yield workload
        labels = {}
        if kind == "Deployment":
            labels = {"pod-template-hash": "5d4c"}
            owner = f"ReplicaSet/{name}-5d4c"
            yield _replica_set(workload, labels)
        for i in range(replicas):
            suffix = str(i) if kind == "StatefulSet" else f"{'5d4c-' if labels else ''}{_letters(i)}"
            yield self._placed(f"{name}-{suffix}", name, template["spec"], owner, labels)
        if kind != "Job" and rng.random() < 0.4:
            limit: dict[str, Any] = rng.choice(
                (
                    {"minAvailable": rng.randint(0, replicas)},
                    {"minAvailable": f"{rng.choice((25, 50, 80))}%"},
                    {"maxUnavailable": rng.randint(1, 2)},
                    {"maxUnavailable": f"{rng.choice((20, 50))}%"},
                )
            )
            spec = {"selector": {"matchLabels": {"app": name}}} | limit
            metadata = _metadata(name)
            yield {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": metadata,
                "spec": spec,
            }

    def _random_template(self, name: str) -> dict[str, Any]:
        rng = self._rng
        asked = {
            "cpu": rng.choice(("100m", "250m", "500m", "1", "1500m", "3")),
            "memory": rng.choice(("128Mi", "512Mi", "1Gi", "4Gi")),
        }
        more: dict[str, Any] = {}
        selector = {"labelSelector": {"matchLabels": {"app": name}}}
        required = "requiredDuringSchedulingIgnoredDuringExecution"
        match rng.randrange(12):
            case 0:
                more["nodeSelector"] = {"pool": rng.choice(("general", "highmem"))}
            case 1:
                operator, values = rng.choice(
                    (("In", self.zones[:1]), ("NotIn", self.zones[:1]), ("Gt", [str(self.size // 3)]))
                )
                key = "rank" if operator == "Gt" else ZONE
                terms = [{"matchExpressions": [{"key": key, "operator": operator, "values": values}]}]
                more["affinity"] = {"nodeAffinity": {required: {"nodeSelectorTerms": terms}}}
            case 2 | 3:
                more["topologySpreadConstraints"] = [self._constraint(ZONE, selector)]
            case 4:
                more["topologySpreadConstraints"] = [
                    self._constraint(ZONE, selector),
                    self._constraint(HOST, selector),
                ]
            case 5 | 6:
                more["affinity"] = {"podAntiAffinity": {required: [{"topologyKey": HOST} | selector]}}
            case 7:
                more["affinity"] = {"podAffinity": {required: [{"topologyKey": ZONE} | selector]}}
            case 8:
                more["hostPort"] = rng.choice((8080, 9090))
            case 9:
                asked[GPU] = rng.choice(("1", "2"))
                more["tolerations"] = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]
        if rng.random() < 0.1:
            more["init"] = {"cpu": "2"}
        return _template(name, asked, priority=rng.choice(("low", "normal", "normal", "high")), **more)

    def _constraint(self, key: str, selector: Data) -> dict[str, Any]:
        rng = self._rng
        made: dict[str, Any] = {
            "topologyKey": key,
            "maxSkew": rng.randint(1, 3),
            "whenUnsatisfiable": "DoNotSchedule",
            **selector,
        }
        if rng.random() < 0.3:
            made["minDomains"] = rng.randint(1, 3)
        if rng.random() < 0.3:
            made["nodeTaintsPolicy"] = "Honor"
        if rng.random() < 0.2:
            made["nodeAffinityPolicy"] = "Ignore"
        return made

    def _placed(
        self, name: str, app: str, spec: Data, owner: str, labels: Data | None = None
    ) -> dict[str, Any]:
        """A pod on a node that takes it, or pending."""
        rng = self._rng
        pod = Pod("default", name, {"app": app, **(labels or {})}, spec)
        for node in rng.sample(self.nodes, min(12, len(self.nodes))):
            if not next(self._state.forbids(pod, node), None):
                return self._pod(name, app, spec, owner, node, labels)
        return self._pod(name, app, spec, owner, None, labels)

    def _pod(
        self, name: str, app: str, spec: Data, owner: str, node: str | None, labels: Data | None = None
    ) -> dict[str, Any]:
        own = {"app": app, **(labels or {})}
        self._state.put(name, Pod("default", name, own, spec, node))
        metadata = _metadata(name) | {"labels": own, "uid": f"uid-{name}"}
        if owner:
            kind, _, of = owner.partition("/")
            api = "batch/v1" if kind == "Job" else "apps/v1"
            metadata["ownerReferences"] = [
                {"apiVersion": api, "kind": kind, "name": of, "uid": f"uid-{kind}-{of}", "controller": True}
            ]
        status: dict[str, Any] = {"phase": "Pending"}
        own_spec = dict(spec)
        if node:
            own_spec["nodeName"] = node
            status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        own_spec["priority"] = CLASSES[spec["priorityClassName"]]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": own_spec, "status": status}

    def _release(self) -> Iterator[dict[str, Any]]:
        """New workloads, and one that is there already in another form."""
        rng = self._rng
        for number in range(rng.randint(3, 8)):
            name = f"new{number}"
            kind = rng.choice(("Deployment", "Deployment", "StatefulSet", "Job"))
            yield _workload(kind, name, rng.randint(1, 20), self._random_template(name))
        deployments = [app for app in self.apps if app["kind"] == "Deployment"]
        if deployments and rng.random() < 0.7:
            app = rng.choice(deployments)
            name = app["metadata"]["name"]
            template = self._random_template(name)
            template["spec"]["containers"][0]["image"] = "main:2"
            yield _workload("Deployment", name, rng.randint(1, 12), template)

    def changes(self) -> list[tuple[str, str]]:
        """Some changes, each an option and its value, about nodes that are not the same."""
        rng = self._rng
        lost = rng.sample(self.nodes, 6)
        pairs = [
            ("drain", lost[0]),
            ("remove-node", lost[1]),
            ("cordon", lost[2]),
            ("add-node", f"like={lost[3]}={rng.randint(1, 4)}"),
            ("taint", f"{lost[4]} sick=1:NoSchedule"),
        ]
        app = rng.choice(self.apps)
        if app["kind"] != "Job":
            kind, name = app["kind"], app["metadata"]["name"]
            if name not in {one["metadata"]["name"] for one in self.release}:
                more = app["spec"]["replicas"] + rng.randint(1, 6)
                pairs.append(("scale", f"{kind.lower()}/{name}={more}"))
        return rng.sample(pairs, rng.randint(1, len(pairs)))

    def some_nodes(self) -> list[str]:
        """Nodes to drain."""
        return self._rng.sample(self.nodes, self._rng.randint(1, 4))

    def candidate(self) -> dict[str, Any]:
        """A pod that may have to preempt."""
        template = self._random_template("candidate")
        template["spec"]["priorityClassName"] = "high"
        container = template["spec"]["containers"][0]
        container["resources"]["requests"]["cpu"] = self._rng.choice(("3", "6"))
        metadata = _metadata("candidate") | template["metadata"]
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


_DAEMON_TOLERATIONS = [
    {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": effect}
    for key, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
]


def _metadata(name: str) -> dict[str, Any]:
    return {"name": name, "namespace": "default"}


def _letters(number: int) -> str:
    return "bcdfghjklmnpqrstvwxz"[number % 20] * 5


def _priority_class(name: str) -> dict[str, Any]:
    head = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    return head | {"value": CLASSES[name]}


def _template(
    name: str,
    asked: Data,
    *,
    priority: str = "normal",
    init: Data | None = None,
    **more: Any,
) -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": "main:1", "resources": {"requests": dict(asked)}}
    if GPU in asked:
        container["resources"]["limits"] = {GPU: asked[GPU]}
    if port := more.pop("hostPort", None):
        container["ports"] = [{"containerPort": port, "hostPort": port}]
    spec: dict[str, Any] = {"priorityClassName": priority, "containers": [container], **more}
    if init:
        spec["initContainers"] = [{"name": "init", "image": "init:1", "resources": {"requests": dict(init)}}]
    return {"metadata": {"labels": {"app": name}}, "spec": spec}


def _workload(kind: str, name: str, replicas: int, template: Data) -> dict[str, Any]:
    spec: dict[str, Any] = {"template": template}
    if kind == "Job":
        spec |= {"parallelism": replicas, "completions": replicas}
        spec["template"] = template | {"spec": template["spec"] | {"restartPolicy": "Never"}}
        head = {"apiVersion": "batch/v1"}
    else:
        spec |= {"replicas": replicas, "selector": {"matchLabels": {"app": name}}}
        head = {"apiVersion": "apps/v1"}
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    metadata = _metadata(name) | {"uid": f"uid-{kind}-{name}"}
    return head | {"kind": kind, "metadata": metadata, "spec": spec}


def _replica_set(deployment: Data, labels: Data) -> dict[str, Any]:
    name = deployment["metadata"]["name"]
    template = deployment["spec"]["template"]
    own = template["metadata"]["labels"] | labels
    owner = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": name,
        "uid": deployment["metadata"]["uid"],
        "controller": True,
    }
    metadata = _metadata(f"{name}-5d4c") | {
        "uid": f"uid-ReplicaSet-{name}-5d4c",
        "labels": own,
        "ownerReferences": [owner],
    }
    spec = {
        "replicas": deployment["spec"]["replicas"],
        "selector": {"matchLabels": own},
        "template": {"metadata": {"labels": own}, "spec": template["spec"]},
    }
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": spec}
