"""Random clusters and pods that use what the plugins read of other pods."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from builders import HOST, ZONE, Data, node, pod

APPS = ("web", "api", "db")


def random_objects(rng: random.Random, nodes: int) -> Iterator[Data]:
    """Nodes of three zones, some tainted or without a zone; services, running pods, and two that are nominated."""
    for i in range(nodes):
        yield node(
            f"n{i}",
            rng.choice(("a", "b", "c", "")),
            cpu=rng.choice(("1", "2", "4")),
            taints=rng.choice(((), (), (), ("dedicated=db:NoSchedule",), ("old=1:PreferNoSchedule",))),
            labels={"disk": rng.choice(("ssd", "hdd"))},
        )
    for app in APPS[:2]:
        metadata = {"name": app, "namespace": "default"}
        yield {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata,
            "spec": {"selector": {"app": app}},
        }
    for name, team in (("default", "one"), ("other", "two")):
        metadata = {"name": name, "labels": {"team": team}}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
    for i in range(nodes):
        data = random_pod(rng, f"old{i}", terminating=rng.random() < 0.2)
        yield data | {"spec": data["spec"] | {"nodeName": f"n{i}"}}
    yield pod("waits", nominated="n1", priority=100, cpu="1", labels={"app": "web"})
    yield pod(
        "waits-too", nominated="n2", priority=5, labels={"app": "api"}, affinity=_anti(_term("api", HOST))
    )


def random_pod(rng: random.Random, name: str, *, terminating: bool = False) -> Data:
    """A pod of one of three apps and one of the shapes below."""
    app, other = rng.choice(APPS), rng.choice(APPS)
    return pod(
        name,
        labels={"app": app},
        namespace=rng.choice(("default", "default", "other")),
        cpu=rng.choice(("100m", "500m")),
        memory="64Mi",
        priority=rng.choice((0, 0, 10)),
        terminating=terminating,
        **SHAPES[rng.choice(tuple(SHAPES))](app, other),
    )


def _term(app: str, key: str, **more: Any) -> Data:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}} | more


def _anti(*terms: Data) -> Data:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def _spread(app: str, key: str, how: str, skew: int, **more: Any) -> Data:
    selector = {"matchLabels": {"app": app}}
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": how, "labelSelector": selector} | more


def _plain(app: str, other: str) -> Data:
    """Spread by the default constraints where a service selects it."""
    return {}


def _tolerates(app: str, other: str) -> Data:
    return {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}


def _picky(app: str, other: str) -> Data:
    preferred = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
    wishes = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "preference": preferred}]}
    return {"nodeSelector": {"disk": "ssd"}, "affinity": {"nodeAffinity": wishes}}


def _hard_spread(app: str, other: str) -> Data:
    return {"topologySpreadConstraints": [_spread(app, ZONE, "DoNotSchedule", 1, nodeTaintsPolicy="Honor")]}


def _both_spreads(app: str, other: str) -> Data:
    hard, soft = _spread(app, HOST, "DoNotSchedule", 2), _spread(other, ZONE, "ScheduleAnyway", 1)
    return {"topologySpreadConstraints": [hard, soft]}


def _apart_on_nodes(app: str, other: str) -> Data:
    return {"affinity": _anti(_term(app, HOST))}


def _apart_in_zones(app: str, other: str) -> Data:
    return {"affinity": _anti(_term(other, ZONE, namespaceSelector={}))}


def _together(app: str, other: str) -> Data:
    return {
        "affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_term(app, ZONE)]}}
    }


def _prefers(app: str, other: str) -> Data:
    not_two = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["two"]}]}
    near = {"weight": 10, "podAffinityTerm": _term(other, ZONE)}
    away = {"weight": 7, "podAffinityTerm": _term(app, HOST, namespaceSelector=not_two)}
    return {
        "affinity": {
            "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [near]},
            "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [away]},
        }
    }


def _host_port(app: str, other: str) -> Data:
    port = {"containerPort": 80, "hostPort": 8080, "protocol": "TCP"}
    return {"containers": [{"name": "main", "image": "app", "ports": [port]}]}


def _nowhere(app: str, other: str) -> Data:
    return {"nodeSelector": {"disk": "tape"}}


def _too_large_for_its_nodes(app: str, other: str) -> Data:
    """Fails after a look at one or two nodes, one of which may not be there: the next search begins elsewhere."""
    names = {"web": ["n1"], "api": ["n2", "n3"], "db": ["n0", "gone"]}[app]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [n]}]} for n in names]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    resources = {"requests": {"cpu": "9"}}
    return {
        "affinity": {"nodeAffinity": required},
        "containers": [{"name": "main", "image": "app", "resources": resources}],
    }


def _gated(app: str, other: str) -> Data:
    return {"schedulingGates": [{"name": "wait"}]}


SHAPES: dict[str, Callable[[str, str], Data]] = {
    shape.__name__: shape
    for shape in (
        _plain,
        _tolerates,
        _picky,
        _hard_spread,
        _both_spreads,
        _apart_on_nodes,
        _apart_in_zones,
        _together,
        _prefers,
        _host_port,
        _nowhere,
        _too_large_for_its_nodes,
        _gated,
    )
}
