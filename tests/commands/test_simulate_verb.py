import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from builders import node, pod

from kschedctl.reports.schema import shipped_schema
from kschedctl.reports.simulate.model import Simulation

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
CLUSTER = ("-c", "fixtures/release-shop/cluster.yaml")
RELEASE = ("-f", "fixtures/release-shop/manifests")
ZONE = "topology.kubernetes.io/zone"

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("simulate-release", RELEASE, 1),
        ("simulate-zone-loss", (*RELEASE, "--fail-domain", f"{ZONE}=eu-1b", "--drain", "w6"), 1),
        ("simulate-more-nodes", (*RELEASE, "--add-node", "like=w1=2", "--rollout", "rolling"), 0),
        ("simulate-wide", (*RELEASE, "--no-preemption", "-o", "wide"), 1),
        ("simulate-markdown", ("--drain", "w1", "-o", "markdown"), 0),
        ("simulate-name", ("--drain", "w1", "-o", "name"), 0),
        ("simulate-quiet", (*RELEASE, "-q"), 1),
        ("simulate-timeline", (*RELEASE, "--timeline"), 1),
        ("simulate-immediate", (*RELEASE, "--effects", "immediate"), 1),
        ("simulate-not-created", ("--scale", "shop/StatefulSet/db=12", "-o", "wide"), 1),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("simulate", *CLUSTER, *arguments)

    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def test_pods_that_name_their_node_are_refused_by_its_kubelet(run, golden):
    folder = "fixtures/named-node"
    done = run("simulate", "-f", f"{folder}/release.yaml", "-c", f"{folder}/cluster.yaml")

    assert (done.code, done.err) == (1, "")
    golden(STORED / "simulate-named-node.txt", done.out)


@pytest.mark.parametrize("more", [(), ("--detail",), ("--timeline",)])
def test_json_follows_its_schema(run, more):
    done = run("simulate", *CLUSTER, *RELEASE, "--drain", "w6", "-o", "json", *more)

    report = json.loads(done.out)
    jsonschema.validate(report, shipped_schema(Simulation))
    assert report["wanted"] == len(report["pods"])
    assert all((pod["detail"] is not None) is ("--detail" in more) for pod in report["pods"])


def test_detail_does_not_change_the_answer(run):
    plain, detailed = (
        json.loads(run("simulate", *CLUSTER, *RELEASE, "-o", "json", *more).out)
        for more in ((), ("--detail",))
    )

    assert [(p["name"], p["node"]) for p in plain["pods"]] == [
        (p["name"], p["node"]) for p in detailed["pods"]
    ]


def test_changes_are_applied_in_the_order_in_which_they_are_given(run):
    cordoned = ("--cordon", "w1", "--uncordon", "w1")
    there = json.loads(run("simulate", *CLUSTER, "--drain", "w6", *cordoned, "-o", "json").out)
    swapped = json.loads(run("simulate", *CLUSTER, "--uncordon", "w6", "--drain", "w6", "-o", "json").out)
    back = json.loads(run("simulate", *CLUSTER, "--drain", "w6", "--uncordon", "w6", "-o", "json").out)

    assert there["changes"] == ["drain w6", "cordon w1", "uncordon w1"]
    assert "w6" not in [pod["node"] for pod in swapped["pods"]]
    assert "w6" in [pod["node"] for pod in back["pods"]]


def test_a_release_from_stdin(run):
    text = (ROOT / "fixtures/release-shop/manifests/search.yaml").read_bytes()

    assert run("simulate", *CLUSTER, "-f", "-", stdin=text).code == 0


def test_a_patch_from_a_file(run, tmp_path):
    patch = tmp_path / "patch.yaml"
    patch.write_text(
        "kind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 1, selector: null}\n"
    )
    done = run("simulate", *CLUSTER, "--patch", str(patch), "-o", "json")

    assert json.loads(done.out)["wanted"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--drain", "w11"), "there is no node 'w11'"),
        (("--scale", "web"), "it says no number of replicas"),
        (("--scale", "shop/deploy/web=many"), "'many' is no number of replicas"),
        (("--taint", "w1 gpu"), "has no effect"),
        (("--taint", "w1 gpu=a:Never"), "'Never' is no effect"),
        (("--label", "w1"), "for example 'n4 disk=ssd'"),
        (("--fail-domain", "eu-1a"), "for example topology"),
        (("--add-node", "nothing.yaml"), "no file nothing.yaml"),
        (("--add-node", "fixtures/release-shop/manifests/web.yaml"), "holds no Node"),
        (("--patch", "fixtures/release-shop/manifests/web.yaml"), "no PodDisruptionBudget web"),
        (("--drain", ""), "it is empty"),
        (("-o", "sarif"), "'sarif' is not one of table, wide, json"),
    ],
)
def test_what_cannot_be_done(run, arguments, message):
    done = run("simulate", *CLUSTER, *arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_a_pod_that_is_refused_is_a_failure(run, tmp_path):
    pod = tmp_path / "pod.yaml"
    pod.write_text("{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priorityClassName: unknown}}")

    assert run("simulate", *CLUSTER, "-f", str(pod)).code == 2


def test_a_scenario_file_is_another_way_to_say_it(run):
    by_file = json.loads(run("simulate", "--scenario", "fixtures/gate-release/room.yaml", "-o", "json").out)
    changes = ("--add-node", "like=w1=2", "--add-node", "like=w3=2", "--add-node", "like=w5=2")
    by_hand = json.loads(run("simulate", *CLUSTER, *RELEASE, *changes, "-o", "json").out)

    assert by_file["changes"] == by_hand["changes"]
    assert by_file["pods"] == by_hand["pods"]


def test_the_namespace_is_that_of_workloads_named_without_one(run):
    done = run("simulate", *CLUSTER, "-n", "shop", "--scale", "deployment/web=6", "-o", "json")

    assert json.loads(done.out)["wanted"] == 2


def test_caveats_can_be_strict(run, tmp_path):
    configuration = tmp_path / "scheduler.yaml"
    configuration.write_text(
        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, "
        "extenders: [{urlPrefix: 'http://x', filterVerb: filter}]}"
    )
    arguments = (
        "simulate",
        *CLUSTER,
        "--scheduler-config",
        str(configuration),
        "--scale",
        "shop/deploy/web=3",
    )

    assert run(*arguments).code == 0
    strict = run(*arguments, "--strict-caveats")
    assert strict.code == 2
    assert "not called" in strict.err


def test_a_bad_quantity_in_a_patch_is_told(run, tmp_path):
    patch = tmp_path / "patch.yaml"
    patch.write_text("{kind: Node, metadata: {name: w1}, status: {allocatable: {cpu: 4 cores}}}")
    done = run("simulate", *CLUSTER, "--patch", str(patch))

    assert done.code == 2
    assert "the patch of default/Node/w1 cannot be applied" in done.err


SCALED_DOWN = """\
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: shop}
spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {}}}
"""


@pytest.fixture
def replicas(tmp_path):
    """A cluster with three pods of a replica set, one of them pending."""

    def web(name, on):
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
        return pod(name, on, namespace="shop", labels={"app": "web"}, cpu="1", owner=owner)

    path = tmp_path / "cluster.json"
    pods = [web("web-1", "n1"), web("web-2", "n2"), web("web-3", "")]
    items = [node("n1"), node("n2"), *pods, yaml.safe_load(SCALED_DOWN)]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


@pytest.mark.parametrize(
    ("change", "verdict", "gone"),
    [
        pytest.param(
            ("--scale", "shop/rs/web=1"),
            "✓ 2 pods go",
            [("shop/web-3", None), ("shop/web-1", "n1")],
            id="fewer replicas",
        ),
        pytest.param(
            ("--delete", "shop/rs/web"),
            "✓ 3 pods go",
            [("shop/web-1", "n1"), ("shop/web-2", "n2"), ("shop/web-3", None)],
            id="none, as the workload is deleted",
        ),
        pytest.param(
            ("-f", "none.yaml"),
            "✓ 3 pods go",
            [("shop/web-1", "n1"), ("shop/web-2", "n2"), ("shop/web-3", None)],
            id="none, by a manifest",
        ),
        pytest.param(
            ("--scale", "shop/rs/web=2"),
            "✓ 1 pod goes",
            [("shop/web-3", None)],
            id="what is pending goes first",
        ),
    ],
)
def test_a_scale_down_says_which_pods_go(run, replicas, change, verdict, gone):
    (replicas.parent / "none.yaml").write_text(SCALED_DOWN.replace("replicas: 3", "replicas: 0"))
    change = [str(replicas.parent / word) if word.endswith(".yaml") else word for word in change]
    report = json.loads(run("simulate", "-c", str(replicas), *change, "-o", "json").out)
    assert [(one["pod"], one["node"]) for one in report["removed"]] == gone
    assert {one["workload"] for one in report["removed"]} == {"shop/ReplicaSet/web"}
    done = run("simulate", "-c", str(replicas), *change)
    assert done.out.splitlines()[0] == verdict
    names = " ".join(done.out.split())
    assert all(f"{name.partition('/')[2]} ({on or 'pending'})" in names for name, on in gone)


def test_an_empty_cluster_has_nothing_to_say(run, tmp_path):
    cluster = tmp_path / "empty.yaml"
    cluster.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: x}}")
    done = run("simulate", "-c", str(cluster))

    assert done.code == 0
    assert "requested" not in done.out
    assert done.out.startswith("✓ nothing is to be scheduled\n")


def test_unreachable_nodes_are_told_so(run):
    done = run("simulate", *CLUSTER, "--fail-domain", f"{ZONE}=eu-1a", "--fail-mode", "unreachable")

    assert f"after fail-domain {ZONE}=eu-1a (unreachable)" in done.out
    assert "shop/db-0 is not made anew before it is gone from its unreachable node" in " ".join(
        done.out.split()
    )


FLEET = """
apiVersion: example.com/v1
kind: Fleet
metadata: {name: web, namespace: shop}
spec: {replicas: 50, template: {spec: {containers: [{name: c, image: x}]}}}
"""


def test_kinds_of_other_makers_are_never_passed_over_in_silence(run, tmp_path):
    manifest = tmp_path / "fleet.yaml"
    manifest.write_text(FLEET)
    arguments = ("simulate", str(manifest), *CLUSTER)

    assert "would create: 1 Fleet" in " ".join(run(*arguments).out.split())
    assert run(*arguments, "--strict-caveats").code == 2


def test_a_gate_tells_the_caveats_of_its_scenarios(run, tmp_path):
    (tmp_path / "fleet.yaml").write_text(FLEET)
    scenario = tmp_path / "gate.yaml"
    scenario.write_text(
        "{apiVersion: kschedctl.dev/v1alpha1, kind: Scenario, metadata: {name: argo}, "
        f"cluster: {ROOT / CLUSTER[1]}, manifests: [fleet.yaml], expectations: {{schedulable: manifests}}}}"
    )

    assert "caveat: not evaluated" in " ".join(run("gate", str(scenario)).out.split())
    assert run("gate", str(scenario), "--strict-caveats").code == 2


def test_a_trace_is_replayed(run, tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("at,name,duration,cpu,priority\n0,a,60,3,\n5,b,,3,\n9,big,,999,7\n")
    done = run("simulate", *CLUSTER, "--arrivals", str(trace), "--until", "100", "-o", "json")

    report = json.loads(done.out)
    jsonschema.validate(report, shipped_schema(Simulation))
    queue = report["queue"]
    assert (done.code, queue["seconds"], queue["arrived"]) == (1, 100, 3)
    assert [waits["priority"] for waits in queue["waits"]] == [7, 0]
    assert [(pod["pod"], pod["queue"]) for pod in queue["waiting"]] == [("default/big", "Unschedulable")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--until", "5"), "--until is the end of a replay"),
        (("--queue", "replay", "--single-pass"), "effects cannot be immediate"),
        (("--arrivals", "/nowhere.csv"), "no such file"),
    ],
)
def test_what_cannot_be_replayed(run, arguments, message):
    done = run("simulate", *CLUSTER, *arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("version", ["extensions/v1beta1", "apps/v1beta2"])
@pytest.mark.parametrize("verb", ["simulate", "capacity"])
def test_a_workload_in_a_version_that_is_gone_is_no_silent_yes(run, tmp_path, verb, version):
    path = tmp_path / "old.yaml"
    path.write_text(f"apiVersion: {version}\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{}}\n")
    done = run(verb, "-f", str(path), "-c", "fixtures/explain-tie/cluster.yaml")
    assert (done.code, done.out) == (2, "")
    assert f'no matches for kind "Deployment" in version "{version}"' in done.err
    assert "Write apiVersion: apps/v1." in done.err


def test_pods_that_wait_for_the_same_are_one_line(run, tmp_path):
    pods = [pod(f"p{i}", cpu="9", labels={"name": f"p{i}"}) for i in range(1003)]
    path = tmp_path / "cluster.json"
    items = [node("n1"), *pods, pod("fits", cpu="1")]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    out = run("simulate", "-c", str(path)).out

    assert out.count("Pod/p0 and 1002 more like it") == 2
    assert "  Pod/fits" in out
    assert "more workloads" not in out


def test_members_that_were_made_anew_can_be_scaled_down(run, tmp_path):
    """They have the names of pods that are gone, and are others."""
    labels = {"app": "db"}
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db"}
    toleration = {"tolerations": [{"operator": "Exists"}]}
    stateful_set = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "default", "uid": "u"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod("t", cpu="2", **toleration)["spec"]},
        },
    }
    items = [
        node("n1"),
        node("n2", taints=["dedicated=db:NoSchedule"]),
        stateful_set,
        pod("db-0", "n1", cpu="2", priority=0, labels=labels, owner=owner, **toleration),
        pod("db-1", "n1", cpu="2", priority=0, labels=labels, owner=owner, **toleration),
        pod("urgent", cpu="4", priority=2_000_000_000),
        pod("waiting", cpu="3", priority=-1, **toleration),
    ]
    (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    cluster = ("-c", str(tmp_path / "cluster.json"))

    done = run("simulate", *cluster, "--effects", "immediate", "--detail", "-o", "json")

    assert (done.code, done.err) == (1, "")
    (waiting,) = [one for one in json.loads(done.out)["pods"] if one["name"] == "waiting"]
    assert "StatefulSet/db scaled from 2 to 0" in json.dumps(waiting["detail"])
