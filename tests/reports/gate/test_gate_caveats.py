"""What weakens the scenarios of a gate."""

from pathlib import Path

from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.gate import gate
from kschedctl.reports.document import Context
from kschedctl.reports.gate.document import documents
from kschedctl.reports.model import Caveat
from kschedctl.writers.formats import Look
from kschedctl.writers.markdown import markdown_pieces

ROOT = Path(__file__).parents[3]
ROOM = "fixtures/gate-release/room.yaml"


def test_a_gate_says_each_caveat_once(monkeypatch):
    monkeypatch.chdir(ROOT)
    caveat = Caveat(code="kind-missing", message="no CSINode in the input", may_change_answer=True)
    report = gate([ROOM, ROOM], lambda paths: Cluster.load(*paths))
    scenarios = []
    for scenario in report.scenarios:
        found = scenario.simulation
        weakened = replace(found, cluster=replace(found.cluster, caveats=[caveat]))
        scenarios.append(replace(scenario, simulation=weakened))

    found = documents([replace(report, scenarios=scenarios)], Context())
    text = "".join(markdown_pieces(found, Look()))

    assert text.endswith("\n\n- **caveat**: no CSINode in the input\n")
    assert text.count("**caveat**") == 1
