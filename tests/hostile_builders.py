"""Inputs in which whatever can be a text is one that would do harm."""

import json

from builders import node, pod


def write_hostile_inputs(folder, text):
    """A cluster, a pod, and a file for every other verb; the text is in every name, label, taint and resource."""
    one = node("n1", labels={"l": text, text: "x"}, taints=[f"k={text}:NoSchedule"], cpu="1")
    two = node("n2" + text, cpu="1", more={f"example.com/{text}": "1"})
    running = pod("r" + text, two["metadata"]["name"], namespace="d" + text, cpu="1", priority=-1)
    running["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": text, "uid": "u", "controller": True}
    ]
    pending = pod("p" + text, namespace="d" + text, nodeSelector={"l": text + "x"})
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": text, "namespace": "d" + text},
        "spec": {"minAvailable": 1, "selector": {}},
    }
    scenario = {
        "apiVersion": "kschedctl.dev/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": text},
        "manifests": ["pod.json"],
        "changes": [{"drain": "n1"}],
        "expectations": {"maxPending": 0},
    }
    loss = {"name": text[:40], "baseline": True, "loseNodes": "*"}
    copies = {"addNodes": {"shape": "like=n1", "count": [0, 1]}}
    sweep = {
        "apiVersion": scenario["apiVersion"],
        "kind": "Sweep",
        "metadata": {"name": text},
        "description": text,
        "cluster": "cluster.json",
        "manifests": ["pod.json"],
        "axes": [loss, copies, {"loseDomains": text}],
    }
    result = {"pod": "default/new", "outcome": text, "event": text}
    case = {"scenario": {"name": text, "objects": [one, two], "pods": [pod("new")]}}
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    shape = {
        "name": "large",
        "zones": [text],
        "node": {"metadata": {"labels": {"l": text}}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}},
    }
    written = {
        "cluster.json": [one, two, running, pending, budget],
        "pod.json": [pod("new", cpu="1", priority=10)],
        "scenario.json": [scenario],
        "sweep.json": [sweep],
        "bad-sweep.json": [sweep | {text: text, "axes": [{text: text}]}],
        "golden.jsonl": [case | {"expected": {"results": [result]}}],
        "config.json": [head | {"profiles": [{"schedulerName": text}]}],
        "bad.json": [head | {text: text}],
        "refused.json": [head | {"profiles": [{"plugins": {"filter": {"enabled": [{"name": text}]}}}]}],
        "policy.json": [{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": text}]}],
        "catalogue.json": [{"apiVersion": scenario["apiVersion"], "kind": "Catalogue", "shapes": [shape]}],
    }
    for name, objects in written.items():
        (folder / name).write_text("\n".join(map(json.dumps, objects)))
