"""A decision is the same whether the plugins were asked for this pod, or for an equal one before."""

from __future__ import annotations

import pytest
from builders import Data, decide, enter, node, pod, profile, session

from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.plugin import PreFilterResult
from kschedctl.framework.status import Code
from kschedctl.framework.verdicts import Verdicts
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.plugins.node_ports import NodePorts
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.cycle import Scheduler, with_every_failure
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak

FOUR = [node(f"n{i}") for i in range(1, 5)]


def on(*names: str) -> Data:
    """An affinity that leaves only these nodes."""
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [n]}]} for n in names]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": required}


@pytest.mark.parametrize("reuse", [True, False], ids=["known", "in full"])
@pytest.mark.parametrize(
    ("failing", "selected"),
    [
        pytest.param([], "n1", id="none before"),
        pytest.param([["n1"]], "n2", id="one that looked at one node"),
        pytest.param([["n1"], ["n1"]], "n3", id="two that are equal"),
        pytest.param([["n1"], ["n2"]], "n3", id="two that differ"),
        pytest.param([["n1", "n2"], ["n1", "n2"]], "n1", id="once around"),
        pytest.param([["gone"], ["gone"]], "n1", id="no node to look at"),
    ],
)
def test_pods_that_fail_move_the_start_of_the_search(failing, selected, reuse):
    asked = session(FOUR, tie_break=TieBreak.UPSTREAM, score_single=False, reuse=reuse)
    for i, names in enumerate(failing):
        assert decide(asked, pod(f"a{i}", cpu="9", affinity=on(*names))).outcome is Outcome.UNSCHEDULABLE
    assert decide(asked, pod("z", cpu="1")).selected_node == selected


def test_what_is_known_of_a_failure_ends_with_a_change():
    asked = session(node("n1"), pod("a", "n1", cpu="3"), score_single=False)
    waits, equal = (enter(asked, pod(name, cpu="2")) for name in ("w1", "w2"))
    failed = asked.scheduler.decide(waits, asked.cluster)
    again = asked.scheduler.decide(equal, asked.cluster)
    assert again.evaluation is failed.evaluation
    assert (again.pod, again.event) == (equal, failed.event)
    mark = asked.cluster.mark()
    asked.cluster.remove(0)
    assert asked.scheduler.decide(equal, asked.cluster).selected_node == "n1"
    asked.cluster.undo_to(mark)
    assert asked.scheduler.decide(equal, asked.cluster).event == failed.event


def test_a_pod_with_a_nomination_of_its_own_is_no_equal():
    asked = session(node("n1", cpu="2"), pod("a", "n1", cpu="2"), score_single=False)
    nominated, other = (enter(asked, pod(name, cpu="2", priority=5)) for name in ("w1", "w2"))
    asked.cluster.nominate(nominated.id, "n1")
    asked.cluster.remove(0)
    assert asked.scheduler.decide(other, asked.cluster).outcome is Outcome.UNSCHEDULABLE
    assert asked.scheduler.decide(nominated, asked.cluster).selected_node == "n1"


class FailsOnFirst(NodePorts):
    """A filter that ends in an error on the first node."""

    def pre_filter(self, pod, cluster):
        return PreFilterResult(state=())

    def filter(self, state, rows):
        return Verdicts.reject(rows.index == 0, Code.ERROR, "broken")


@pytest.mark.parametrize("reuse", [True, False], ids=["known", "in full"])
def test_an_error_of_a_filter_fails_the_cycle(reuse):
    asked = session(FOUR)
    configuration = load_configuration(
        None, V1_36, feature_gates(V1_36, {}), IN_TREE.with_plugins(FailsOnFirst)
    )
    scheduler = Scheduler(configuration, SchedulingOptions(reuse=reuse))
    for name in ("a", "b"):
        decision = scheduler.decide(enter(asked, pod(name)), asked.cluster)
        assert decision.outcome is Outcome.ERROR
        assert decision.message == 'running "NodePorts" filter plugin: broken'


@pytest.mark.parametrize("sampling", list(Sampling))
def test_a_nominated_node_that_fits_is_taken_though_prefilter_leaves_it_out(sampling):
    config = profile(plugins={"filter": {"disabled": [{"name": "NodeAffinity"}]}})
    asked = session(FOUR, config=config, sampling=sampling)
    decision = decide(asked, pod("p", nominated="n3", affinity=on("n1")))
    assert decision.selected_node == "n3"


def test_a_nominated_node_that_fits_is_taken_whatever_fails_elsewhere():
    configuration = load_configuration(
        None, V1_36, feature_gates(V1_36, {}), IN_TREE.with_plugins(FailsOnFirst)
    )
    scheduler = Scheduler(configuration)
    asked = session(FOUR)
    decision = scheduler.decide(enter(asked, pod("p", nominated="n2")), asked.cluster)
    assert decision.selected_node == "n2"


def test_every_failure_is_told_of_a_decision_that_was_taken_with_the_first_alone():
    asked = session(node("n1", cpu="1", cordoned=True), every_failure=False)
    decision = decide(asked, pod("p", cpu="2"))
    plugins = [
        [status.plugin for status in d.failures_of(0)] for d in (decision, with_every_failure(decision))
    ]
    assert plugins == [["NodeUnschedulable"], ["NodeUnschedulable", "NodeResourcesFit"]]


@pytest.mark.parametrize(
    ("score_single", "outcome"),
    [
        pytest.param(False, Outcome.SCHEDULED, id="it is not scored"),
        pytest.param(True, Outcome.ERROR, id="single nodes are scored"),
    ],
)
def test_a_nominated_node_that_fits_is_taken_unscored(score_single, outcome):
    """TaintToleration without its PreScore fails every pod that is scored."""
    config = profile(plugins={"preScore": {"disabled": [{"name": "TaintToleration"}]}})
    asked = session(FOUR, config=config, score_single=score_single)
    assert decide(asked, pod("p", nominated="n2")).outcome is outcome
