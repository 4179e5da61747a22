"""What is made once for nodes that are refused alike is what each of them would be told by itself."""

import pytest
from builders import decide, node, pod, session
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.run import GOLDEN
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.explain.nodes import node_reports
from kschedctl.whatif.session import Session

FILES = golden_files([])


def alone(decision, row):
    """The status and the failures of one node, asked for by themselves."""
    status = decision.status_of(row)
    details = decision.details_of(row)
    failures = [
        (
            f.plugin,
            f.reasons,
            [(d.subject, d.text, d.needs, d.free, d.total) for d in details if d.plugin == f.plugin],
        )
        for f in decision.failures_of(row)
    ]
    return status and (status.plugin, status.code.upstream, status.reasons), failures


def told(report):
    status = report.status
    failures = [
        (f.plugin, tuple(f.reasons), [(d.subject, d.text, d.needs, d.free, d.total) for d in f.details])
        for f in report.all_failures
    ]
    return status and (status.plugin, status.code, tuple(status.reasons)), failures


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.category}")
def test_every_node_is_told_what_it_would_be_told_alone(file):
    for case in file.cases():
        if case.expected is None:
            continue  # kube-scheduler does not start, or ends in a panic: it decides nothing
        scenario = case.scenario
        gates = feature_gates(scenario.version, scenario.gates)
        configuration = load_configuration(scenario.config, scenario.version, gates, IN_TREE)
        asked = Session(scenario.objects, configuration, replace(GOLDEN, every_failure=True))
        for entered in [asked.enter(candidate) for candidate in scenario.pods]:
            if isinstance(entered, Invalid):
                continue
            decision = asked.scheduler.decide(entered, asked.cluster)
            for row, report in enumerate(node_reports(decision)):
                if not report.feasible and report.examined:
                    assert told(report) == alone(decision, row), scenario.name


def test_nodes_that_are_refused_alike_share_their_failures():
    full = [node(f"n{i}", cpu="1", taints=["a=b:NoSchedule"] * (i % 2)) for i in range(6)]
    reports = node_reports(decide(session(*full, every_failure=True), pod("a", cpu="2")))
    assert len({id(report.all_failures) for report in reports}) == 2
    assert [len(report.all_failures) for report in reports[:2]] == [1, 2]


def test_a_node_refused_for_nominated_pods_is_told_apart():
    rivals = [pod("b", cpu="2", priority=5, nominated="n1"), pod("c", cpu="2", priority=5, nominated="n2")]
    asked = session(
        node("n1", cpu="3"), node("n2", cpu="3"), node("n3", cpu="1"), *rivals, every_failure=True
    )
    texts = [
        [detail.text for failure in report.all_failures for detail in failure.details]
        for report in node_reports(decide(asked, pod("a", cpu="2")))
    ]
    assert texts == [
        ["cpu: needs 2, free 1 of 3, once default/b, nominated to it, is there"],
        ["cpu: needs 2, free 1 of 3, once default/c, nominated to it, is there"],
        ["cpu: needs 2, free 1 of 1"],
    ]
