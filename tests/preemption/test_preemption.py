"""DefaultPreemption: who may preempt, whom, and where (spec 01 §9)."""

import pytest
from builders import ZONE, decide, node, pod, profile, session

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"
EARLY, LATE, LATER = (f"2024-01-0{day}T00:00:00Z" for day in (1, 2, 3))


def victims(decision):
    """Candidate node -> its victims in order."""
    names, records = decision.cluster.nodes.names, decision.cluster.pods.records
    return {
        names[row]: [records[v].name for v in c.victims] for row, c in decision.preemption.candidates.items()
    }


def violations(decision):
    names = decision.cluster.nodes.names
    return {names[row]: c.violations for row, c in decision.preemption.candidates.items()}


def chosen(decision):
    return [decision.cluster.nodes.names[row] for row in decision.preemption.chosen]


def lost_by(decision):
    names = decision.cluster.nodes.names
    return {names[row]: criterion for row, criterion in decision.preemption.criteria.items()}


def full(name, *priorities, zone="", starts=(), cpu="4", prefix=None):
    """A node and the pods that fill it, one for each priority."""
    share = f"{int(cpu) * 1000 // len(priorities)}m"
    pods = [
        pod(f"{prefix or name}-{i}", name, cpu=share, priority=p, start=starts[i] if starts else EARLY)
        for i, p in enumerate(priorities)
    ]
    return [node(name, zone, cpu=cpu), *pods]


# Eligibility -----------------------------------------------------------------------------------------------


def test_a_pod_that_never_preempts():
    decision = decide(session(full("n1", 1)), pod("p", cpu="1", priority=10, preemptionPolicy="Never"))
    assert not decision.preemption.eligible
    assert decision.event.endswith(
        "no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    )


def leaving(name, on, *, priority=1, reason="PreemptionByScheduler", status="True", terminating=True):
    made = pod(name, on, cpu="4", priority=priority, terminating=terminating)
    made["status"]["conditions"] = [{"type": "DisruptionTarget", "status": status, "reason": reason}]
    return made


@pytest.mark.parametrize(
    ("there", "eligible"),
    [
        pytest.param(leaving("v", "n1"), False, id="it waits for its victim"),
        pytest.param(leaving("v", "n1", terminating=False), True, id="not leaving yet"),
        pytest.param(
            leaving("v", "n1", reason="EvictionByEvictionAPI"), True, id="leaving for another reason"
        ),
        pytest.param(leaving("v", "n1", status="False"), True, id="no longer a target"),
        pytest.param(leaving("v", "n1", priority=10), True, id="of equal priority"),
        pytest.param(leaving("v", "n2"), True, id="on another node"),
    ],
)
def test_a_victim_that_is_still_leaving_the_nominated_node(there, eligible):
    filler = pod("filler", "n1", cpu="4", priority=10)
    asked = session(node("n1", cpu="8"), node("n2"), there, filler)
    decision = decide(asked, pod("p", cpu="8", priority=10, nominated="n1"))
    assert decision.preemption.eligible is eligible
    if not eligible:
        assert decision.event.endswith("not eligible due to a terminating pod on the nominated node.")


@pytest.mark.parametrize("nominated", ["gone", "n2"])
def test_a_nominated_node_that_is_lost_lets_it_preempt_again(nominated):
    asked = session(full("n1", 1), node("n2", cordoned=True), leaving("v", "n2"))
    decision = decide(asked, pod("p", cpu="1", priority=10, nominated=nominated))
    assert victims(decision) == {"n1": ["n1-0"]}


# Victims ---------------------------------------------------------------------------------------------------


def test_greedy_reprieve():
    """3 cpu on a node of 4: the important pod of 2 cpu must go, the other one of 1 cpu may stay."""
    pods = [pod("p10", "n1", cpu="2", priority=10), pod("p5", "n1", cpu="1", priority=5)]
    decision = decide(session(node("n1"), pods), pod("p", cpu="3", priority=20))
    assert victims(decision) == {"n1": ["p10"]}


@pytest.mark.parametrize("priority", [10, 5])
def test_pods_of_equal_or_higher_priority_stay(priority):
    decision = decide(session(full("n1", 10)), pod("p", cpu="1", priority=priority))
    assert decision.preemption.eligible
    assert decision.preemption.message == f"0/1 nodes are available: 1 {NO_VICTIMS}."


def test_no_priority_is_0_and_beats_a_negative_one():
    decision = decide(session(full("n1", -1)), pod("p", cpu="1"))
    assert victims(decision) == {"n1": ["n1-0"]}


def test_victims_come_most_important_first():
    starts = [LATER, EARLY, LATE, EARLY]
    decision = decide(session(full("n1", 1, 1, 1, 2, starts=starts)), pod("p", cpu="4", priority=10))
    assert victims(decision) == {"n1": ["n1-3", "n1-1", "n1-2", "n1-0"]}


def test_starts_are_instants():
    starts = ["2024-01-01T02:30:00+02:00", "2024-01-01T00:00:00Z"]
    decision = decide(session(full("n1", 1, 1, starts=starts)), pod("p", cpu="4", priority=10))
    assert victims(decision) == {"n1": ["n1-1", "n1-0"]}


def test_pods_without_start_are_the_least_important_in_reverse_order():
    starts = [None, EARLY, None, None]
    decision = decide(session(full("n1", 1, 1, 1, 1, starts=starts)), pod("p", cpu="4", priority=10))
    assert victims(decision) == {"n1": ["n1-1", "n1-3", "n1-2", "n1-0"]}


def test_many_equal_victims_follow_the_real_sort():
    """Thirteen pods of two priorities: an order that only Go's procedure gives."""
    names = [f"v{i:02}" for i in range(13)]
    pods = [pod(n, "n1", cpu="1", priority=i % 2, start=EARLY) for i, n in enumerate(names)]
    decision = decide(session(node("n1", cpu="13"), pods), pod("p", cpu="13", priority=10))
    order = [9, 1, 3, 5, 7, 11, 2, 4, 6, 8, 0, 10, 12]
    assert victims(decision) == {"n1": [names[i] for i in order]}


def test_message_without_candidates():
    """Five nodes: two hopeless, one without victims, two still short after all victims are gone."""
    held = [pod(f"held{i}", f"s{i}", cpu="3", priority=100) for i in (1, 2)]
    low = [pod(f"low{i}", f"s{i}", cpu="1", priority=1) for i in (1, 2)]
    nodes = [node("u1", cordoned=True), node("u2", cordoned=True), *full("v1", 100), node("s1"), node("s2")]
    decision = decide(session(nodes, held, low), pod("p", cpu="2", priority=10))
    assert decision.preemption.message == (
        f"0/5 nodes are available: 1 {NO_VICTIMS}, 2 Insufficient cpu, 2 {NOT_HELPFUL}."
    )


def test_nominated_pods_hold_their_room_against_the_preemptor():
    rival = pod("rival", cpu="3", priority=10, nominated="n1")
    decision = decide(session(full("n1", 1), rival), pod("p", cpu="2", priority=10))
    assert victims(decision) == {}
    assert decision.preemption.message == "0/1 nodes are available: 1 Insufficient cpu."


def test_lower_nominated_pods_do_not_count():
    rival = pod("rival", cpu="3", priority=5, nominated="n1")
    decision = decide(session(full("n1", 1), rival), pod("p", cpu="2", priority=10))
    assert victims(decision) == {"n1": ["n1-0"]}


# Budgets ---------------------------------------------------------------------------------------------------


def budget(name, allowed, *, selector=None, namespace="default", disrupted=()):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {} if selector is None else {"selector": selector},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": dict.fromkeys(disrupted, EARLY)},
    }


DB = {"matchLabels": {"app": "db"}}


def three():
    """A full node with three pods of one app, v1 the most important."""
    starts = {"v1": EARLY, "v2": LATE, "v3": LATER}
    pods = [pod(n, "n1", cpu="1", priority=1, start=s, labels={"app": "db"}) for n, s in starts.items()]
    return [node("n1", cpu="3"), *pods]


@pytest.mark.parametrize(
    ("budgets", "count"),
    [
        pytest.param([budget("b", 1, selector=DB)], 2, id="one is allowed"),
        pytest.param([budget("b", 3, selector=DB)], 0, id="all are"),
        pytest.param([budget("b", 0, selector=DB), budget("c", 9, selector=DB)], 3, id="every budget counts"),
        pytest.param(
            [budget("b", 0, selector=DB, disrupted=("v1",))], 2, id="one that is being disrupted is free"
        ),
        pytest.param([budget("b", 0, selector={})], 0, id="an empty selector covers nothing"),
        pytest.param([budget("b", 0)], 0, id="so does none"),
        pytest.param([budget("b", 0, selector=DB, namespace="other")], 0, id="another namespace"),
    ],
)
def test_violations(budgets, count):
    decision = decide(session(three(), budgets), pod("p", cpu="3", priority=10))
    assert violations(decision) == {"n1": count}
    assert victims(decision) == {"n1": ["v1", "v2", "v3"]}


def test_budgets_do_not_cover_pods_without_labels():
    every = {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}
    bare = [pod("v1", "n1", cpu="1", priority=1), pod("v2", "n1", cpu="1", priority=1, labels={"x": "y"})]
    decision = decide(
        session(node("n1", cpu="2"), bare, budget("b", 0, selector=every)), pod("p", cpu="2", priority=10)
    )
    assert violations(decision) == {"n1": 1}


def test_those_that_break_a_budget_are_reprieved_first():
    """One disruption is allowed: v2 and v3 break the budget, so they come back first and v1 is the victim."""
    decision = decide(session(three(), budget("b", 1, selector=DB)), pod("p", cpu="1", priority=10))
    assert victims(decision) == {"n1": ["v1"]}
    assert violations(decision) == {"n1": 0}


START = "start of the most important victim"

# Choice ----------------------------------------------------------------------------------------------------


def on(name, *victims, **more):
    """A node whose victims are given as `(priority, start)` or a priority."""
    pairs = [v if isinstance(v, tuple) else (v, EARLY) for v in victims]
    return full(name, *(p for p, _ in pairs), starts=[s for _, s in pairs], **more)


@pytest.mark.parametrize(
    ("worlds", "winners", "loser", "criterion"),
    [
        pytest.param(
            [on("n1", 5), on("n2", 3)], ["n2"], "n1", "highest victim priority", id="highest priority"
        ),
        pytest.param([on("n1", 5, 5), on("n2", 5, 3)], ["n2"], "n1", "sum of victim priorities", id="sum"),
        pytest.param(
            [on("n1", -5, -5), on("n2", -5)], ["n2"], "n1", "sum of victim priorities", id="sum, negative"
        ),
        pytest.param(
            [on("n1", (5, EARLY)), on("n2", (5, LATE))],
            ["n2"],
            "n1",
            START,
            id="the latest start",
        ),
        pytest.param(
            [on("n1", (5, LATE)), on("n2", (5, None))],
            ["n2"],
            "n1",
            START,
            id="no start is now",
        ),
        pytest.param(
            [on("n1", (5, EARLY), (1, LATER)), on("n2", (5, LATE), (1, EARLY))],
            ["n2"],
            "n1",
            START,
            id="the start of the highest priority alone",
        ),
        pytest.param([on("n1", 5), on("n2", 5)], ["n1", "n2"], None, None, id="equal"),
        pytest.param(
            [on("n1", (5, None)), on("n2", (5, None))], ["n1", "n2"], None, None, id="equal without starts"
        ),
    ],
)
def test_choice(worlds, winners, loser, criterion):
    decision = decide(session(*worlds), pod("p", cpu="4", priority=10))
    assert chosen(decision) == winners
    assert decision.cluster.nodes.names[decision.preemption.nominated] == winners[0]
    assert lost_by(decision) == ({} if loser is None else {loser: criterion})


def test_fewer_violations_come_before_everything():
    low, high = (
        pod("low", "n1", cpu="4", priority=1, labels={"app": "db"}),
        pod("high", "n2", cpu="4", priority=9),
    )
    asked = session(node("n1"), node("n2"), low, high, budget("b", 0, selector=DB))
    decision = decide(asked, pod("p", cpu="4", priority=10))
    assert chosen(decision) == ["n2"]
    assert lost_by(decision) == {"n1": "PDB violations"}


# Around it -------------------------------------------------------------------------------------------------


def test_a_rejection_of_the_pod_as_a_whole_is_hopeless():
    """PreFilter ended before DynamicResources prepared anything: its PostFilter then fails, and nothing is tried."""
    conflict = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("n1", "n2")]
    terms = {"nodeSelectorTerms": [{"matchFields": conflict}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    decision = decide(session(full("n1", 1)), pod("p", priority=10, affinity=affinity))
    assert decision.event == "0/1 nodes are available: pod affinity terms conflict. not found"


def test_without_default_preemption_nothing_is_said():
    config = profile(plugins={"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}})
    decision = decide(session(full("n1", 1), config=config), pod("p", cpu="1", priority=10))
    assert decision.preemption is None
    assert decision.event.endswith("no new claims to deallocate")


def test_only_pods_of_the_node_are_removed():
    """The zone is full of matching pods on both nodes: each node alone cannot help."""
    spread = {
        "topologyKey": ZONE,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "db"}},
    }
    nodes = [node("a1", "A"), node("a2", "A"), node("b1", "B", cordoned=True)]
    pods = [pod(f"d{i}", on, priority=1, labels={"app": "db"}) for i, on in enumerate(["a1", "a2"])]
    candidate = pod("p", priority=10, labels={"app": "db"}, topologySpreadConstraints=[spread])
    decision = decide(session(nodes, pods), candidate)
    assert victims(decision) == {}
