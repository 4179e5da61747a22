"""No single change is cheaper than what is suggested: all of them are tried on small random clusters."""

from __future__ import annotations

import random

import msgspec
import pytest
from builders import Data, made, node, pod, session

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.costs import cost_of
from kschedctl.advice.json_patch import add_within, document_of, remove
from kschedctl.advice.measure import Departure, Measure, ObjectPatch, PodPatch, Reference
from kschedctl.advice.proof import Court
from kschedctl.advice.search import suggestions
from kschedctl.objects.pod import Toleration
from kschedctl.plugins.spread_constraints import HARD
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.judgement.explain import judging

_CLUSTERS = 300
_APPS = ("web", "api")
_ZONE = "topology.kubernetes.io/zone"
_HOST = "kubernetes.io/hostname"
_CORDON = "node.kubernetes.io/unschedulable"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _cluster(rng: random.Random) -> list[Data]:
    nodes = [
        node(
            f"n{i}",
            rng.choice("ab"),
            cpu=rng.choice(("1", "2")),
            labels={"disk": rng.choice(("ssd", "hdd"))},
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
                labels={"app": app},
                owner=owner,
                terminating=rng.random() < 0.1,
                **_shape(rng, app),
            )
        )
    return nodes + running


def _candidate(rng: random.Random) -> Data:
    app = rng.choice(_APPS)
    more: Data = _shape(rng, app)
    if rng.random() < 0.4:
        more["nodeSelector"] = {"disk": "ssd"}
    return pod("new", cpu=rng.choice(("500m", "1500m", "3")), labels={"app": app}, **more)


def _shape(rng: random.Random, app: str) -> Data:
    selector = {"matchLabels": {"app": app}}
    match rng.randrange(5):
        case 0:
            term = {"topologyKey": rng.choice((_HOST, _ZONE)), "labelSelector": selector}
            return {"affinity": {rng.choice(("podAffinity", "podAntiAffinity")): {_REQUIRED: [term]}}}
        case 1:
            return {
                "topologySpreadConstraints": [
                    {
                        "maxSkew": 1,
                        "topologyKey": rng.choice((_HOST, _ZONE)),
                        "whenUnsatisfiable": HARD,
                        "labelSelector": selector,
                    }
                ]
            }
    return {}


def _single_changes(court: Court):
    """Every change of one thing, and what it costs at least."""
    cluster, document = court.session.cluster, document_of(court.pod)
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
    spec = document["spec"]
    for key in spec.get("nodeSelector", {}):
        yield Measure("selector-drop", key, (PodPatch((remove("spec", "nodeSelector", key),)),))
    for key in spec.get("affinity", {}):
        yield Measure("affinity-drop", key, (PodPatch((remove("spec", "affinity", key),)),))
    for at in range(len(spec.get("topologySpreadConstraints", ()))):
        yield Measure("spread-drop", str(at), (PodPatch((remove("spec", "topologySpreadConstraints", at),)),))
        for skew in (2, 3):
            operation = add_within(document, skew, "spec", "topologySpreadConstraints", at, "maxSkew")
            size = 1 + 0.1 * (skew - 1)
            yield Measure("spread-relax", f"{at} {skew}", (PodPatch((operation,)),), size=size)


def _cheapest(court: Court) -> tuple[float, str] | None:
    found = []
    for change in _single_changes(court):
        proof = court.prove((change,))
        if proof is not None:
            lost = sum(move.target is None for move in proof.moves) if change.kind == "move" else 0
            found.append((cost_of((change,)) + 3 * lost, f"{change.kind} {change.text}"))
    return min(found, default=None)


@pytest.mark.parametrize("part", range(6))
def test_no_single_change_is_cheaper(part):
    asked = 0
    for seed in range(part, _CLUSTERS, 6):
        rng = random.Random(seed)
        loaded = session(_cluster(rng), every_failure=True)
        candidate = made(_candidate(rng))
        with judging(loaded, candidate) as decision:
            if isinstance(decision, Invalid) or decision.outcome is not Outcome.UNSCHEDULABLE:
                continue
            asked += 1
            best = _cheapest(Court(loaded, candidate))
            ours = suggestions(loaded, candidate, decision)
            if best is not None:
                assert ours, f"seed {seed}: nothing, but {best}"
                assert ours[0].cost <= best[0] + 1e-6, (
                    f"seed {seed}: {ours[0].text} ({ours[0].cost}), but {best}"
                )
    assert asked > 15
