"""What findings say of the pods that they are about."""

from kschedctl.whatif.expectations import check_all
from kschedctl.whatif.scenario import ALL, Expectations

from .builders import node, run, workload


def test_each_reason_of_a_workload_is_told_with_the_pods_that_it_keeps_pending():
    daemons = workload("DaemonSet", "agent", cpu="2")
    cluster = [node("n1", cpu="1"), node("n2", cpu="1"), node("n3", pods="0"), node("n4")]
    (check,) = check_all(Expectations(schedulable=ALL), run(cluster, manifests=[daemons]))

    assert [finding.message for finding in check.findings] == [
        "2 pods of DaemonSet/agent stay pending: 0/4 nodes are available: 1 Insufficient cpu, "
        "3 node(s) didn't satisfy plugin(s) [NodeAffinity]",
        "1 pod of DaemonSet/agent stays pending: 0/4 nodes are available: 1 Too many pods, "
        "3 node(s) didn't satisfy plugin(s) [NodeAffinity]",
    ]
