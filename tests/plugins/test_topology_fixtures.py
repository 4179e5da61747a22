"""The fixtures of spread and affinity give the answers that their comments promise."""

from pathlib import Path

import pytest

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.questions.scheduler import scheduler_of

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("pod", "nodes", "note"),
    [
        ("spread-zones/hard", {"n5"}, "The minimum is 1 (c); this pod adds 1."),
        ("spread-zones/min-domains", set(), "The minimum is taken as 0: 3 domains, minDomains 4"),
        ("spread-zones/soft", {"n1", "n2", "n3", "n4", "n5", "n6"}, "0 points: n6 (lacks a key)."),
        ("spread-policies/ignore", set(), "The minimum is 0 (c, where the pod cannot go)"),
        ("spread-policies/honor", {"n1", "n2"}, "Not counted: n3 (taints that the pod does not tolerate"),
        ("affinity-directions/pod", {"n3", "n4"}, None),
        ("affinity-first-pod/first", {"n1", "n2"}, "This pod matches its own terms"),
        ("affinity-first-pod/lost", set(), "This pod does not match its own terms"),
        ("affinity-namespace-selector/pod", {"n2"}, "The namespace selector env!=prod leaves out prod"),
    ],
)
def test_fixture(pod: str, nodes: set[str], note: str | None) -> None:
    scheduler = scheduler_of(version="1.36")
    cluster = Cluster.load(str(FIXTURES / Path(pod).parent / "cluster.yaml"), scheduler=scheduler)
    (answer,) = explain(cluster, str(FIXTURES / f"{pod}.yaml"))

    assert {node.name for node in answer.nodes if node.feasible} == nodes
    notes = [note for background in answer.background for note in background.notes]
    assert note is None or any(told.startswith(note) for told in notes)
