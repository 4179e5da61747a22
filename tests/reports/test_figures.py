"""Pictures of reports: what each shows of what the report says."""

import json
from pathlib import Path

import msgspec
import pytest
from builders import node, pod

from commands import main
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.compare.figures import figures as compare_figures
from kschedctl.reports.compare.model import SideBySide
from kschedctl.reports.drain.figures import figures as drain_figures
from kschedctl.reports.drain.model import Drain
from kschedctl.reports.explain.figures import figures as explain_figures
from kschedctl.reports.explain.group_figures import group_panels
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.figures import Bars, BranchTree, Curves, NodeGrid, StackedBars
from kschedctl.reports.preempt.figures import figures as preempt_figures
from kschedctl.reports.preempt.model import Preemption
from kschedctl.reports.simulate.figures import figures as simulate_figures
from kschedctl.reports.simulate.lanes import queue_figures, run_figures
from kschedctl.reports.simulate.model import QueueReport, QueueSample, Simulation, TimelineEvent
from kschedctl.reports.tone import Tone

OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet"}
QUICK, SHOP = "fixtures/quickstart", "fixtures/release-shop/cluster.yaml"


@pytest.fixture
def report(capsys, monkeypatch):
    """A function that asks a verb and returns the report of a type."""
    monkeypatch.chdir(Path(__file__).parents[2])

    def asked(kind, *command):
        with pytest.raises(SystemExit):
            main.run((*command, "-o", "json"))
        return msgspec.convert(json.loads(capsys.readouterr().out), kind)

    return asked


def of(kind, found):
    (one,) = (figure for figure in found if isinstance(figure, kind))
    return one


def event(at, what, pod, **facts):
    return TimelineEvent(
        at=at,
        event=what,
        pod=pod,
        node=facts.get("node"),
        message=facts.get("message", ""),
        plugins=[],
        queue=facts.get("queue", ""),
        by=facts.get("by", ""),
    )


RUN = [
    event(0, "Queued", "a", queue="Active"),
    event(
        0,
        "FailedScheduling",
        "a",
        queue="Unschedulable",
        message="0/3 nodes are available: 3 Insufficient cpu. x",
    ),
    event(0, "Preempted", "v", by="a"),
    event(0, "Queued", "b", queue="Active"),
    event(0, "Scheduled", "b", node="n2"),
    event(30, "Gone", "v"),
    event(30, "Queued", "a", queue="Backoff", by="AssignedPodDelete"),
    event(35, "Scheduled", "a", node="n1"),
]


def test_a_lane_is_in_the_states_that_the_events_leave_its_pod_in():
    lanes, _ = run_figures(RUN, 50)
    told = {
        lane.label: [(span.start, span.end, lanes.states[span.state][0]) for span in lane.spans]
        for lane in lanes.lanes
    }
    assert told == {
        "a": [
            (0, 30, "waits for something to change"),
            (30, 35, "backs off"),
            (35, 53, "on its node"),
        ],
        "v": [(0, 30, "terminates")],
    }
    assert lanes.lanes[0].told == [
        (0, "finds no node: 0/3 nodes are available: 3 Insufficient cpu"),
        (30, "tried again: v is gone"),
        (35, "bound to n1"),
    ]
    assert lanes.note.startswith("1 more pod:")


def test_a_pod_that_takes_the_name_of_one_that_is_gone_goes_on_in_its_lane():
    story = [
        event(0, "Scheduled", "db-0", node="n1"),
        event(30, "Gone", "db-0"),
        event(30, "Queued", "db-0", queue="Active", by="UnscheduledPodAdd"),
        event(40, "Scheduled", "db-0", node="n2"),
    ]
    (lanes,) = run_figures(story, 50)

    assert lanes.lanes[0].told == [(0, "bound to n1"), (30, "gone"), (30, "made anew"), (40, "bound to n2")]


def test_the_queue_is_as_long_as_many_pods_wait():
    _, queue = run_figures(RUN, 50)
    assert {curve.label: curve.points for curve in queue.curves} == {
        "waits for something to change": [(0.0, 1.0), (30, 0.0)],
        "backs off": [(0.0, 0.0), (30, 1.0), (35, 0.0)],
    }


def test_who_still_waits_in_the_end_is_counted_there():
    _, queue = run_figures(RUN[:3], 50)
    assert queue.curves[0].points[-1] == (0.0, 1.0)


def test_a_run_in_which_nobody_waits_has_no_picture():
    assert run_figures(RUN[3:5], 50) == []
    assert run_figures([], 0) == []


def test_a_replay_tells_how_long_the_queue_was():
    samples = [
        QueueSample(at=0, backoff=0, unschedulable=2, gated=0),
        QueueSample(at=9, backoff=1, unschedulable=1, gated=0),
    ]
    replay = QueueReport(
        seconds=20, arrived=2, attempts=3, waits=[], lengths=samples, most_backing_off=1, most_unschedulable=2,
        waiting=[], to_come=0,
    )  # fmt: skip
    (found,) = queue_figures(replay)
    assert [(curve.label, curve.points) for curve in found.curves] == [
        ("waits for something to change", [(0, 2), (9, 1)]),
        ("backs off", [(0, 0), (9, 1)]),
    ]


def test_an_explanation_colours_nodes_and_tells_why_one_beats_the_next(report):
    found = explain_figures(
        report(Explanation, "explain", f"{QUICK}/pod.yaml", "-c", f"{QUICK}/cluster.yaml"), IN_TREE, None
    )
    grid = of(NodeGrid, found)
    verdict, first = grid.colourings
    assert verdict.of["worker-5"] == 0
    assert verdict.kinds[verdict.of["worker-6"]] == ("refused", False)
    assert first.kinds[first.of["worker-6"]] == ("node(s) were unschedulable", False)
    assert "worker-5" not in first.of
    versus, domains = (figure for figure in found if isinstance(figure, Bars))
    assert [(bar.label, bar.value, bar.tone) for bar in versus.bars] == [
        ("Taint", 300, Tone.YES),
        ("Fit", -37, Tone.NO),
    ]
    assert [(bar.label, bar.value, bar.tone) for bar in domains.bars] == [
        ("eu-1c", 0, Tone.YES),
        ("eu-1b", 1, Tone.NO),
        ("eu-1a", 3, Tone.NO),
    ]


def test_what_is_free_is_set_against_what_is_needed(report):
    found = explain_figures(
        report(Explanation, "explain", f"{QUICK}/trainer.yaml", "-c", f"{QUICK}/cluster.yaml"), IN_TREE, None
    )
    cpu, memory = (figure for figure in found if isinstance(figure, Curves))
    assert (cpu.resource, memory.resource) == ("cpu", "memory")
    free, needed = cpu.curves
    assert needed.points == [(0, 7000)]
    assert [amount for _, amount in free.points] == sorted(
        (amount for _, amount in free.points), reverse=True
    )
    assert cpu.end == 9  # one of the ten is cordoned


def test_a_preemption_is_a_tree_of_who_evicts_whom(report):
    cascade = "fixtures/preempt-cascade"
    found = preempt_figures(
        report(Preemption, "preempt", f"{cascade}/pod.yaml", "-c", f"{cascade}/cluster.yaml"),
        group_is_told=False,
    )
    (root,) = of(BranchTree, found).branches
    assert (root.label, root.told, root.tone) == ("default/trainer", "gets a", Tone.YES)
    web = root.below[0]
    assert web.told == "priority 100, leaves a, breaks a budget; gets b by evicting 1 pod"
    assert [one.label for one in web.below] == ["default/api-x1"]
    assert [one.label for one in web.below[0].below] == ["default/batch"]


def test_a_comparison_tells_which_nodes_gain_and_lose_pods(report):
    shop = ("fixtures/release-shop/manifests", "-c", SHOP)
    bars, grid = compare_figures(report(SideBySide, "compare", *shop, "--drain", "w1"))
    assert bars.bars == [("now", [10, 1]), ("changed", [9, 4])]
    groups = {group.label: (group.good, dict(group.nodes)) for group in grid.groups}
    assert list(groups["loses pods"][1]) == ["w1"]
    good, nodes = groups["gains and loses"]
    assert good
    assert "shop/db-0; loses " in nodes["w2"]


def test_a_comparison_of_equals_has_no_nodes(report):
    shop = ("fixtures/release-shop/manifests", "-c", SHOP)
    assert len(compare_figures(report(SideBySide, "compare", *shop, "--to-version", "1.37"))) == 1


def test_a_drain_is_a_tree_of_nodes_pods_and_whom_they_evict(report):
    found = drain_figures(report(Drain, "drain", "w3", "-c", SHOP))
    (node,) = of(BranchTree, found).branches
    assert (node.label, node.told) == ("w3", "2 pods leave")
    pods = {pod.label: pod for pod in node.below}
    assert pods["shop/web-6d4b8f-ddddd"].told == "wave 1: w4"
    assert [(one.label, one.told) for one in pods["shop/db-1"].below] == [
        ("shop/report-nnnnn", "evicted from w4, goes to w6")
    ]


@pytest.mark.parametrize(
    ("manifest", "options", "told"),
    [
        pytest.param(
            "too-big.yaml",
            ("--kubernetes-version", "1.37"),
            [("on nodes", Tone.MIXED, False, ["b2"]), ("without a node", Tone.NO, False, 3)],
            id="in part",
        ),
        pytest.param(
            "fits.yaml",
            ("--kubernetes-version", "1.37"),
            [("on nodes", Tone.YES, True, ["a1", "b1", "b2"])],
            id="on any nodes",
        ),
        pytest.param(
            "racks.yaml",
            ("--kubernetes-version", "1.37", "--feature-gates", "TopologyAwareWorkloadScheduling=true"),
            [("rack=a", Tone.NO, False, []), ("rack=b", Tone.YES, True, ["b1", "b2"])],
            id="in one rack",
        ),
    ],
)
def test_a_group_is_shown_with_its_placements(report, manifest, options, told):
    """Each panel with the nodes in it; of members without a node how many there are."""
    gang = ("explain", f"fixtures/gang/{manifest}", "-c", "fixtures/gang/cluster.yaml", *options)
    group = msgspec.convert(report(dict, *gang)["items"][0], Explanation).group
    (found,) = group_panels(group)
    shown = [
        (
            panel.title,
            panel.tone,
            panel.chosen,
            sum(len(names) for _, names in panel.entries)
            if panel.title == "without a node"
            else [node for node, _ in panel.entries],
        )
        for panel in found.panels
    ]
    assert shown == told


MANY = [
    *(node(f"n{at}", f"zone-{at}", cpu="2") for at in range(60)),
    *(
        pod(f"w{at}", f"n{at}", cpu="1", labels={"app": "web"}, owner=OWNER | {"name": f"w{at}"})
        for at in range(20)
    ),
]


@pytest.fixture
def many(tmp_path):
    """A cluster of many nodes and workloads, and manifests of many pods of which some find no node."""
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    pods = [pod(f"p{at}", cpu="3" if at > 95 else "500m") for at in range(100)]
    pods.append(pod("spread", labels={"app": "web"}, topologySpreadConstraints=[spread]))
    for name, objects in (("cluster.json", MANY), ("pods.json", pods[:-1]), ("spread.json", pods[-1:])):
        (tmp_path / name).write_text("\n".join(map(json.dumps, objects)))
    return tmp_path


def test_of_many_workloads_those_are_shown_that_fare_worst(report, many):
    found = report(Simulation, "simulate", "-f", f"{many}/pods.json", "-c", f"{many}/cluster.json")
    bars = of(StackedBars, simulate_figures(found))
    assert bars.title == "pods by workload; 70 more workloads not shown"
    assert len(bars.bars) == 30
    assert [sum(parts[1:]) for _, parts in bars.bars[:5]] == [1, 1, 1, 1, 0]


def test_of_many_domains_the_first_are_shown(report, many):
    found = report(Explanation, "explain", f"{many}/spread.json", "-c", f"{many}/cluster.json")
    domains = [one for one in explain_figures(found, IN_TREE, None) if isinstance(one, Bars)][-1]
    assert len(domains.bars) == 40
    assert domains.title.endswith("; 20 more domains not shown")


def test_of_many_workloads_in_a_wave_the_small_ones_stand_together(report, many):
    nodes = [f"n{at}" for at in range(20)]
    found = report(Drain, "drain", *nodes, "-c", f"{many}/cluster.json", "--force")
    bars = of(StackedBars, drain_figures(found))
    assert bars.parts[-1] == "11 other workloads"
    assert [sum(parts) for _, parts in bars.bars] == [20]
