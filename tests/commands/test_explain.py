"""`kschedctl explain`: what is printed, in every format, and the exit code."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.schema import shipped_schema

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"

NODE = """\
apiVersion: v1
kind: Node
metadata: {name: %s}
status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}
---
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  containers: [{name: main, image: example.com/app:1, resources: {requests: {cpu: 1}}}]
---
"""

pytestmark = pytest.mark.usefixtures("in_the_root")


def of(fixture, *more):
    folder = f"fixtures/{fixture}"
    return ("explain", f"{folder}/pod.yaml", "-c", f"{folder}/cluster.yaml", *more)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("nowhere", of("explain-nowhere"), 1),
        ("nowhere-wide", of("explain-nowhere", "-o", "wide"), 1),
        ("nowhere-markdown", of("explain-nowhere", "-o", "markdown"), 1),
        ("nowhere-suggest", of("explain-nowhere", "--suggest"), 1),
        ("nowhere-suggest-markdown", of("explain-nowhere", "--suggest", "-o", "markdown"), 1),
        ("nowhere-node", of("explain-nowhere", "--node", "n[36]"), 1),
        ("nowhere-changed", of("explain-nowhere", "--uncordon", "n6", "--taint", "n2 a:NoSchedule"), 0),
        ("somewhere-node", of("explain-somewhere", "--node", "n5"), 0),
        ("somewhere-versus", of("explain-somewhere", "--versus", "n5,n7"), 0),
        ("somewhere-versus-markdown", of("explain-somewhere", "--versus", "n5,n7", "-o", "markdown"), 0),
        ("nowhere-quiet", of("explain-nowhere", "-q"), 1),
        ("somewhere", of("explain-somewhere"), 0),
        ("somewhere-wide", of("explain-somewhere", "-o", "wide"), 0),
        ("somewhere-markdown", of("explain-somewhere", "-o", "markdown"), 0),
        ("somewhere-yaml", of("explain-somewhere", "-o", "yaml"), 0),
        ("tie", of("explain-tie"), 0),
        ("tie-random", of("explain-tie", "--kubernetes-version", "1.34"), 0),
        ("tie-first", of("explain-tie", "--tie-break", "first"), 0),
        ("gated", of("explain-gated"), 1),
        ("invalid", of("explain-invalid"), 2),
        ("devices", of("dra"), 1),
        ("devices-wide", of("dra", "-o", "wide"), 1),
        ("devices-found", ("explain", "fixtures/dra/one.yaml", *of("dra", "-o", "wide")[2:]), 0),
        ("fault", of("dra-old-and-new", "--kubernetes-version", "1.35"), 2),
        ("ten-nodes", of("quickstart"), 0),
        ("several", (*of("quickstart"), "fixtures/quickstart/trainer.yaml"), 1),
    ],
)
def test_the_answer_is_printed_as_stored(run, golden, name, arguments, code):
    done = run(*arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"explain-{name}.txt", done.out)


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("fixture", ["explain-nowhere", "explain-somewhere", "explain-tie", "quickstart"])
@pytest.mark.parametrize("output", ["table", "wide"])
def test_tables_keep_to_the_width(run, monkeypatch, fixture, output, width):
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run(*of(fixture, "-o", output)).out.splitlines()
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(
    ("fixture", "code", "node"),
    [
        ("explain-nowhere", 1, "<none>"),
        ("explain-somewhere", 0, "n2"),
        ("explain-gated", 1, "<none>"),
        ("explain-invalid", 2, "<none>"),
    ],
)
@pytest.mark.parametrize("output", ["table", "wide", "json", "yaml", "name", "markdown"])
def test_the_exit_code_is_the_same_in_every_format(run, fixture, code, node, output):
    done = run(*of(fixture, "-o", output))
    assert done.code == code
    if output == "name":
        assert done.out == f"{node}\n"


@pytest.mark.parametrize(
    "fixture",
    ["explain-nowhere", "explain-somewhere", "explain-tie", "explain-gated", "explain-invalid", "dra"],
)
def test_reports_are_valid_and_the_same_in_json_and_yaml(run, fixture):
    report = json.loads(run(*of(fixture, "-o", "json")).out)
    jsonschema.validate(report, shipped_schema(Explanation))
    assert yaml.safe_load(run(*of(fixture, "-o", "yaml")).out) == report


def test_devices_are_told_in_json(run):
    refused = json.loads(run(*of("dra", "-o", "json")).out)
    (failure,) = next(n for n in refused["nodes"] if n["name"] == "gpu-1")["allFailures"]
    assert failure["details"][0]["text"].endswith(
        "wants 2 devices of class gpu; could take gpu-1/gpu1; gpu-1/gpu0: in use by claim train/running-gpu"
    )
    found = json.loads(run("explain", "fixtures/dra/one.yaml", *of("dra", "-o", "json")[2:]).out)
    devices = next(b for b in found["background"] if b["plugin"] == "DynamicResources")
    assert {row["node"]: row["devices"] for row in devices["rows"]} == {
        "gpu-1": "gpu-1/gpu1",
        "gpu-3": "gpu-3/gpu0",
        "gpu-4": "gpu-4/gpu0",
    }


def test_several_reports_are_a_list(run):
    arguments = (*of("quickstart"), "fixtures/quickstart/trainer.yaml", "-o", "json")
    report = json.loads(run(*arguments).out)
    jsonschema.validate(report, shipped_schema(Explanation))
    assert report["kind"] == "List"
    assert [item["pod"]["name"] for item in report["items"]] == ["web-5", "trainer"]


def test_the_schema_refuses_what_is_no_report(run):
    report = json.loads(run(*of("explain-tie", "-o", "json")).out)
    del report["outcome"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, shipped_schema(Explanation))


def test_a_report_holds_first_and_all_failures_apart(run):
    report = json.loads(
        run(
            "explain",
            "fixtures/quickstart/trainer.yaml",
            "-c",
            "fixtures/quickstart/cluster.yaml",
            "-o",
            "json",
        ).out
    )
    node = next(node for node in report["nodes"] if node["name"] == "cp-1")
    assert node["status"]["plugin"] == "TaintToleration"
    assert [failure["plugin"] for failure in node["allFailures"]] == ["TaintToleration", "NodeResourcesFit"]
    assert "1 Insufficient memory" in report["event"]["message"]


def written(tmp_path, *nodes, pods=(), more=""):
    path = tmp_path / "cluster.yaml"
    placed = "".join(POD % name + f"  nodeName: {node}\n---\n" for name, node in pods)
    path.write_text(
        "".join(NODE % node for node in nodes) + placed.replace("---\n  nodeName", "  nodeName") + more
    )
    return str(path)


def test_a_running_pod_is_judged_as_if_placed_anew(run, tmp_path):
    cluster = written(tmp_path, "n1", "n2", pods=[("full-0", "n1"), ("full-1", "n1"), ("alone", "n2")])
    done = run("explain", "pod/full-0", "-c", cluster, "-o", "json")
    report = json.loads(done.out)
    assert (done.code, report["pod"]["runningOn"], report["feasible"]) == (0, "n1", 2)
    assert report["cluster"]["pods"] == 3


@pytest.mark.parametrize("reference", ["pod/full-0", "pods/full-0", "po/full-0"])
def test_pods_are_named_kubectls_way(run, tmp_path, reference):
    cluster = written(tmp_path, "n1", pods=[("full-0", "n1")])
    assert run("explain", reference, "-c", cluster, "-o", "name").out == "n1\n"


def test_a_candidate_stands_in_the_place_of_the_pod_of_its_name(run, tmp_path):
    cluster = written(tmp_path, "n1", pods=[("a", "n1"), ("b", "n1")])
    assert run("explain", "-", "-c", cluster, stdin=(POD % "a").encode()).code == 0
    assert run("explain", "-", "-c", cluster, stdin=(POD % "c").encode()).code == 1


def test_each_candidate_is_alone(run, tmp_path):
    cluster = written(tmp_path, "n1", pods=[("a", "n1")])
    done = run("explain", "-", "-c", cluster, "-o", "name", stdin=(POD % "b" + POD % "c").encode())
    assert (done.code, done.out) == (0, "n1\nn1\n")


def test_other_objects_of_a_manifest_are_there(run, tmp_path):
    cluster = written(tmp_path, "n1")
    pod_class = (
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 7\n---\n"
    )
    pod = POD % "a" + "  priorityClassName: high\n"
    pod = pod.replace("---\n", "")
    done = run("explain", "-", "-c", cluster, "-o", "json", stdin=(pod_class + pod).encode())
    assert json.loads(done.out)["pod"]["priority"] == 7


def test_candidates_come_in_the_namespace_that_is_asked_for(run, tmp_path):
    cluster = written(tmp_path, "n1")
    done = run("explain", "-f", "-", "-n", "shop", "-c", cluster, "-q", stdin=(POD % "a").encode())
    assert done.out == "✓ shop/a goes to n1\n"


def test_the_cluster_can_come_from_the_environment(run, monkeypatch):
    monkeypatch.setenv("KSCHEDCTL_CLUSTER", "fixtures/explain-tie/cluster.yaml")
    assert run("explain", "fixtures/explain-tie/pod.yaml", "-o", "name").out == "a\n"


DEPLOYMENT = b"""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 40
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: example.com/web:1}]}
"""


def test_without_candidates_every_pending_pod_is_explained(run, tmp_path):
    cluster = written(tmp_path, "n1", pods=[("a", "n1")], more=POD % "b" + POD % "c")
    done = run("explain", "-c", cluster, "-q")
    assert (done.code, done.out) == (0, "✓ default/b and 1 equal pod each go to n1\n")
    assert run("explain", "-c", cluster, "-n", "shop").code == 2


SNAPSHOT = """\
apiVersion: kschedctl.dev/v1alpha1
kind: ClusterSnapshot
takenAt: "2026-01-02T03:04:05Z"
kubernetesVersion: v1.34.1
missing: [{resource: limitranges, reason: Forbidden, weakens: default requests}]
objects: []
"""


def test_what_a_snapshot_lacks_is_a_caveat(run, tmp_path):
    path = tmp_path / "prod.yaml"
    path.write_text(SNAPSHOT)
    done = run("explain", "-", "-c", str(path), "-o", "json", stdin=(POD % "a").encode())
    cluster = json.loads(done.out)["cluster"]
    assert cluster["takenAt"] == "2026-01-02T03:04:05Z"
    assert [caveat["code"] for caveat in cluster["caveats"]] == ["kind-missing"]


def test_the_version_of_the_cluster_decides_unless_another_one_is_asked_for(run, tmp_path):
    path = tmp_path / "prod.yaml"
    path.write_text(SNAPSHOT)
    arguments = ["explain", "-", "-c", str(path), "-o", "json"]
    found = [
        json.loads(run(*arguments, *more, stdin=(POD % "a").encode()).out)
        for more in ([], ["--kubernetes-version", "1.36"])
    ]
    assert [report["scheduler"]["version"] for report in found] == ["1.34.1", "1.36"]
    assert [c["code"] for c in found[1]["cluster"]["caveats"]] == ["other-version", "kind-missing"]


def test_a_workload_is_explained_by_one_of_its_pods(run, tmp_path):
    report = json.loads(
        run("explain", "-", "-c", written(tmp_path, "n1"), "-o", "json", stdin=DEPLOYMENT).out
    )
    assert report["pod"]["name"].startswith("web-")
    assert report["selectedNode"] == "n1"


def test_a_daemon_set_is_not_explained(run, tmp_path):
    daemons = DEPLOYMENT.replace(b"Deployment", b"DaemonSet").replace(b"  replicas: 40\n", b"")
    done = run("explain", "-", "-c", written(tmp_path, "n1"), stdin=daemons)
    assert done.code == 2
    assert "has a pod for each node" in done.err


RUNNING = """\
apiVersion: v1
kind: Pod
metadata: {name: runs}
spec: {nodeName: n1, containers: [{name: c, image: x}]}
---
"""
EXTENDER = b"""\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: "http://extender.example.com", filterVerb: filter}]
"""
OLD_SLICE = "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceSlice\nmetadata: {name: s}\n---\n"


def test_the_nearest_version_answers_for_an_unknown_one_and_says_so(run):
    arguments = of("explain-somewhere", "--kubernetes-version", "1.33")
    done = run(*arguments)
    assert done.code == 0
    assert "Kubernetes 1.33 is not known here: this is the answer of 1.34" in " ".join(done.out.split())
    assert run(*arguments, "--strict-caveats").code == 2


@pytest.mark.parametrize("strict", [False, True])
def test_an_extender_is_a_caveat_that_can_change_the_answer(run, tmp_path, strict):
    config = tmp_path / "config.yaml"
    config.write_bytes(EXTENDER)
    more = ["--strict-caveats"] if strict else []
    done = run(*of("explain-tie", "--scheduler-config", str(config), *more))
    assert "caveat" in done.out
    assert "http://extender.example.com" in done.out
    assert done.code == (2 if strict else 0)


@pytest.mark.parametrize("claims", [True, False], ids=["a pod with claims", "a pod without"])
def test_objects_in_a_version_that_is_not_read_are_a_caveat_where_they_matter(run, tmp_path, claims):
    cluster = written(tmp_path, "n1", more=RUNNING + OLD_SLICE)
    pod = POD % "a"
    if claims:
        pod = pod.replace("spec:", "spec:\n  resourceClaims: [{name: c, resourceClaimName: c}]")
    done = run("explain", "-", "-c", cluster, "--strict-caveats", stdin=pod.encode())
    told = "1 ResourceSlice in version resource.k8s.io/v1alpha3 left out" in " ".join(done.out.split())
    assert (told, done.code) == ((True, 2) if claims else (False, 0))


def test_quiet_does_not_hide_that_another_version_decides_in_the_cluster(run, tmp_path):
    path = tmp_path / "prod.yaml"
    path.write_text(SNAPSHOT)
    done = run(
        "explain", "-", "-c", str(path), "-q", "--kubernetes-version", "1.36", stdin=(POD % "a").encode()
    )
    assert done.out == "✗ default/a fits nowhere: the cluster has no nodes\n"
    assert done.err == "warning: the cluster runs v1.34.1; this is the answer of 1.36\n"


def test_pods_on_unknown_nodes_are_a_caveat_that_changes_nothing(run, tmp_path):
    cluster = written(tmp_path, "n1", pods=[("a", "gone")])
    done = run("explain", "-", "-c", cluster, "--strict-caveats", stdin=(POD % "b").encode())
    assert "pods on nodes that are not in the input are left out" in " ".join(done.out.split())
    assert done.code == 0


def test_a_single_feasible_node_is_taken_unscored_and_that_is_said(run, tmp_path):
    done = run("explain", "-", "-c", written(tmp_path, "n1"), stdin=(POD % "a").encode())
    assert "kube-scheduler does not score then" in done.out


def test_an_empty_cluster_is_an_answer(run, tmp_path):
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text("{apiVersion: v1, kind: Namespace, metadata: {name: default}}")
    done = run("explain", "-", "-c", str(cluster), stdin=(POD % "a").encode())
    assert done.code == 1
    assert "fits nowhere: the cluster has no nodes" in done.out
    assert "no nodes available to schedule pods" in done.out


def test_a_pod_of_another_scheduler_is_an_answer(run, tmp_path):
    pod = (POD % "a").replace("---\n", "  schedulerName: mine\n")
    done = run("explain", "-", "-c", written(tmp_path, "n1"), stdin=pod.encode())
    assert done.code == 1
    assert "handled by no profile" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(of("explain-tie", "--node", "n99"), "there is no node n99", id="no such node"),
        pytest.param(of("explain-tie", "--versus", "a"), "'a' are not two nodes", id="one node only"),
        pytest.param(of("explain-tie", "--versus", "a,x"), "there is no node x", id="no second node"),
        pytest.param(
            of("explain-tie", "--uncordon", "n99"), "n99", id="a change of something that is not there"
        ),
        pytest.param(
            ("explain", "fixtures/explain-tie/pod.yaml", "--kubeconfig", "missing"),
            "--cluster",
            id="no cluster",
        ),
        pytest.param(
            ("explain", "-c", "fixtures/quickstart/cluster.yaml", "--context", "prod"),
            "does not go together",
            id="two clusters",
        ),
        pytest.param(
            of("explain-tie", "-o", "junit"), "'junit' is not one of table, wide", id="other format"
        ),
        pytest.param(of("explain-tie", "-o", "xml"), "'xml' is not one of", id="no format"),
        pytest.param(of("explain-tie", "--kubernetes-version", "newest"), "is no version", id="version"),
        pytest.param(of("explain-tie", "--feature-gates", "Nope=true"), "'Nope' is unknown", id="gate"),
        pytest.param(
            ("explain", "pod/none", "-c", "fixtures/explain-tie/cluster.yaml"),
            "pod default/none is not in the cluster",
            id="no such pod",
        ),
        pytest.param(
            ("explain", "node/a", "-c", "fixtures/explain-tie/cluster.yaml"),
            "a Node has no pods of its own",
            id="no pod",
        ),
        pytest.param(
            ("explain", "missing.yaml", "-c", "fixtures/explain-tie/cluster.yaml"),
            "missing.yaml",
            id="no file",
        ),
        pytest.param(
            ("explain", "fixtures/explain-tie/cluster.yaml", "-c", "fixtures/explain-tie/cluster.yaml"),
            "there is no pod in it, only Node",
            id="a cluster as candidate",
        ),
        pytest.param(of("explain-tie", "-n", "elsewhere"), "states a namespace other than", id="namespace"),
        pytest.param(
            of("explain-tie", "--scheduler-config", "fixtures/explain-tie/pod.yaml"), "error", id="no config"
        ),
    ],
)
def test_what_cannot_be_run_says_why_on_stderr_and_exits_with_2(run, arguments, message):
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_nodes_that_are_not_looked_at_are_told_apart(run, tmp_path):
    cluster = written(tmp_path, *(f"n{i}" for i in range(150)), more=RUNNING)
    all_nodes = run("explain", "-", "-c", cluster, stdin=(POD % "a").encode()).out
    assert "150 of 150 nodes feasible" in all_nodes
    assert "kube-scheduler stops at 100 feasible nodes" in " ".join(all_nodes.split())
    sampled = run("explain", "-", "-c", cluster, "--sampling", "upstream", stdin=(POD % "a").encode()).out
    assert "100 feasible of 100 looked at, 150 nodes in all" in sampled
    assert "caveat" not in sampled


def test_skipped_kinds_are_told_when_asked_for(run, tmp_path):
    config_map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n---\n"
    cluster = written(tmp_path, "n1", more=config_map)
    assert run("explain", "-", "-c", cluster, stdin=(POD % "a").encode()).err == ""
    noted = run("explain", "-", "-c", cluster, "-v", stdin=(POD % "a").encode())
    assert noted.err == "note: skipped 1 ConfigMap (v1)\n"


@pytest.mark.parametrize(
    ("count", "output", "shown", "told"),
    [
        (5, "table", 5, ""),
        (6, "table", 5, "1 more node, see -o wide"),
        (42, "table", 5, "37 more nodes, see -o wide"),
        (42, "wide", 42, ""),
        (10, "markdown", 10, ""),
        (42, "markdown", 10, "| +32 |"),
    ],
)
def test_a_score_table_says_how_many_nodes_it_leaves_out(run, tmp_path, count, output, shown, told):
    cluster = written(tmp_path, *(f"n{i}" for i in range(count)))
    out = run("explain", "-", "-c", cluster, "-o", output, stdin=(POD % "a").encode()).out
    assert len(re.findall(r"^\W*n\d+\W+\d+ ", out, re.MULTILINE)) == shown
    assert told in out
    assert bool(told) == bool(re.search(r"more node|\+\d", out))


def test_devices_are_no_column_where_they_are_no_points(run):
    def titles(*arguments):
        lines = run(*arguments).out.splitlines()
        return next((line for line in lines if line.split()[:2] == ["node", "total"]), "")

    assert "Devices" not in titles(*of("quickstart"))
    assert "Devices" in titles(*of("quickstart", "-o", "wide"))


def test_a_claim_that_is_missing_comes_with_a_hint(run):
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    spec = {"containers": [{"name": "c", "image": "x"}], "volumes": volumes}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}
    done = run("explain", "-", "-c", "fixtures/quickstart/cluster.yaml", stdin=json.dumps(manifest).encode())
    assert done.code == 1
    assert 'persistentvolumeclaim "data" not found' in done.out
    assert "hint        PersistentVolumeClaim default/data is not in the input; add its" in done.out


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("table", "✓ no pod of the cluster is pending\n"),
        ("json", '{\n  "apiVersion": "kschedctl.dev/v1alpha1",\n  "kind": "List",\n  "items": []\n}\n'),
        ("yaml", "apiVersion: kschedctl.dev/v1alpha1\nkind: List\nitems: []\n"),
        ("name", ""),
    ],
)
def test_that_nothing_is_pending_is_good_news(run, in_the_root, output, text):
    done = run("explain", "-c", "fixtures/explain-tie/cluster.yaml", "-o", output)
    assert (done.code, done.out) == (0, text)


def test_what_a_change_displaces_finds_its_place_first(run, in_the_root):
    done = run(*of("explain-nowhere", "--remove-node", "n6", "--add-node", "like=n2", "-o", "json"))
    answer = json.loads(done.out)
    assert answer["cluster"]["changes"] == ["remove-node n6", "add-node like=n2"]
    assert answer["selectedNode"] == "n2-new-1"


def test_nodes_without_any_pod_are_hardly_a_cluster(run, tmp_path):
    done = run("explain", "-", "-c", written(tmp_path, "n1"), "--strict-caveats", stdin=(POD % "a").encode())
    assert done.code == 2
    assert "no Pod in the input (kubectl get pods -A): every node is taken to be empty" in " ".join(
        done.out.split()
    )


@pytest.mark.parametrize("key", ["scheduler.alpha.kubernetes.io/node-selector", "openshift.io/node-selector"])
def test_a_namespace_with_a_node_selector_is_a_caveat(run, tmp_path, key):
    metadata = f"{{name: default, annotations: {{{key}: a=b}}}}"
    namespace = f"{{apiVersion: v1, kind: Namespace, metadata: {metadata}}}\n---\n"
    cluster = written(tmp_path, "n1", more=RUNNING + namespace)
    done = run("explain", "-", "-c", cluster, "--strict-caveats", stdin=(POD % "a").encode())
    assert done.code == 2
    assert f"has the annotation {key}=a=b" in " ".join(done.out.split())
