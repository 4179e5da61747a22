"""`kschedctl snapshot take` and questions to a live cluster, against recorded answers of a real API server."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import node, pod
from live.server import CERTIFICATE, TOKENS, Reply, items, running, status

from kschedctl.sources.load import load

ROOT = Path(__file__).parents[2]


@pytest.fixture
def server():
    with running() as api:
        yield api


@pytest.fixture(autouse=True)
def kubeconfig(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": "c", "cluster": {"server": server.url, "certificate-authority": str(CERTIFICATE)}}
        ],
        "users": [{"name": who, "user": {"token": token}} for who, token in TOKENS.items()],
        "contexts": [{"name": who, "context": {"cluster": "c", "user": who}} for who in TOKENS],
        "current-context": "admin",
    }
    Path("config").write_text(json.dumps(content))
    return "config"


def files():
    return sorted(path.name for path in Path().iterdir())


def test_a_cluster_becomes_a_file(run, server):
    done = run("snapshot", "take", "--kubeconfig", "config", "-o", "s.json.gz")
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        f"reading context admin ({server.url})",
        "45 nodes, 230 pods and 32 other objects written to s.json.gz",
    ]
    loaded = load(["s.json.gz"])
    assert len(loaded.objects) == 307
    assert loaded.snapshots[0].origin.context == "admin"
    assert {seen.method for seen in server.seen} == {"GET"}


def test_what_is_missing_is_said(run, server):
    forbidden = status(403, "Forbidden", "poddisruptionbudgets.policy is forbidden")
    server.always("/apis/policy/v1/poddisruptionbudgets", forbidden)
    done = run("snapshot", "take", "--kubeconfig", "config", "-o", "s.json")
    assert done.code == 0
    assert "missing: poddisruptionbudgets.policy (Forbidden): preemption and drains" in done.err
    assert "hint: `kschedctl snapshot rbac`" in done.err


def test_a_snapshot_can_go_to_stdout_and_be_quiet():
    words = ["snapshot", "take", "--kubeconfig", "config", "-o", "-", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "kschedctl", *words], capture_output=True, check=True, env=env()
    )
    assert json.loads(done.stdout)["kind"] == "ClusterSnapshot"
    assert done.stderr == b""


def test_names_are_replaced_before_anything_is_written(run, server):
    done = run("snapshot", "take", "--kubeconfig", "config", "-o", "s.json", "--redact", "names")
    assert done.code == 0
    text = Path("s.json").read_text()
    assert server.url not in text
    names = {obj.name for obj in load(["s.json"]).objects if obj.kind == "Node"}
    assert all(name.startswith("node0") for name in names)


@pytest.mark.parametrize(
    ("context", "message"),
    [("invalid", "does not accept the credentials (401)"), ("viewer", "does not allow to list")],
)
def test_a_cluster_that_refuses_leaves_no_file(run, context, message):
    done = run("snapshot", "take", "--kubeconfig", "config", "--context", context, "-o", "s.json")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert files() == ["config"]


def test_an_interrupt_leaves_no_file(server):
    server.always("/api/v1/pods", Reply(200, {}, delay=20.0))
    words = ["snapshot", "take", "--kubeconfig", "config", "-o", "s.json"]
    process = subprocess.Popen([sys.executable, "-m", "kschedctl", *words], stderr=subprocess.PIPE, env=env())
    deadline = time.monotonic() + 20
    while not server.paths("/api/v1/pods") and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert files() == ["config"]


def test_without_a_cluster_the_live_one_is_asked(run, server):
    done = run("explain", "pod/e1", "--kubeconfig", "config", "-o", "json")
    assert done.code in (0, 1)
    assert done.err == f"reading context admin ({server.url})\n"
    report = json.loads(done.out)
    assert report["cluster"]["nodes"] == 45
    assert report["cluster"]["source"] == [f"context admin ({server.url})"]
    assert {seen.method for seen in server.seen} == {"GET"}


class TestRightsOnNodesAndPodsAlone:
    """What hangs on anything else is no "no"."""

    VOLUMES = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]  # noqa: RUF012 - only read

    @pytest.fixture
    def simulate(self, run, server):
        def run_with(*pods):
            server.hook = self.forbid(server)
            node_ = node("n1")
            server.always("/api/v1/nodes", items("Node", node_))
            server.always("/api/v1/pods", items("Pod", *pods))
            return run("simulate", "--kubeconfig", "config", "-q")

        return run_with

    @staticmethod
    def forbid(server):
        def hook(seen):
            if seen.path.startswith("/api") and seen.path not in ("/api/v1/nodes", "/api/v1/pods"):
                server.always(seen.path, status(403, "Forbidden", "forbidden"))

        return hook

    def test_pods_that_cannot_be_judged_are_no_answer(self, simulate):
        done = simulate(pod("a", volumes=self.VOLUMES), pod("b", volumes=self.VOLUMES), pod("c", cpu="1"))
        assert (done.code, done.out) == (2, "✗ 1 of 3 pods placed, 2 not judged\n")
        assert done.err.splitlines()[1:3] == [
            "error: default/a, default/b cannot be judged: persistentvolumeclaims, persistentvolumes, "
            "storageclasses.storage.k8s.io and 5 more could not be read (Forbidden)",
            "hint: `kschedctl snapshot rbac` prints the rights that it takes",
        ]

    def test_a_pod_that_fits_nowhere_for_certain_is_a_no(self, simulate):
        done = simulate(pod("a", volumes=self.VOLUMES), pod("b", cpu="99"))
        assert (done.code, done.out) == (1, "✗ 0 of 2 pods placed, 1 stays pending, 1 not judged\n")
        assert "warning: default/a cannot be judged" in done.err

    def test_pods_that_read_nothing_else_are_judged(self, simulate):
        done = simulate(pod("a", cpu="1"))
        assert (done.code, done.out) == (0, "✓ the only pod is placed\n")


class TestRightsInOneNamespaceAlone:
    @pytest.fixture(autouse=True)
    def shop(self, server):
        """A server that lets nothing be read but what is in the namespace shop."""
        inside = "/namespaces/shop/"

        def hook(seen):
            if not seen.path.startswith("/api") or seen.path in server.known:
                return
            reply = items("List") if inside in seen.path else status(403, "Forbidden", "forbidden")
            server.always(seen.path, reply)

        pods = "/api/v1/namespaces/shop/pods"
        server.known = {pods}
        server.always(
            pods, items("Pod", pod("a", "n1", namespace="shop", cpu="3"), pod("b", namespace="shop", cpu="1"))
        )
        server.hook = hook
        Path("nodes.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1")]}))

    def test_the_nodes_come_from_a_file(self, run):
        done = run("explain", "-n", "shop", "-c", "nodes.json", "--kubeconfig", "config", "-o", "json")
        assert done.code == 0
        report = json.loads(done.out)
        assert (report["pod"]["name"], report["selectedNode"], report["cluster"]["pods"]) == ("b", "n1", 1)
        caveats = {caveat["code"]: caveat for caveat in report["cluster"]["caveats"]}
        assert caveats["namespace-only"]["mayChangeAnswer"]
        assert "only namespace shop could be read of pods" in caveats["namespace-only"]["message"]

    def test_without_them_there_is_a_way_on(self, run):
        done = run("explain", "-n", "shop", "--kubeconfig", "config")
        assert done.code == 2
        assert "does not allow to list nodes (403)" in done.err
        assert "-n NAMESPACE, and --cluster FILE with the nodes beside --kubeconfig" in done.err

    def test_a_file_with_pods_is_no_part_of_a_live_cluster(self, run, server):
        Path("all.json").write_text(
            json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1"), pod("x")]})
        )
        done = run("explain", "-c", "all.json", "--kubeconfig", "config")
        assert done.code == 2
        assert "--cluster with pods does not go together with --kubeconfig" in done.err
        assert server.seen == []


class TestStderr:
    """What libraries would print themselves is said in our words, or not at all."""

    @pytest.fixture
    def explain(self, server):
        def run_with(change, *words):
            content = json.loads(Path("config").read_text())
            change(content["clusters"][0]["cluster"], content["users"][0]["user"])
            Path("config").write_text(json.dumps(content))
            command = [sys.executable, "-m", "kschedctl", "explain", "pod/e1", "--kubeconfig", "config"]
            return subprocess.run([*command, *words], capture_output=True, text=True, env=env(), timeout=30)

        return run_with

    def test_a_certificate_that_is_not_to_be_checked(self, explain, server):
        def change(cluster, user):
            cluster.pop("certificate-authority")
            cluster["insecure-skip-tls-verify"] = True

        done = explain(change)
        assert done.returncode in (0, 1)
        assert done.stderr == f"reading context admin ({server.url})\n"

    def test_a_credential_plugin_that_fails(self, explain, server):
        plugin = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "sh",
            "args": ["-c", "echo session expired >&2; exit 7"],
        }
        done = explain(lambda cluster, user: (user.clear(), user.update(exec=plugin)))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "error: the credential plugin `sh -c echo session expired >&2; exit 7` ends with exit code 7: "
            "session expired",
            "hint: run it by hand; `kubectl get nodes` must work first, or read files with --cluster FILE",
        ]
        assert server.seen == []

    def test_a_credential_plugin_that_hangs(self, explain):
        plugin = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": "sh",
            "args": ["-c", "sleep 60"],
        }
        done = explain(lambda cluster, user: (user.clear(), user.update(exec=plugin)), "--timeout", "1")
        assert done.returncode == 2
        assert "`sh -c sleep 60` does not end within 1 s" in done.stderr

    def test_a_server_that_is_down(self, explain):
        begin = time.monotonic()
        done = explain(lambda cluster, user: cluster.update(server="https://127.0.0.1:1"))
        assert time.monotonic() - begin < 10
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[:2] == [
            "reading context admin (https://127.0.0.1:1)",
            "error: context admin (https://127.0.0.1:1) cannot be reached: connection refused",
        ]


def env():
    return {**os.environ, "PYTHONPATH": str(ROOT)}
