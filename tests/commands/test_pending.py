"""`explain` and `preempt` without a pod: all that is pending, equal pods together."""

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import networkx as nx
import pytest
import yaml
from builders import node, pod

from kschedctl.dra import search
from kschedctl.questions.preempt import preempt_question

STORED = Path(__file__).parent / "golden"
VERBS = ["explain", "preempt"]
WEB = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}


def web(number, **fields):
    return pod(f"web-{number}", labels={"app": "web"}, owner=WEB, **{"cpu": "3", **fields})


NODES = [node("n1", cpu="2"), node("n2", cpu="2"), node("n3", taints=["dedicated=gpu:NoSchedule"])]
LOW = pod("low", "n1", cpu="2", priority=-10)
SMALL = [pod(f"small-{i}", cpu="100m") for i in (1, 2, 3)]
LARGE = [web(i) for i in range(1, 7)]
GATED = pod("gated", schedulingGates=[{"name": "wait"}])
EAGER = [
    pod(f"eager-{i}", cpu="2", priority=7, nodeSelector={"kubernetes.io/hostname": "n1"}) for i in (1, 2)
]
MIXED = [*NODES, LOW, *SMALL, *LARGE, GATED, *EAGER]


@pytest.fixture
def asked(run, tmp_path, monkeypatch):
    """Runs a verb in a cluster of some objects."""
    monkeypatch.chdir(tmp_path)

    def asked_in(objects, *arguments):
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
        return run(*arguments, "-c", "cluster.yaml")

    return asked_in


def items(done):
    report = json.loads(done.out)
    return report["items"] if report["kind"] == "List" else [report]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("output", ["table", "wide", "markdown", "name"])
def test_the_answers_are_printed_as_stored(asked, golden, verb, output):
    done = asked(MIXED, verb, "-o", output)
    assert (done.code, done.err) == (1, "")
    golden(STORED / f"{verb}-pending-{output}.txt", done.out)


@pytest.mark.parametrize("verb", VERBS)
def test_every_pod_is_told_once(asked, verb):
    told = [
        [item["pod"]["name"], *item["pod"]["equalPods"]] for item in items(asked(MIXED, verb, "-o", "json"))
    ]
    assert told == [
        ["eager-1", "eager-2"],
        ["gated"],
        ["small-1", "small-2", "small-3"],
        [f"web-{i}" for i in range(1, 7)],
    ]


def without_name(report):
    """A report as it would be about a pod of another name, and without the room that is told of one pod alone."""
    text = json.dumps(report).replace(report["pod"]["name"], "POD")
    return json.loads(text) | {"pod": None, "rooms": []}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("drawn", [(), ("--tie-break", "random"), ("--sampling", "upstream")], ids=" ".join)
@pytest.mark.parametrize("version", ["1.36", "1.34"])
def test_each_pod_alone_would_be_told_the_same(asked, verb, drawn, version):
    options = ("-o", "json", *drawn, "--kubernetes-version", version)
    for item in items(asked(MIXED, verb, *options)):
        for name in [item["pod"]["name"], *item["pod"]["equalPods"]]:
            (alone,) = items(asked(MIXED, verb, f"pod/{name}", *options))
            assert without_name(alone) == without_name(item)


@pytest.mark.parametrize("verb", VERBS)
def test_one_group_is_one_object(asked, verb):
    (report,) = items(asked([*NODES, *SMALL], verb, "-o", "json"))
    assert report["pod"]["equalPods"] == ["small-2", "small-3"]
    done = asked([*NODES, *SMALL], verb)
    assert done.out.startswith("✓ default/small-1 and 2 equal pods each ")
    assert "small-2 and small-3, each asked about alone" in done.out


def test_ties_are_the_same_for_all_and_drawn_for_each_by_its_name(asked):
    many = [node(f"n{i}") for i in range(8)] + [pod(f"p-{i}", cpu="1") for i in range(12)]
    (together,) = items(asked(many, "explain", "-o", "json"))
    assert len(together["ties"]["nodes"]) == 8
    drawn = items(asked(many, "explain", "-o", "json", "--tie-break", "random"))
    assert [item["pod"]["equalPods"] for item in drawn] == [[]] * 12
    assert len({item["selectedNode"] for item in drawn}) > 1


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("quiet", [(), ("-q",)], ids=["whole", "quiet"])
@pytest.mark.parametrize("output", ["json", "yaml"])
def test_reports_are_valid_by_their_schemas(asked, verb, quiet, output):
    done = asked(MIXED, verb, "-o", output, *quiet)
    name = {"explain": "explanation", "preempt": "preemption"}[verb]
    schema = json.loads(files("kschedctl.reports").joinpath("schemas", f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(done.out))


def test_quiet_json_leaves_out_what_is_told_node_by_node(asked):
    whole, brief = (items(asked(MIXED, "explain", "-o", "json", *more)) for more in ((), ("-q",)))
    assert [len(item["nodes"]) for item in whole] == [3, 0, 3, 3]
    for item in whole:
        item["nodes"] = []
        if item["preemption"]:
            item["preemption"] |= {"candidates": [], "failed": []}
    assert brief == whole


@pytest.mark.parametrize("output", ["table", "json", "name"])
@pytest.mark.parametrize(
    ("pods", "explain", "preempt"),
    [
        pytest.param([*SMALL, pod("other")], 0, 0, id="all are placed"),
        pytest.param([*SMALL, *EAGER], 1, 0, id="some by evicting others"),
        pytest.param([*SMALL, *LARGE], 1, 1, id="some nowhere"),
        pytest.param([*SMALL, GATED], 1, 1, id="one is gated"),
    ],
)
def test_exit_codes(asked, pods, explain, preempt, output):
    assert asked([*NODES, LOW, *pods], "explain", "-o", output).code == explain
    assert asked([*NODES, LOW, *pods], "preempt", "-o", output).code == preempt


@pytest.mark.parametrize("verb", VERBS)
def test_caveats_of_any_answer_count(asked, verb):
    selector = {"namespaceSelector": {"matchLabels": {"a": "b"}}, "labelSelector": {}, "topologyKey": "x"}
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [selector]}}
    done = asked([*NODES, *SMALL, pod("near", affinity=near)], verb, "--strict-caveats")
    assert done.code == 2
    assert "the answer may be wrong" in done.err


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("output", ["table", "json"])
def test_nothing_is_printed_where_one_answer_cannot_be_given(asked, monkeypatch, verb, output):
    monkeypatch.setattr(search, "MAX_STEPS", 0)  # so small a search stands for one that does not end
    resource = {"apiVersion": "resource.k8s.io/v1"}
    request = {"name": "r", "exactly": {"deviceClassName": "x"}}
    objects = [
        resource | {"kind": "DeviceClass", "metadata": {"name": "x"}, "spec": {}},
        resource
        | {
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {
                "driver": "d",
                "allNodes": True,
                "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "one"}],
            },
        },
        resource
        | {
            "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "default"},
            "spec": {"devices": {"requests": [request]}},
        },
    ]
    last = pod("last", resourceClaims=[{"name": "gpu", "resourceClaimName": "c"}])
    done = asked([*NODES, *objects, *SMALL, last], verb, "-o", output)
    assert (done.code, done.out) == (2, "")
    assert "does not end" in done.err


@pytest.mark.parametrize("verb", VERBS)
def test_namespaces(asked, verb):
    elsewhere = [pod(f"shop-{i}", namespace="shop") for i in (1, 2)]
    (item,) = items(asked([*NODES, *SMALL, *elsewhere], verb, "-n", "shop", "-o", "json"))
    assert (item["pod"]["name"], item["pod"]["equalPods"]) == ("shop-1", ["shop-2"])


@pytest.mark.parametrize("verb", VERBS)
def test_a_namespace_that_is_empty_is_none(asked, verb):
    elsewhere = [pod(f"shop-{i}", namespace="shop") for i in (1, 2)]
    everything = asked([*NODES, *SMALL, *elsewhere], verb, "-o", "json")

    assert asked([*NODES, *SMALL, *elsewhere], verb, "-o", "json", "-n", "") == everything


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("namespace", "message"),
    [
        (
            "prod",
            "error: no pod of namespace prod is pending\nhint: Pass a file with a pod, or pod/NAME. Some are in shop.",
        ),
        ("A b", "'A b' is no name of a namespace"),
    ],
)
def test_a_namespace_without_pending_pods(asked, verb, namespace, message):
    done = asked([*NODES, pod("shop-1", namespace="shop")], verb, "-n", namespace)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def wrote(data, message):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return data | {"status": {"conditions": [condition]}} if message else data


OURS = (
    "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, "
    "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("messages", "first", "told"),
    [
        pytest.param([OURS, OURS], "web-1", "wrote the same about these pods.", id="the same about all"),
        pytest.param(
            [OURS, "0/9 nodes are available: 9 Insufficient cpu.", ""],
            "web-1",
            "wrote the same about web-1. It wrote something else about web-2.",
            id="other words about one",
        ),
        pytest.param(["", OURS], "web-2", "wrote the same about these pods.", id="nothing yet about one"),
    ],
)
def test_what_kube_scheduler_wrote_about_equal_pods(asked, messages, first, told):
    pods = [wrote(web(i), message) for i, message in enumerate(messages, start=1)]
    in_its_words = ("--kubernetes-version", "1.36")
    done = asked([*NODES, *pods], "explain", *in_its_words)
    assert told in " ".join(done.out.split())
    (item,) = items(asked([*NODES, *pods], "explain", "-o", "json", *in_its_words))
    assert item["pod"]["name"] == first
    assert len(item["pod"]["equalPods"]) == len(messages) - 1


def test_graph_of_the_first_of_equal_pods(asked, tmp_path):
    assert asked([*NODES, LOW, *EAGER, *SMALL], "preempt", "--graph", "g.graphml").code == 0
    graph = nx.read_graphml(tmp_path / "g.graphml", force_multigraph=True)
    assert graph.nodes["pod/default/eager-1"]["label"] == "default/eager-1 and 1 equal pod"
    assert "pod/default/eager-2" not in graph


def test_a_graph_asks_about_no_pod_twice(asked, monkeypatch, tmp_path):
    made = []

    def counted(one, **options):
        made.append(one.pod.name)
        return preempt_question(one, **options)

    monkeypatch.setattr("kschedctl.questions.preempt.preempt_question", counted)
    done = asked(MIXED, "preempt", "--graph", "g.dot")
    assert (tmp_path / "g.dot").read_text().startswith("digraph evictions {")
    assert len(made) == len(set(made)) > 1
    assert done == asked(MIXED, "preempt")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("output", ["table", "wide"])
def test_a_caveat_is_told_once(asked, verb, output):
    cluster = [*NODES, *(pod(f"low-{n}", n, cpu="2") for n in ("n1", "n2")), *EAGER, *LARGE]
    told = " ".join(asked(cluster, verb, "-o", output).out.split())

    assert told.count("no PodDisruptionBudget in the input") == 1


def test_pods_of_manifests_are_told_one_by_one(asked, tmp_path):
    (tmp_path / "pods.yaml").write_text(yaml.safe_dump_all(SMALL))
    done = asked(NODES, "explain", "pods.yaml")
    assert done.out.startswith("✓ default/small-1 goes to n")
    assert "pending" not in done.out
    assert done.out.endswith("\n3 of 3 pods would be placed\n")
