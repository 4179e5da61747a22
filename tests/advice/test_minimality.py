"""No single change is cheaper than what is suggested: all of them are tried on small random clusters."""

from __future__ import annotations

import random
from itertools import combinations

import msgspec
import pytest
from builders import Data, made, node, pod, session

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.costs import cost_of
from kschedctl.advice.json_patch import add, add_within, document_of, remove
from kschedctl.advice.measure import Departure, Measure, Measures, ObjectPatch, PodPatch, Reference
from kschedctl.advice.proof import Prover
from kschedctl.advice.search import suggestions
from kschedctl.objects.constraints import Toleration
from kschedctl.objects.pod_requests import to_resource_units
from kschedctl.objects.quantity import parse
from kschedctl.plugins.spread_constraints import HARD
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.judgement.explain import judging

_CLUSTERS = 300
_CLUSTERS_FOR_PAIRS = 18
_APPS = ("web", "api")
_ZONE = "topology.kubernetes.io/zone"
_HOST = "kubernetes.io/hostname"
_RACK = "example.com/rack"
_CLASSES = (("some", 10), ("most", 100))
_STEP = {"cpu": 250, "memory": 50 * 2**20}
_CORDON = "node.kubernetes.io/unschedulable"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _cluster(rng: random.Random) -> list[Data]:
    nodes = [
        node(
            f"n{i}",
            rng.choice("ab"),
            cpu=rng.choice(("1", "2")),
            memory=rng.choice(("2Gi", "4Gi")),
            labels={"disk": rng.choice(("ssd", "hdd"))} | rng.choice(({}, {}, {_RACK: rng.choice("xy")})),
            taints=rng.choice(
                ((), (), ("dedicated=db:NoSchedule",), ("old=1:NoExecute", "dedicated=db:NoSchedule"))
            ),
            cordoned=rng.random() < 0.25,
        )
        for i in range(rng.randint(2, 5))
    ]
    running = []
    for i in range(rng.randint(0, 8)):
        app = rng.choice(_APPS)
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app} if rng.random() < 0.6 else None
        running.append(
            pod(
                f"p{i}",
                f"n{rng.randrange(len(nodes))}",
                cpu=rng.choice(("250m", "500m")),
                memory=rng.choice((None, "700Mi")),
                labels={"app": app},
                owner=owner,
                terminating=rng.random() < 0.1,
                priority=rng.choice((0, 0, 50)),
                **_shape(rng, app),
            )
        )
    return nodes + running + [_priority_class(*one) for one in _CLASSES]


def _priority_class(name: str, value: int) -> Data:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


def _candidate(rng: random.Random) -> Data:
    app = rng.choice(_APPS)
    more: Data = _shape(rng, app)
    if rng.random() < 0.4:
        more["nodeSelector"] = {"disk": "ssd"}
    elif rng.random() < 0.4:
        expressions = [
            {"key": "disk", "operator": rng.choice(("In", "NotIn")), "values": [rng.choice(("ssd", "nvme"))]},
            {"key": _RACK, "operator": rng.choice(("Exists", "DoesNotExist"))},
        ]
        term = {"matchExpressions": expressions[: rng.randint(1, 2)]}
        more.setdefault("affinity", {})["nodeAffinity"] = {_REQUIRED: {"nodeSelectorTerms": [term]}}
    memory = rng.choice((None, None, "1500Mi", "5Gi"))
    return pod("new", cpu=rng.choice(("500m", "1500m", "3")), memory=memory, labels={"app": app}, **more)


def _shape(rng: random.Random, app: str) -> Data:
    selector = {"matchLabels": {"app": app}}
    match rng.randrange(6):
        case 0:
            term = {"topologyKey": rng.choice((_HOST, _ZONE)), "labelSelector": selector}
            return {"affinity": {rng.choice(("podAffinity", "podAntiAffinity")): {_REQUIRED: [term]}}}
        case 1:
            return {
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": rng.choice((_HOST, _ZONE, _RACK)),
                        "whenUnsatisfiable": HARD,
                        "labelSelector": selector,
                    }
                ]
            }
        case 2:
            ports = [{"containerPort": 80, "hostPort": 80}, {"containerPort": 443, "hostPort": 443}]
            beside = {"name": "beside", "image": "app", "ports": ports[: rng.randint(1, 2)]}
            return {"initContainers": [beside | {"restartPolicy": "Always"}]}
    return {}


def _single_changes(prover: Prover):
    """Every change of one thing, and what it costs at least."""
    cluster, document = prover.session.cluster, document_of(prover.pod)
    for row, found in enumerate(cluster.nodes.objects):
        target = Reference("Node", "", found.name)
        if found.spec.unschedulable:
            places = [at for at, t in enumerate(found.spec.taints) if t.key == _CORDON]
            edit = ObjectPatch(
                target, (remove("spec", "unschedulable"), *(remove("spec", "taints", at) for at in places))
            )
            yield Measure("uncordon", found.name, (edit,))
        for at in range(len(found.spec.taints)):
            yield Measure(
                "taint", f"{found.name} {at}", (ObjectPatch(target, (remove("spec", "taints", at),)),)
            )
        for p in cluster.usage.pods[row]:
            record = cluster.pods.records[p]
            ending = record.pod.is_terminating
            reference = Reference("Pod", record.namespace, record.name)
            kind = "wait" if ending else "move" if record.pod.metadata.controller else "evict"
            back = kind == "move"
            yield Measure(kind, record.name, (Departure(p, reference, back),))
    for taint in cluster.nodes.taints:
        made_of = Toleration(key=taint.key, operator="Equal", value=taint.value, effect=taint.effect)
        operation = add_within(document, msgspec.to_builtins(made_of), "spec", "tolerations", "-")
        yield Measure("toleration", str(taint), (PodPatch((operation,)),))
    yield from _of_labels(prover)
    yield from _of_requests(prover)
    spec = document["spec"]
    for c, container in enumerate(spec.get("initContainers", ())):
        for p, port in enumerate(container.get("ports", ())):
            patch = PodPatch((remove("spec", "initContainers", c, "ports", p, "hostPort"),))
            yield Measure("host-port", str(port["hostPort"]), (patch,))
    for name, _ in _CLASSES:
        operations = [add_within(document, name, "spec", "priorityClassName")]
        operations += [remove("spec", "priority")] if "priority" in spec else []
        yield Measure("priority", name, (PodPatch(tuple(operations)),))
    for key in spec.get("nodeSelector", {}):
        yield Measure("selector-drop", key, (PodPatch((remove("spec", "nodeSelector", key),)),))
    for key, found in spec.get("affinity", {}).items():
        patch = PodPatch((remove("spec", "affinity", key),))
        yield Measure("affinity-drop", key, (patch,), size=_conditions(found[_REQUIRED]))
    for at in range(len(spec.get("topologySpreadConstraints", ()))):
        yield Measure("spread-drop", str(at), (PodPatch((remove("spec", "topologySpreadConstraints", at),)),))
        for skew in (2, 3):
            operation = add_within(document, skew, "spec", "topologySpreadConstraints", at, "maxSkew")
            size = 1 + 0.1 * (skew - 1)
            yield Measure("spread-relax", f"{at} {skew}", (PodPatch((operation,)),), size=size)


def _conditions(required: Data | list[Data]) -> int:
    """How many conditions are given up with an affinity: each of them costs."""
    terms = required["nodeSelectorTerms"] if isinstance(required, dict) else required
    return sum(len(term.get("matchExpressions", "1")) for term in terms)


def _of_labels(prover: Prover):
    """Labels that nodes lack, and those that the pod asks for by name set to what it asks for."""
    cluster, spec = prover.session.cluster, document_of(prover.pod)["spec"]
    wanted = {(_RACK, "x"), (_RACK, "y"), *spec.get("nodeSelector", {}).items()}
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get(_REQUIRED, {"nodeSelectorTerms": []})
    expressions = [e for term in required["nodeSelectorTerms"] for e in term["matchExpressions"]]
    wanted |= {
        (e["key"], value) for e in expressions for value in e.get("values", ()) if e["operator"] == "In"
    }
    for found in cluster.nodes.objects:
        for key, value in sorted(wanted):
            if key not in found.metadata.labels or key != _RACK:
                patch = ObjectPatch(
                    Reference("Node", "", found.name), (add(value, "metadata", "labels", key),)
                )
                yield Measure("label-node", f"{found.name} {key}={value}", (patch,))
    where = ("spec", "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms", 0, "matchExpressions")
    for at, expression in enumerate(expressions):
        kind = "selector-drop"
        patch = PodPatch(
            (remove(*where, at),) if expressions[1:] else (remove("spec", "affinity", "nodeAffinity"),)
        )
        yield Measure(kind, expression["key"], (patch,))
        if expression["operator"] == "In":
            for value in ("ssd", "hdd"):
                patch = PodPatch((add(value, *where, at, "values", "-"),))
                yield Measure("selector-relax", f"{expression['key']} {value}", (patch,))


def _of_requests(prover: Prover):
    """Requests lowered to every step on which a sum of requests of this cluster can end."""
    asked = document_of(prover.pod)["spec"]["containers"][0]["resources"]["requests"]
    for name, text in asked.items():
        need = to_resource_units(name, parse(text))
        step = _STEP[name]
        for amount in range(0, need, step):
            written = f"{amount}m" if name == "cpu" else str(amount)
            patch = PodPatch((add(written, "spec", "containers", 0, "resources", "requests", name),))
            size = round(0.5 + 1.5 * (1 - amount / need) + (0 if amount else 0.5), 2)
            yield Measure("request", f"{name} {written}", (patch,), size=size)


def _cheapest(prover: Prover) -> tuple[float, str] | None:
    found = []
    for change in _single_changes(prover):
        proof = prover.prove((change,), preempting=change.kind == "priority")
        if proof is not None:
            lost = sum(move.target is None for move in proof.moves) if change.kind == "move" else 0
            cost = cost_of((change,)) + 3 * lost + 0.5 * len(proof.victims)
            found.append((round(cost, 2), f"{change.kind} {change.text}"))
    return min(found, default=None)


def _undecided(seeds):
    """Random clusters with a pod that fits nowhere: seed, cluster, pod, and the decision, as long as it stands."""
    for seed in seeds:
        rng = random.Random(seed)
        loaded = session(_cluster(rng), every_failure=True)
        candidate = made(_candidate(rng))
        with judging(loaded, candidate) as decision:
            if not isinstance(decision, Invalid) and decision.outcome is Outcome.UNSCHEDULABLE:
                yield seed, loaded, candidate, decision


@pytest.mark.parametrize("part", range(6))
def test_no_single_change_is_cheaper(part):
    asked = 0
    for seed, loaded, candidate, decision in _undecided(range(part, _CLUSTERS, 6)):
        asked += 1
        best = _cheapest(Prover(loaded, candidate))
        ours = suggestions(loaded, candidate, decision)
        if best is not None:
            assert ours, f"seed {seed}: nothing, but {best}"
            assert ours[0].cost <= best[0] + 1e-6, f"seed {seed}: {ours[0].text} ({ours[0].cost}), but {best}"
    assert asked > 15


@pytest.mark.parametrize("part", range(3))
def test_no_pair_of_changes_is_cheaper(part):
    tried = 0
    for seed, loaded, candidate, decision in _undecided(range(part, _CLUSTERS_FOR_PAIRS, 3)):
        prover = Prover(loaded, candidate)
        best = suggestions(loaded, candidate, decision)[0]
        singles = [change for change in _single_changes(prover) if change.kind != "priority"]
        for pair in combinations(singles, 2):
            if cost_of(pair) < best.cost - 1e-6 and not _of_the_same(*pair):
                tried += 1
                proof = prover.prove(pair)
                lost = 0 if proof is None else sum(move.target is None for move in proof.moves)
                assert proof is None or cost_of(pair) + 3 * lost >= best.cost - 1e-6, f"seed {seed}: {pair}"
    assert tried > 500


def _of_the_same(*pair: Measure) -> bool:
    """Whether one change takes away what the other is about."""
    paths = [
        {str(o["path"]) for e in change.edits if isinstance(e, PodPatch) for o in e.operations}
        for change in pair
    ]
    return any(one.startswith(other) or other.startswith(one) for one in paths[0] for other in paths[1])


@pytest.mark.parametrize("part", range(3))
def test_a_request_is_as_large_as_fits(part):
    """A milli-CPU or a byte more, and the pod fits nowhere."""
    asked = 0
    for seed, loaded, candidate, decision in _undecided(range(part, _CLUSTERS, 3)):
        prover = Prover(loaded, candidate)
        for one in suggestions(loaded, candidate, decision):
            if [change.kind for change in one.changes] != ["request"]:
                continue
            asked += 1
            assert prover.prove(_one_more(one.changes[0])) is None, f"seed {seed}: {one.text}"
    assert asked > 10


def _one_more(change: Measure) -> Measures:
    """The same request, larger by the smallest amount that counts."""
    ((patch,),) = (change.edits,)
    (operation,) = patch.operations
    name = change.topic
    units = to_resource_units(name, parse(operation["value"])) + 1
    more = dict(operation) | {"value": f"{units}m" if name == "cpu" else str(units)}
    return (Measure(change.kind, change.text, (PodPatch((more,)),)),)
