"""What extenders change in a decision (spec 01 §11, 08 §4)."""

import pytest
from builders import column, decide, enter, feasible, node, pod, rejections, session
from extender_builders import URL, Answers, extender, names, with_extenders

from kschedctl.extenders.call import CallError, Reply
from kschedctl.framework.status import Code
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.effects import evict_and_retry, place
from kschedctl.scheduling.options import Sampling, TieBreak
from kschedctl.whatif.capacity.filling import Supply, fill

NODES = [node("n1"), node("n2"), node("n3")]
FAILS = Reply(500, b"")
CODE_500 = f"failed filter with extender at URL {URL}/filter, code 500"


def decision_of(answers, *extenders, objects=NODES, candidate=None, **options):
    config = with_extenders(*(extenders or [extender()]))
    transport = answers if isinstance(answers, Answers) else Answers(answers)
    asked = session(objects, config=config, transport=transport, **options)
    return decide(asked, candidate or pod("a", cpu="1"))


def order_of(decision):
    return [decision.cluster.nodes.names[row] for row in decision.feasible.tolist()]


def test_the_order_of_a_reply_is_that_of_the_feasible_nodes():
    assert order_of(decision_of({"filter": names("n3", "n1")})) == ["n3", "n1"]


def test_nodes_that_fail_are_told_and_dropped_ones_are_not():
    reply = names(FailedNodes={"n1": "busy"}, FailedAndUnresolvableNodes={"n2": "never"})
    decision = decision_of({"filter": reply}, preemption=False)
    assert decision.event == "0/3 nodes are available: 1 busy, 1 never."
    assert rejections(decision) == {
        "n1": "Unschedulable : busy",
        "n2": "UnschedulableAndUnresolvable : never",
    }


def test_a_node_that_is_failed_and_kept_stays_feasible():
    decision = decision_of({"filter": names("n1", FailedNodes={"n1": "but"})})
    assert (feasible(decision), decision.outcome) == (["n1"], Outcome.SCHEDULED)


def test_each_extender_is_asked_about_what_the_one_before_left():
    answers = Answers({"http://one filter": names("n2", "n1"), "http://two filter": names("n2")})
    decision = decision_of(answers, extender("http://one"), extender("http://two"))
    asked = [(call.url, call.request["NodeNames"]) for call in answers.calls if call.verb == "filter"]
    assert asked == [("http://one/filter", ["n1", "n2", "n3"]), ("http://two/filter", ["n2", "n1"])]
    assert feasible(decision) == ["n2"]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(FAILS, CODE_500, id="code"),
        pytest.param(Reply(204, b""), CODE_500.replace("500", "204"), id="no content"),
        pytest.param({"Error": "no license"}, "no license", id="error of its own"),
        pytest.param(b"", "EOF", id="nothing"),
        pytest.param(b'{"NodeNames": [', "unexpected EOF", id="cut"),
        pytest.param(
            b"[]",
            "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult",
            id="another type",
        ),
        pytest.param(b"[" * 10**6, "exceeded max depth", id="too deep"),
        pytest.param(CallError("refused"), "refused", id="no reply"),
        pytest.param(
            names("n9"),
            f'extender "{URL}" claims a filtered node "n9" which is not found in the input node list',
            id="a node that it was not asked about",
        ),
    ],
)
def test_a_filter_without_an_answer_fails_the_cycle(reply, message):
    decision = decision_of({"filter": reply})
    assert (decision.outcome, decision.message) == (Outcome.ERROR, message)


def test_an_ignorable_extender_that_fails_is_passed_over():
    decision = decision_of({"filter": FAILS}, extender(ignorable=True))
    assert feasible(decision) == ["n1", "n2", "n3"]


@pytest.mark.parametrize("reply", [{}, b"null", {"Nodes": None}, {"nodenames": []}])
def test_a_reply_without_nodes_leaves_none(reply):
    decision = decision_of({"filter": reply}, preemption=False)
    assert (decision.outcome, decision.event) == (Outcome.UNSCHEDULABLE, "0/3 nodes are available:")


def test_keys_of_a_reply_may_be_in_any_case():
    assert feasible(decision_of({"filter": {"nodenames": ["n2"]}})) == ["n2"]


def test_scores_count_by_weight_and_tenfold():
    scores = [{"Host": "n2", "Score": 7}, {"Host": "n9", "Score": 10}]
    decision = decision_of({"prioritize": scores}, extender(weight=3))
    assert column(decision, URL, "weighted") == {"n1": 0, "n2": 210, "n3": 0}
    assert decision.selected_node == "n2"
    assert decision.scores.columns[-1].scored.tolist() == [False, True, False]


def test_a_node_that_is_sent_back_twice_is_one_node():
    answers = {
        "filter": names("n2", "n2", "n1"),
        "prioritize": [{"Host": "n2", "Score": 3}, {"Host": "n2", "Score": 1}],
    }
    decision = decision_of(answers)
    assert (decision.ties, decision.selected_node) == ((1,), "n2")
    assert column(decision, URL) == {"n1": 0, "n2": 40}


def test_a_score_without_an_answer_counts_nothing():
    decision = decision_of({"prioritize": FAILS})
    assert (column(decision, URL), decision.selected_node) == (None, "n1")


@pytest.mark.parametrize(
    ("managed", "calls"),
    [
        pytest.param([], 2, id="looks after all"),
        pytest.param([{"name": "example.com/dev"}], 2, id="looks after the pod"),
        pytest.param([{"name": "example.com/other"}], 0, id="looks after others"),
    ],
)
def test_an_extender_is_asked_for_pods_with_its_resources(managed, calls):
    answers = Answers({})
    objects = [node(name, more={"example.com/dev": "1"}) for name in ("n1", "n2")]
    candidate = pod("a", more={"example.com/dev": "1"})
    decision_of(answers, extender(managedResources=managed), objects=objects, candidate=candidate)
    assert len(answers.calls) == calls


@pytest.mark.parametrize(
    ("by_name", "scores"),
    [
        pytest.param(True, {"n1": 22, "n2": 72}, id="by name"),
        pytest.param(False, {"n1": 72, "n2": 72}, id="by object: nothing is known of what runs there"),
    ],
)
def test_nodes_that_come_back_as_objects_are_scored_empty(by_name, scores):
    objects = [node("n1"), node("n2"), pod("b", "n1", cpu="2", memory="4Gi")]
    candidate = pod("a", cpu="1", memory="2516582400")
    decision = decision_of({}, extender(nodeCacheCapable=by_name), objects=objects, candidate=candidate)
    assert column(decision, "NodeResourcesFit") == scores


def test_nodes_are_scored_as_they_come_back():
    items = [
        {"metadata": {"name": "n1"}},
        {"metadata": {"name": "n2"}, "status": {"allocatable": {"cpu": "2"}}},
    ]
    decision = decision_of({"filter": {"Nodes": {"items": items}}}, extender(nodeCacheCapable=False))
    assert column(decision, "NodeResourcesFit") == {"n1": 0, "n2": 50}
    assert decision.cluster.nodes.objects[0].status.allocatable["cpu"] == "4"


def sent_back(*items):
    """A reply to `filter` by objects."""
    return {"filter": {"Nodes": {"items": [{"metadata": {"name": name}} for name in items]}}}


def made_up_decision(answers, *, objects=NODES, **pod_fields):
    candidate = pod("a", cpu="1", **pod_fields)
    return decision_of(answers, extender(nodeCacheCapable=False), objects=objects, candidate=candidate)


def test_a_node_that_an_extender_makes_up_is_an_empty_one():
    answers = sent_back("n9", "n2", "n8") | {"prioritize": [{"Host": "n8", "Score": 9}]}
    decision = made_up_decision(answers)
    assert feasible(decision) == ["n2", "n8", "n9"]
    assert column(decision, URL) == {"n2": 0, "n8": 90, "n9": 0}
    assert (decision.outcome, decision.selected_node) == (Outcome.SCHEDULED, "n8")
    assert decision.made_up == {"n9": URL, "n8": URL}
    assert decision.cluster.nodes.count == 3


def test_a_node_that_one_extender_makes_up_is_what_the_next_one_is_asked_about():
    one, two = extender("http://one", nodeCacheCapable=False), extender("http://two", nodeCacheCapable=False)
    answers = Answers(
        {"http://one filter": sent_back("n9", "n1")["filter"], "http://two filter": sent_back("n1")["filter"]}
    )
    decision = decision_of(answers, one, two)
    asked = [item["metadata"]["name"] for item in answers.calls[1].request["Nodes"]["items"]]
    assert (asked, feasible(decision), decision.made_up) == (["n9", "n1"], ["n1"], {})


def test_a_pod_is_not_placed_on_a_node_that_is_made_up():
    decision = made_up_decision(sent_back("n9"))
    refused = place(decision)
    assert (refused.code, decision.takes_made_up) == (Code.ERROR, True)
    assert refused.message == (
        f'extender "{URL}" sent back a node "n9" that the cluster does not have; '
        "kube-scheduler would bind the pod to it, where it cannot run"
    )


def test_pods_of_a_node_that_came_back_do_not_count_for_its_hostname():
    constraint = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": "a"}},
    }
    objects = [node("n1"), node("n2"), pod("b", "n1", labels={"app": "a"})]
    candidate = pod("a", cpu="1", topologySpreadConstraints=[constraint])
    scores = {
        by_name: column(
            decision_of({}, extender(nodeCacheCapable=by_name), objects=objects, candidate=candidate),
            "PodTopologySpread",
        )
        for by_name in (True, False)
    }
    assert scores == {True: {"n1": 0, "n2": 100}, False: {"n1": 100, "n2": 100}}


def test_ties_fall_to_the_first_by_name_where_an_extender_is_interested():
    assert decision_of({"filter": names("n3", "n2")}, tie_break=TieBreak.UPSTREAM).selected_node == "n2"


def test_a_nominated_node_is_asked_about_alone_first():
    answers = Answers({})
    candidate = pod("a", cpu="1", nominated="n2")
    decision = decision_of(answers, candidate=candidate, sampling=Sampling.UPSTREAM, score_single=False)
    assert [call.request["NodeNames"] for call in answers.calls] == [["n2"]]
    assert decision.selected_node == "n2"


PREEMPTOR = pod("a", cpu="4", priority=10)
FULL = [node("n1"), node("n2"), *(pod(f"v{i}", f"n{i}", cpu="4", priority=i) for i in (1, 2))]


def preemption_of(reply, **fields):
    answers = Answers({"preempt": reply})
    decision = decision_of(answers, extender(**fields), objects=FULL, candidate=PREEMPTOR)
    return decision, answers.calls[-1].request


def victims(*uids, violations=0):
    return {"Pods": [{"UID": uid} for uid in uids], "NumPDBViolations": violations}


def test_candidates_are_sent_by_uid():
    decision, request = preemption_of(None)
    sent = {"n1": victims("default/v1"), "n2": victims("default/v2")}
    assert (request["NodeNameToMetaVictims"], request["NodeNameToVictims"]) == (sent, None)
    assert decision.preemption.nominated == 0


def test_candidates_are_sent_as_pods():
    _, request = preemption_of({}, nodeCacheCapable=False)
    pods = request["NodeNameToVictims"]["n1"]["Pods"]
    assert [(one["metadata"]["name"], one["spec"]["nodeName"]) for one in pods] == [("v1", "n1")]


def test_the_victims_of_the_reply_count():
    reply = {
        "NodeNameToMetaVictims": {"n1": victims("default/v1", violations=2), "n2": victims("default/v2")}
    }
    decision, _ = preemption_of(reply)
    assert decision.preemption.candidates[0].violations == 2
    assert decision.preemption.nominated == 1


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        pytest.param(
            {}, "no new claims to deallocate, preemption: no candidate node for preemption", id="none"
        ),
        pytest.param(
            {"NodeNameToMetaVictims": {"n1": victims()}},
            'preemption: expected at least one victim pod on node "n1"',
            id="no victims",
        ),
        pytest.param(
            {"NodeNameToMetaVictims": {"n1": victims("u")}},
            f"preemption: extender: {URL} claims to preempt pod (UID: &{{u}}) on node: n1, "
            "but the pod is not found on that node",
            id="a pod that is not there",
        ),
        pytest.param(
            {"NodeNameToMetaVictims": {"n9": victims("u")}},
            'preemption: nodeinfo not found for node name "n9"',
            id="a node that is not there",
        ),
        pytest.param(
            {"NodeNameToMetaVictims": {"n1": victims("default/v1", violations=2**63)}},
            "preemption: json: cannot unmarshal number into Go struct field MetaVictims.NumPDBViolations "
            "of type int64",
            id="a number out of range",
        ),
        pytest.param(
            FAILS, f"preemption: failed preempt with extender at URL {URL}/preempt, code 500", id="code"
        ),
    ],
)
def test_a_preemption_that_an_extender_ends(reply, ending):
    decision, _ = preemption_of(reply)
    assert decision.event == f"0/2 nodes are available: 2 Insufficient cpu. {ending}"
    assert decision.keeps_nomination


def test_a_victim_that_is_named_twice_goes_once():
    reply = {"NodeNameToMetaVictims": {"n1": victims("default/v1", "default/v1")}}
    config, transport = with_extenders(extender()), Answers({"preempt": reply})
    asked = session(FULL, config=config, transport=transport)
    decision = decide(asked, PREEMPTOR)
    assert decision.preemption.candidates[0].victims == (0, 0)
    assert evict_and_retry(asked.scheduler, decision).selected_node == "n1"


def test_an_ignorable_extender_does_not_end_a_preemption():
    decision, _ = preemption_of(FAILS, ignorable=True)
    assert decision.preemption.nominated == 0


def test_a_cluster_is_not_filled_past_an_extender():
    objects = [node("n1", cpu="2"), node("n2", cpu="2")]
    answers = Answers({"filter": names("n2")})
    asked = session(objects, config=with_extenders(extender()), transport=answers)
    supply = Supply(share=1, model=enter(asked, pod("a", cpu="1")).pod)
    filled = fill(asked, [supply], 100, None)
    assert (filled.sets, filled.by_node) == (2, {"n2": [2]})
    assert filled.message.startswith('extender "http://x.example/sched" claims')
