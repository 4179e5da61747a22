"""What reports on many pods keep of a decision is what its explanation says of it."""

import pytest
from builders import decide, node, pod, session

from kschedctl.reports.explain.nodes import node_reports
from kschedctl.reports.explain.reasons import group_reasons
from kschedctl.reports.simulate.inspection import Inspector
from kschedctl.scheduling.cycle import with_every_failure

NODES = [
    node("n1", cpu="1", taints=["a=b:NoSchedule"]),
    node("n2", cpu="1"),
    node("n3", cpu="4", cordoned=True),
    node("n4", cpu="3", labels={"disk": "ssd"}),
]
RIVAL = pod("rival", cpu="2", priority=5, nominated="n4")
PODS = {
    "too large": pod("p", cpu="2"),
    "wants a label": pod("p", cpu="9", nodeSelector={"disk": "ssd"}),
    "refused as a whole": pod("p", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}]),
}


@pytest.mark.parametrize("data", PODS.values(), ids=PODS)
@pytest.mark.parametrize("every", [True, False], ids=["every failure", "first failures"])
def test_reasons_are_those_of_the_explanation(data, every):
    decision = decide(session(NODES, RIVAL, every_failure=every), data)
    rejected = [report for report in node_reports(with_every_failure(decision)) if not report.feasible]
    found = Inspector(nodes=False).inspect(decision)
    assert (found.reasons, found.advice) == (group_reasons(rejected), decision.advice())


def daemon(on):
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    owner = {"kind": "DaemonSet", "name": "agent", "apiVersion": "apps/v1"}
    return pod("agent", cpu="2", owner=owner, affinity={"nodeAffinity": required})


@pytest.mark.parametrize(
    ("data", "all_nodes", "kept"),
    [
        pytest.param(pod("p", cpu="9"), False, [], id="nobody looks at nodes"),
        pytest.param(pod("p", cpu="9"), True, ["n1", "n2", "n3", "n4"], id="somebody does"),
        pytest.param(daemon("n2"), False, ["n2"], id="a daemon has its own"),
    ],
)
def test_nodes_are_kept_where_somebody_looks_at_them(data, all_nodes, kept):
    decision = decide(session(NODES), data)
    assert [report.name for report in Inspector(nodes=all_nodes).inspect(decision).nodes] == kept
