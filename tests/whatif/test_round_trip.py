"""Sessions and clusters travel: what comes out of a pickle gives the same answers, and goes on in the same way."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from builders import enter, made
from random_clusters import random_objects, random_pod

from kschedctl.cluster.pods import PodRecord
from kschedctl.conformance.golden_files import SHIPPED
from kschedctl.conformance.run import GOLDEN
from kschedctl.conformance.scenario import read_cases
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import DEFAULT, feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.scheduling.cycle import Scheduler
from kschedctl.scheduling.decision import Decision, Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.session import Session

FIXTURES = Path(__file__).parents[2] / "fixtures"


def copied(value: Any) -> Any:
    """What another process gets."""
    return pickle.loads(pickle.dumps(value))


def told(decision: Decision) -> object:
    """All that a decision says."""
    rows = range(decision.cluster.nodes.count)
    preemption = decision.preemption
    return (
        decision.outcome,
        decision.selected_node,
        decision.ties,
        decision.event,
        [decision.failures_of(row) for row in rows],
        decision.cluster.next_start,
        None if preemption is None else (preemption.nominated, preemption.message),
    )


def follow(session: Session, decision: Decision) -> None:
    """Do what comes of a decision."""
    if decision.preemption is not None and decision.preemption.nominated is not None:
        decision = evict_and_retry(session.scheduler, decision)
    if decision.outcome is Outcome.SCHEDULED:
        assert place(decision) is None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("options", [SchedulingOptions(), SchedulingOptions(every_failure=True)])
def test_the_same_questions_before_and_after(seed, options):
    rng = random.Random(seed)
    configuration = load_configuration(None, DEFAULT, feature_gates(DEFAULT, {}), IN_TREE)
    here = Session([made(data) for data in random_objects(rng, 5)], configuration, options)
    for step in range(12):
        follow(here, here.scheduler.decide(enter(here, random_pod(rng, f"before{step}")), here.cluster))
    there = copied(here)
    for step in range(12):
        data = random_pod(rng, f"after{step}")
        decisions = [s.scheduler.decide(enter(s, data), s.cluster) for s in (here, there)]
        assert told(decisions[0]) == told(decisions[1])
        follow(here, decisions[0])
        follow(there, decisions[1])
    assert len(here.cluster.pods.classes) == len(there.cluster.pods.classes)


def test_known_pods_make_no_new_classes():
    rng = random.Random(1)
    configuration = load_configuration(None, DEFAULT, feature_gates(DEFAULT, {}), IN_TREE)
    here = Session([made(random_pod(rng, f"p{i}")) for i in range(500)], configuration)
    there = copied(here)
    before = len(there.cluster.pods.classes)
    there.with_objects(there.objects, SchedulingOptions())
    there.with_objects([made(random_pod(random.Random(1), "p0"))], SchedulingOptions())

    assert len(there.cluster.pods.classes) == before


def test_a_copy_has_nothing_to_take_back_and_what_was_open_here_stays_open():
    rng = random.Random(1)
    configuration = load_configuration(None, DEFAULT, feature_gates(DEFAULT, {}), IN_TREE)
    here = Session([made(data) for data in random_objects(rng, 3)], configuration)
    mark, row = here.cluster.mark(), here.cluster.pods.node[0]
    here.cluster.remove(0)
    there = copied(here)
    here.cluster.undo_to(mark)

    assert (here.cluster.pods.node[0], there.cluster.pods.node[0]) == (row, -1)
    assert there.cluster.mark() == 0


def test_a_scheduler_takes_its_plugins_along():
    configuration = load_configuration(None, DEFAULT, feature_gates(DEFAULT, {}), IN_TREE)
    there = copied(Scheduler(configuration, SchedulingOptions(seed=7)))

    assert (there.configuration, there.options.seed) == (configuration, 7)


DOMAINS = [
    path
    for path in sorted(SHIPPED.rglob("*.jsonl.gz"))
    if path.name.partition(".")[0] in ("affinity", "dra", "dra-advanced", "volumes")
]


@pytest.mark.parametrize("path", DOMAINS, ids=lambda path: str(path.relative_to(SHIPPED)))
def test_what_volumes_devices_and_affinity_keep_travels(path):
    for case in read_cases(path):
        scenario = case.scenario
        gates = feature_gates(scenario.version, scenario.gates)
        configuration = load_configuration(scenario.config, scenario.version, gates, IN_TREE)
        here = Session(scenario.objects, configuration, GOLDEN)
        entered = [record for pod in scenario.pods if isinstance(record := here.enter(pod), PodRecord)]
        for record in entered:
            there = copied(here)
            again = there.cluster.pods.records[record.id]
            assert told(there.scheduler.decide(again, there.cluster)) == told(
                here.scheduler.decide(record, here.cluster)
            )


CASES = [
    pytest.param("storage", "cluster.yaml", "pod.yaml", id="volumes"),
    pytest.param("quickstart", "cluster.yaml", "pod.yaml", id="quickstart"),
    *(
        pytest.param("dra", "cluster.yaml", path.name, id=path.stem)
        for path in sorted((FIXTURES / "dra").glob("*.yaml"))
        if path.name != "cluster.yaml"
    ),
]


def answers(cluster: Cluster, candidate: str) -> list[object]:
    """What `explain` says."""
    return list(explain(cluster, candidate))


@pytest.mark.parametrize(("folder", "objects", "candidate"), CASES)
def test_reports_are_the_same(folder, objects, candidate):
    here = Cluster.load(str(FIXTURES / folder / objects))
    asked = str(FIXTURES / folder / candidate)
    before = answers(here, asked)

    assert answers(copied(here), asked) == before
    assert answers(here, asked) == before


def test_another_process_gives_the_same_answers():
    here = Cluster.load(str(FIXTURES / "quickstart" / "cluster.yaml"))
    asked = str(FIXTURES / "quickstart" / "pod.yaml")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = pool.submit(answers, here, asked).result()

    assert there == answers(here, asked)
