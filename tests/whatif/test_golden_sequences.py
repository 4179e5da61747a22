"""A single pass of the simulator takes the decisions of kube-scheduler in golden sequences."""

import pickle
from pathlib import Path

import pytest

import kschedctl.conformance
from kschedctl.admission.invalid import Invalid
from kschedctl.conformance.run import GOLDEN
from kschedctl.conformance.scenario import GoldenCase, read_cases
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.world.world import PodOrigin
from kschedctl.workloads import key_of

FOLDER = Path(kschedctl.conformance.__file__).parent / "golden"
CASES = [
    case
    for path in sorted(FOLDER.rglob("sequence.jsonl.gz"))
    for case in read_cases(path)
    if case.scenario.sequence and case.expected is not None
]


def decided_in_turn(case: GoldenCase, *, travels: bool) -> list[tuple[str, str | None, list[str]]]:
    """Name, node and victims of each candidate at its turn; golden sequences follow the list, not the queue.

    A session that travels is another copy for each of them.
    """
    scenario = case.scenario
    gates = feature_gates(scenario.version, scenario.gates)
    session = Session(
        scenario.objects, load_configuration(scenario.config, scenario.version, gates, IN_TREE), GOLDEN
    )
    tasks = []
    for pod in scenario.pods:
        record = session.enter_pending(pod)
        entered = None if isinstance(record, Invalid) else record
        tasks.append(Task(pod, entered, key_of(pod), PodOrigin.NEW))
    found = []
    for task in tasks:
        if travels:
            session = pickle.loads(pickle.dumps(session))
            task.record = task.record and session.cluster.pods.records[task.record.id]
        simulator = Simulator(session, key_of, single_pass=True, recreate_victims=False)
        simulator.submit([task])
        simulator.settle()
        found.append((task.name, task.node, task.evicted))
    return found


def test_there_are_golden_sequences():
    assert CASES


@pytest.mark.parametrize("travels", [False, True], ids=["here", "travelling"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.scenario.version}-{case.scenario.name}")
def test_placements_and_victims(case, travels):
    assert case.expected is not None
    expected = [(e["pod"], e.get("selected"), e.get("victims", [])) for e in case.expected]

    assert decided_in_turn(case, travels=travels) == expected
