"""The runner: merging PreFilter, the first and every failure, nominated pods, halves of plugins (spec 01 §5)."""

import pytest
from builders import ZONE, U, decide, feasible, node, pod, profile, rejections, session, told

from kschedctl.framework.plugin import Plugin, PluginContext, PreFilterResult
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.framework.runtime import Framework
from kschedctl.framework.status import Code, Status
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.scheduling.decision import Outcome


def plugin(name, result):
    """A plugin whose PreFilter gives a fixed answer."""

    class Fixed(Plugin):
        def pre_filter(self, pod, cluster):
            return result

    Fixed.spec = PluginSpec(name=name, points=frozenset())
    return Fixed


def ran(*answers):
    """PreFilter over plugins A, B, ... with these answers."""
    names = "ABC"[: len(answers)]

    class Points:
        def plugins(self, point):
            return tuple(names) if point.value == "preFilter" else ()

        def args(self, name):
            return None

        def points_of(self, name):
            return frozenset()

    made = {name: plugin(name, answer) for name, answer in zip(names, answers, strict=True)}
    gates = feature_gates(V1_36)
    return Framework(Points(), made, V1_36, gates).run_pre_filter(None, None)


def refusal(code, text):
    return PreFilterResult(status=Status(code, (text,)))


SKIP, PASS = PreFilterResult(skip=True), PreFilterResult("state")
SOFT, SOFTER = refusal(Code.UNSCHEDULABLE, "soft"), refusal(Code.UNSCHEDULABLE, "softer")
FINAL, BROKEN = refusal(Code.UNRESOLVABLE, "final"), refusal(Code.ERROR, "broken")


def only(*nodes):
    return PreFilterResult(nodes=frozenset(nodes))


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        pytest.param([PASS, SKIP], "", id="all pass"),
        pytest.param([SOFT, PASS], f"{U} A: soft", id="U is remembered"),
        pytest.param([SOFT, SOFTER], f"{U} B: softer", id="a later U replaces an earlier one"),
        pytest.param([SOFT, FINAL, SOFTER], "UnschedulableAndUnresolvable B: final", id="UU ends it"),
        pytest.param([BROKEN, FINAL], 'Error A: running PreFilter plugin "A": broken', id="an error ends it"),
        pytest.param(
            [only("n1"), only("n2")],
            "UnschedulableAndUnresolvable : node(s) didn't satisfy plugin(s) [A B] simultaneously",
            id="nothing left of two sets",
        ),
        pytest.param(
            [only()],
            "UnschedulableAndUnresolvable : node(s) didn't satisfy plugin A",
            id="nothing left of one set",
        ),
        pytest.param(
            [SOFT, only("n1"), only("n2")],
            "UnschedulableAndUnresolvable : node(s) didn't satisfy plugin(s) [B C] simultaneously",
            id="an empty set overrides U",
        ),
    ],
)
def test_pre_filter_outcome(answers, status):
    assert told(ran(*answers).status) == status


def test_node_sets_are_intersected():
    phase = ran(only("n1", "n2"), PASS, only("n2", "n3"))
    assert phase.nodes == {"n2"}
    assert phase.narrowed_by == {"A", "C"}


def test_skip_turns_the_filter_off():
    phase = ran(SKIP, PASS)
    assert phase.skipped == {"A"}
    assert phase.states["B"] == "state"


def test_unresolvable_leaves_later_plugins_without_state():
    assert "C" not in ran(PASS, FINAL, PASS).states


NOWHERE = node("n1", cpu="1", taints=["k=v:NoSchedule"], cordoned=True)


def test_first_failure_in_profile_order():
    assert rejections(decide(session(NOWHERE), pod("p", cpu="2"))) == {
        "n1": "UnschedulableAndUnresolvable NodeUnschedulable: node(s) were unschedulable"
    }


def test_every_failure():
    decision = decide(session(NOWHERE, every_failure=True), pod("p", cpu="2"))
    assert [s.plugin for s in decision.failures_of(0)] == [
        "NodeUnschedulable",
        "TaintToleration",
        "NodeResourcesFit",
    ]
    assert told(decision.status_of(0)).startswith("UnschedulableAndUnresolvable NodeUnschedulable")
    assert decision.event.startswith("0/1 nodes are available: 1 node(s) were unschedulable.")


def test_profile_order_is_the_order_of_the_configuration():
    order = [{"name": "NodeResourcesFit"}, {"name": "TaintToleration"}]
    config = profile(plugins={"filter": {"enabled": order}})
    assert rejections(decide(session(NOWHERE, config=config), pod("p", cpu="2"))) == {
        "n1": "UnschedulableAndUnresolvable NodeResourcesFit: Insufficient cpu"
    }


@pytest.mark.parametrize(
    ("priority", "fits"),
    [
        pytest.param(10, [], id="equal priority"),
        pytest.param(20, [], id="higher priority"),
        pytest.param(5, ["n1"], id="lower priority is not seen"),
    ],
)
def test_nominated_pods_take_their_room(priority, fits):
    rival = pod("rival", cpu="3", priority=priority, nominated="n1")
    assert feasible_or_none(decide(session(node("n1"), rival), pod("p", cpu="2", priority=10))) == fits


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"schedulerName": "other"}, id="another scheduler's"),
        pytest.param({"schedulingGates": [{"name": "quota"}]}, id="gated"),
    ],
)
def test_nominations_of_pods_that_are_not_queued_are_not_seen(fields):
    rival = pod("rival", cpu="3", priority=10, nominated="n1", **fields)
    assert feasible(decide(session(node("n1"), rival), pod("p", cpu="2", priority=10))) == ["n1"]


def feasible_or_none(decision):
    return feasible(decision) if decision.outcome is Outcome.SCHEDULED else []


def test_nominated_pods_are_seen_on_their_node_alone():
    rival = pod("rival", cpu="3", priority=10, nominated="n1")
    decision = decide(session(node("n1", "z"), node("n2", "z"), rival), pod("p", cpu="2", priority=10))
    assert feasible(decision) == ["n2"]
    assert rejections(decision) == {"n1": f"{U} NodeResourcesFit: Insufficient cpu"}


def test_a_nominated_pod_must_not_be_what_makes_the_node_fit():
    """Both passes must succeed: with the nominated pod, and without it."""
    affinity = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": ZONE}
            ]
        }
    }
    rival = pod("rival", labels={"app": "db"}, priority=10, nominated="n1")
    decision = decide(session(node("n1", "z"), rival), pod("p", priority=10, affinity=affinity))
    assert rejections(decision) == {
        "n1": "UnschedulableAndUnresolvable InterPodAffinity: node(s) didn't match pod affinity rules"
    }


def disabled(point, name):
    return profile(plugins={point: {"disabled": [{"name": name}]}})


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
    ],
)
def test_filter_without_its_pre_filter_fails_the_pod(name, inner):
    decision = decide(session(node("n1"), config=disabled("preFilter", name)), pod("p"))
    assert decision.outcome is Outcome.ERROR
    assert decision.message == f'running "{name}" filter plugin: {inner}'


def test_a_node_that_fails_earlier_never_reaches_the_half_plugin():
    asked = session(node("n1", cordoned=True), config=disabled("preFilter", "NodePorts"))
    assert decide(asked, pod("p")).outcome is Outcome.UNSCHEDULABLE


def test_node_affinity_works_without_its_pre_filter():
    asked = session(node("n1"), node("n2"), config=disabled("preFilter", "NodeAffinity"))
    names = {"key": "metadata.name", "operator": "In", "values": ["n1"]}
    terms = {"nodeSelectorTerms": [{"matchFields": [names]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    assert rejections(decide(asked, pod("p", affinity=affinity))) == {
        "n2": "UnschedulableAndUnresolvable NodeAffinity: node(s) didn't match Pod's node affinity/selector"
    }


def test_no_profile():
    decision = decide(session(node("n1")), pod("p", schedulerName="other"))
    assert decision.outcome is Outcome.NO_PROFILE


def test_a_pod_that_is_being_deleted_is_not_scheduled():
    decision = decide(session(node("n1")), pod("p", terminating=True))
    assert (decision.outcome, decision.message) == (
        Outcome.TERMINATING,
        "skip schedule deleting pod: default/p",
    )


def test_the_plugin_base_does_nothing():
    context = PluginContext(V1_36, feature_gates(V1_36), None)

    class Bare(Plugin):
        spec = PluginSpec(name="Bare", points=frozenset())

    base = Bare(context)
    assert base.pre_enqueue(None, None) is None
    assert base.filter(None, None).codes is None


@pytest.mark.parametrize("plugin", ["VolumeBinding", "NodePorts", "NodeResourcesFit", "InterPodAffinity"])
def test_a_plugin_without_its_state_explains_its_error(plugin):
    config = profile(plugins={"preFilter": {"disabled": [{"name": plugin}]}})
    asked = session(node("n1", cordoned=True), config=config, every_failure=True)
    decision = decide(asked, pod("p"))

    assert [detail.plugin for detail in decision.details_of(0)] == ["NodeUnschedulable", plugin]
    assert [failure.plugin for failure in decision.failures_of(0)] == ["NodeUnschedulable", plugin]
