"""Pods that filters see alike fail alike: what is known of one is told of the other, and of nobody else."""

import pytest
from builders import ZONE, decide, node, pod, session

from kschedctl.scheduling import cycle
from kschedctl.scheduling.decision import Outcome

FULL = [
    *(node(f"n{i}", f"z{i % 2}", cpu="2", taints=["a=b:NoSchedule"] * (i == 3)) for i in range(4)),
    *(pod(f"low{i}", f"n{i}", cpu="500m", priority=5) for i in range(4)),
    *(pod(f"high{i}", f"n{i}", cpu="1500m", priority=50) for i in range(4)),
]
FIRST = pod("first", cpu="1", priority=10, labels={"app": "a"}, namespace="one")
SPREAD = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": ZONE,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "a"}},
        }
    ]
}
OTHERS = {
    "equal": (FIRST, False),
    "other labels": (pod("p", cpu="1", priority=10, labels={"app": "b"}, namespace="one"), False),
    "another namespace": (pod("p", cpu="1", priority=10, namespace="two"), False),
    "more": (pod("p", cpu="1100m", priority=10), True),
    "less important": (pod("p", cpu="1", priority=0), True),
    "never preempts": (pod("p", cpu="1", priority=10, preemptionPolicy="Never"), True),
    "tolerates a taint": (
        pod("p", cpu="1", priority=10, tolerations=[{"key": "a", "operator": "Exists"}]),
        True,
    ),
    "wants a label": (pod("p", cpu="1", priority=10, nodeSelector={"disk": "ssd"}), True),
    "spreads": (pod("p", cpu="1", priority=10, **SPREAD), True),
    "has a node named": (pod("p", cpu="1", priority=10, nominated="n1"), True),
}


def told(decision):
    preemption = decision.preemption
    return (
        decision.outcome,
        decision.event,
        decision.rejectors,
        None if preemption is None else (preemption.message, dict(preemption.failed), preemption.eligible),
    )


@pytest.mark.parametrize(("other", "asked_anew"), OTHERS.values(), ids=OTHERS)
def test_only_what_filters_see_otherwise_is_asked_of_nodes(other, asked_anew, monkeypatch):
    asked, evaluated = session(FULL, score_single=False), []

    def noted(*args, of=cycle.evaluate, **more):
        evaluated.append(args[1].name)
        return of(*args, **more)

    monkeypatch.setattr(cycle, "evaluate", noted)
    assert decide(asked, FIRST).outcome is Outcome.UNSCHEDULABLE
    found = decide(asked, other)
    assert evaluated == ["first"] + [other["metadata"]["name"]] * asked_anew
    assert found.pod.name == other["metadata"]["name"]
    assert told(found) == told(decide(session(FULL, reuse=False), other))


def test_nothing_is_known_once_something_moves():
    asked = session(FULL, score_single=False)
    decide(asked, FIRST)
    asked.cluster.remove(asked.find("default", "high1").id)
    assert decide(asked, OTHERS["other labels"][0]).selected_node == "n1"
