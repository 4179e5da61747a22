"""Snapshots of a recorded cluster: exactly the right objects, or an error that says what to do."""

import gzip
import json
import re
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kschedctl.errors import ClusterError
from kschedctl.live import Connection, TakeOptions, connect, read_cluster, take_snapshot
from kschedctl.objects.kinds import KINDS
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.sources.reduction import reduced
from kschedctl.sources.snapshot import Snapshot

from .server import DATA, ApiServer, Reply, items, status

NOW = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
PODS, NODES, PDBS = "/api/v1/pods", "/api/v1/nodes", "/apis/policy/v1/poddisruptionbudgets"
OLD_TOKEN = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NzQ5LCJzdGFydCI6ImRlZmF1bHQvZTIyMFx1MDAwMCJ9"
"""A token that the recorded server answers with 410."""


def take(connection: Connection, **options: Any) -> Snapshot:
    return take_snapshot(connection, NOW, TakeOptions(**{"timeout": 20.0, **options}))


def recorded() -> Counter[str]:
    """How many objects of each kind the recorded lists hold."""
    seen: dict[tuple[str, str], str] = {}
    with gzip.open(DATA / "responses.jsonl.gz", "rt") as lines:
        for line in lines:
            body = json.loads(line)["response"]["body"]
            for item in body.get("items") or ():
                seen[body["kind"], item["metadata"]["uid"]] = body["kind"].removesuffix("List")
    return Counter(seen.values())


def kinds(snapshot: Snapshot) -> Counter[str]:
    return Counter(obj.kind for obj in snapshot.objects)


def first_pods_page(server: ApiServer, token: str = OLD_TOKEN) -> Reply:
    page = json.loads(server.recording.find("admin", PODS).content)
    page["metadata"]["continue"] = token
    return Reply(200, page)


class TestGoodServer:
    def test_it_holds_every_object(self, admin):
        assert kinds(take(admin)) == recorded()

    def test_each_object_is_what_was_recorded(self, admin, server):
        nodes = {obj.name: obj for obj in take(admin).objects if isinstance(obj, Node)}
        assert len(nodes) == 45
        page = json.loads(server.recording.find("admin", NODES).content)
        for item in page["items"]:
            whole = msgspec.convert({**item, "apiVersion": "v1", "kind": "Node"}, Node)
            assert nodes[whole.name] == reduced(whole)

    def test_pods_come_in_the_order_of_the_server(self, admin):
        pods = [(obj.namespace, obj.name) for obj in take(admin).objects if isinstance(obj, Pod)]
        assert len(pods) == 230
        assert pods == sorted(pods)

    def test_the_header_tells_where_and_when(self, admin, server):
        server.always("/version", Reply(200, {"gitVersion": "v1.36.2"}))
        header = take(admin).header
        assert header.taken_at == "2026-03-01T10:00:00Z"
        assert header.taken_by.startswith("kschedctl ")
        assert (header.origin.server, header.origin.context) == (server.url, "admin")
        assert header.kubernetes_version == "v1.36.2"
        assert header.resource_versions["pods"] == "744"
        assert header.resource_versions["csinodes.storage.k8s.io"] == "744"
        assert header.notes == ()

    @pytest.mark.parametrize(
        ("emulated", "told"),
        [("37", "v1.37.2"), ("36", "v1.37.2 emulating 1.36"), ("", "v1.37.2")],
        ids=["itself", "an older one", "not said"],
    )
    def test_the_header_tells_which_version_is_emulated(self, admin, server, emulated, told):
        body = {"gitVersion": "v1.37.2", "minor": "37+", "emulationMinor": emulated}
        server.always("/version", Reply(200, body))
        assert take(admin).header.kubernetes_version == told

    def test_kinds_that_are_not_served_are_said_and_weaken_nothing(self, admin):
        missing = {entry.resource: entry for entry in take(admin).header.missing}
        assert set(missing) == {
            "resourcequotas",
            "cronjobs.batch",
            "volumeattributesclasses.storage.k8s.io",
            "devicetaintrules.resource.k8s.io",
            "podgroups.scheduling.k8s.io",
            "compositepodgroups.scheduling.k8s.io",
            "workloads.scheduling.k8s.io",
        }
        assert {(entry.reason, entry.weakens) for entry in missing.values()} == {("NotServed", "")}

    def test_only_get_requests_are_sent(self, admin, server):
        take(admin)
        assert {seen.method for seen in server.seen} == {"GET"}
        assert len(server.seen) > len(KINDS)

    def test_the_chunk_size_is_asked_for(self, admin, server):
        take(admin, chunk_size=77)
        assert [query["limit"] for query in server.paths(PODS)] == ["77"] * 3

    def test_without_a_chunk_size_there_is_no_limit(self, admin, server):
        take(admin, chunk_size=0)
        assert all("limit" not in query for query in server.paths(PODS))

    def test_progress_is_told_page_by_page(self, admin):
        steps = []

        class Steps:
            def progress(self, what, done, total):
                steps.append((what, done, total))

            def warning(self, text): ...

            def note(self, text): ...

        take_snapshot(admin, NOW, observer=Steps())
        assert [step for step in steps if step[0] == "pods"] == [
            ("pods", 100, 230),
            ("pods", 200, 230),
            ("pods", 230, 230),
        ]

    def test_a_cluster_reads_like_files(self, admin):
        loaded = read_cluster(admin, NOW)
        assert len(loaded.objects) == sum(recorded().values())
        assert loaded.snapshots[0].origin.context == "admin"
        assert loaded.place_of(loaded.objects[3]).file == str(admin)


class TestExpiredPages:
    def test_after_the_first_410_the_list_begins_again(self, admin, server):
        server.plan(PODS, first_pods_page(server))
        snapshot = take(admin)
        assert kinds(snapshot) == recorded()
        assert [note.code for note in snapshot.header.notes] == ["list-restarted"]
        assert [query.get("continue", "") for query in server.paths(PODS)][:3] == ["", OLD_TOKEN, ""]

    def test_after_the_second_410_it_goes_on_with_the_token_that_is_offered(self, admin, server):
        first = first_pods_page(server)
        expired = server.recording.find("admin", f"{PODS}?continue={OLD_TOKEN}")
        server.plan(PODS, first, expired, first, expired)
        snapshot = take(admin)
        assert kinds(snapshot) == recorded()
        assert [note.code for note in snapshot.header.notes] == ["list-restarted", "list-inconsistent"]
        assert "from the 101. on it is newer" in snapshot.header.notes[1].text

    def test_without_an_offered_token_it_is_given_up_in_the_end(self, admin, server):
        first = first_pods_page(server)
        expired = status(410, "Expired", "The provided continue parameter is too old")
        server.plan(PODS, first, expired, first, expired, first, expired)
        with pytest.raises(ClusterError, match="the list of pods expires before it is read") as caught:
            take(admin)
        assert "--chunk-size" in caught.value.hint

    def test_after_a_broken_token_the_list_begins_again(self, admin, server):
        server.plan(PODS, first_pods_page(server, "garbage"))
        snapshot = take(admin)
        assert kinds(snapshot) == recorded()
        assert [note.code for note in snapshot.header.notes] == ["list-restarted"]

    def test_a_token_that_stays_broken_is_an_error(self, admin, server):
        page = first_pods_page(server, "garbage")
        broken = server.recording.find("admin", f"{PODS}?continue=garbage")
        assert broken.status == 400
        server.plan(PODS, page, broken, page, broken)
        with pytest.raises(ClusterError, match="400: invalid continue token"):
            take(admin)


class TestRights:
    def test_pods_are_indispensable(self, as_):
        with pytest.raises(ClusterError, match="does not allow to list") as caught:
            take(as_("viewer"))
        assert "snapshot rbac" in caught.value.hint
        assert "verbs [list]" in caught.value.hint

    def test_other_kinds_are_left_out_with_what_that_weakens(self, admin, server):
        server.always(PDBS, status(403, "Forbidden", "poddisruptionbudgets.policy is forbidden"))
        snapshot = take(admin)
        assert kinds(snapshot) == recorded() - Counter(PodDisruptionBudget=1000)
        entry = next(entry for entry in snapshot.header.missing if entry.reason == "Forbidden")
        assert entry.resource == "poddisruptionbudgets.policy"
        assert entry.message == "poddisruptionbudgets.policy is forbidden"
        assert "preemption" in entry.weakens
        assert entry.rule is not None
        assert msgspec.to_builtins(entry.rule) == {
            "apiGroups": ("policy",),
            "resources": ("poddisruptionbudgets",),
            "verbs": ("list",),
        }

    def test_bad_credentials_end_it_at_once(self, as_, server):
        with pytest.raises(ClusterError, match=r"does not accept the credentials \(401\)") as caught:
            take(as_("invalid"))
        assert "log in again" in caught.value.hint
        assert len(server.seen) == 1

    def test_impersonation_is_sent_as_kubectl_sends_it(self, kubeconfig, server):
        connection = connect(str(kubeconfig), as_user="jane", as_groups=("dev", "ops"))
        take(connection)
        assert {seen.headers["impersonate-user"] for seen in server.seen} == {"jane"}
        assert {seen.headers["impersonate-group"] for seen in server.seen} <= {"dev", "ops"}


class TestVersions:
    CLAIMS = "/apis/resource.k8s.io/{}/resourceclaims"
    NOT_FOUND = status(404, "NotFound", "the server could not find the requested resource")

    def test_an_older_version_is_read_where_the_newest_is_not_served(self, admin, server):
        server.always(self.CLAIMS.format("v1"), self.NOT_FOUND)
        claim = {"metadata": {"name": "c", "namespace": "default", "uid": "u"}, "spec": {}}
        server.always(self.CLAIMS.format("v1beta2"), items("ResourceClaim", claim))
        claims = [obj for obj in take(admin).objects if obj.kind == "ResourceClaim"]
        assert [(claim.api_version, claim.name) for claim in claims] == [("resource.k8s.io/v1beta2", "c")]

    def test_a_version_that_we_do_not_read_weakens_answers(self, admin, server):
        server.always(self.CLAIMS.format("v1"), self.NOT_FOUND)
        server.always("/apis/resource.k8s.io", Reply(200, {"versions": [{"version": "v1beta1"}]}))
        server.always(
            "/apis/resource.k8s.io/v1beta1", Reply(200, {"resources": [{"name": "resourceclaims"}]})
        )
        missing = {entry.resource: entry for entry in take(admin).header.missing}
        entry = missing["resourceclaims.resource.k8s.io"]
        assert (entry.reason, entry.message) == ("OtherVersion", "served as v1beta1; read are v1, v1beta2")
        assert entry.weakens


TROUBLE = {
    "429": Reply(429, {"message": "too many requests"}, {"Retry-After": "1"}),
    "500": status(500, "InternalError", "etcdserver: leader changed"),
    "503": Reply(503, b"upstream connect error"),
    "504": status(504, "Timeout", "the request timed out"),
    "cut in the body": Reply(200, {"items": []}, cut=True),
}


class TestTrouble:
    @pytest.mark.parametrize("reply", TROUBLE.values(), ids=TROUBLE)
    def test_it_is_tried_again(self, admin, server, reply):
        server.plan(PODS, reply)
        assert kinds(take(admin)) == recorded()
        assert len(server.paths(PODS)) == 4

    def test_a_connection_cut_in_the_middle_of_a_large_page(self, admin, server):
        whole = server.recording.find("admin", PODS)
        server.plan(PODS, Reply(200, whole.body, cut=True))
        assert kinds(take(admin)) == recorded()

    def test_there_is_a_pause_and_the_server_may_ask_for_a_longer_one(self, admin, server):
        server.plan(PODS, Reply(429, {}, {"Retry-After": "2"}))
        begin = time.monotonic()
        take(admin)
        assert time.monotonic() - begin >= 2

    def test_a_slow_answer_is_waited_for(self, admin, server):
        slow = server.recording.find("admin", PDBS)
        server.plan(PDBS, Reply(slow.status, slow.body, delay=1.0))
        assert kinds(take(admin)) == recorded()

    def test_it_is_given_up_after_the_time(self, admin, server):
        server.always(PODS, status(429, "TooManyRequests", "the apiserver is overloaded"))
        begin = time.monotonic()
        with pytest.raises(ClusterError, match="no answer to GET /api/v1/pods within 2 s") as caught:
            take(admin, timeout=2.0)
        assert "429 the apiserver is overloaded" in str(caught.value)
        assert "--timeout" in caught.value.hint
        assert time.monotonic() - begin < 4

    def test_a_group_whose_server_is_down_is_left_out(self, admin, server):
        for kind in KINDS:
            if kind.group == "resource.k8s.io":
                for version in kind.api_versions:
                    server.always(f"/apis/{version}/{kind.plural}", Reply(503, b"service unavailable\n"))
        begin = time.monotonic()
        snapshot = take(admin)
        assert time.monotonic() - begin < 15
        missing = {
            entry.resource: entry for entry in snapshot.header.missing if entry.reason == "Unavailable"
        }
        assert len(missing) == 5
        entry = missing["resourceclaims.resource.k8s.io"]
        assert (
            "fails on GET /apis/resource.k8s.io/v1/resourceclaims: 503 service unavailable" in entry.message
        )
        assert entry.weakens
        assert not any(obj.kind == "ResourceClaim" for obj in snapshot.objects)
        assert kinds(snapshot)["Pod"] == 230

    def test_an_answer_that_never_comes_does_not_hold_it_up(self, admin, server):
        server.always(PODS, Reply(200, {}, delay=5.0))
        begin = time.monotonic()
        with pytest.raises(ClusterError, match="within 1 s"):
            take(admin, timeout=1.0)
        assert time.monotonic() - begin < 4

    def test_a_login_page_is_no_list(self, admin, server):
        server.always(PODS, Reply(200, b"<html>Please log in</html>", {"Content-Type": "text/html"}))
        with pytest.raises(ClusterError, match="answered GET /api/v1/pods with 200: <html>Please log in"):
            take(admin)

    def test_a_redirect_is_not_followed(self, admin, server):
        server.always(PODS, Reply(302, b"", {"Location": "https://elsewhere.example/"}))
        with pytest.raises(ClusterError, match="answered GET /api/v1/pods with 302"):
            take(admin)

    def test_a_server_that_has_no_pods_is_no_api_server(self, admin, server):
        server.always(NODES, TestVersions.NOT_FOUND)
        with pytest.raises(ClusterError, match="does not serve nodes"):
            take(admin)

    @pytest.mark.parametrize(
        ("nodes", "told"),
        [
            pytest.param(
                [{"metadata": {"name": "n1"}, "spec": {"unschedulable": "maybe"}}],
                "a Node that cannot be read: spec.unschedulable: expected true or false",
                id="another type",
            ),
            pytest.param(
                [{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4 cores"}}}],
                'a Node that cannot be read: status.allocatable.cpu: "4 cores" is no quantity',
                id="no quantity",
            ),
            pytest.param([{"metadata": {"labels": {}}}], "a Node without metadata.name", id="no name"),
            pytest.param([{"metadata": {"name": "n1"}}] * 2, "a Node n1 twice", id="twice"),
        ],
    )
    def test_what_could_not_be_read_from_a_file_is_refused(self, admin, server, nodes, told):
        server.always(NODES, items("Node", *nodes))
        with pytest.raises(ClusterError, match=f"sent {re.escape(told)}"):
            take(admin)

    def test_nulls_are_absent(self, admin, server):
        node = {"metadata": {"name": "n1", "labels": None}, "spec": {"taints": None}, "status": {}}
        server.always(NODES, items("Node", node))
        nodes = [obj for obj in take(admin).objects if isinstance(obj, Node)]
        assert [node.name for node in nodes] == ["n1"]

    def test_an_empty_list_may_be_null(self, admin, server):
        server.always(PDBS, Reply(200, {"items": None, "metadata": {"resourceVersion": "7"}}))
        assert kinds(take(admin)) == recorded() - Counter(PodDisruptionBudget=1000)

    def test_an_interrupt_ends_it(self, admin, server):
        """As Ctrl-C does; threads that still wait for answers are left to themselves."""

        class Interrupts:
            def progress(self, what, done, total):
                if what == "pods":
                    raise KeyboardInterrupt

            def warning(self, text): ...

            def note(self, text): ...

        server.always(PDBS, Reply(200, {}, delay=5.0))
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            take_snapshot(admin, NOW, observer=Interrupts())
        assert time.monotonic() - begin < 4


class TestNodesThatJoin:
    def pod(self, name: str, node: str, phase: str = "Running") -> dict[str, Any]:
        meta = {"name": name, "namespace": "default", "uid": name}
        return {"metadata": meta, "spec": {"nodeName": node}, "status": {"phase": phase}}

    def node(self, name: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "uid": name}}

    def test_nodes_are_read_again_for_pods_on_unknown_ones(self, admin, server):
        server.always(PODS, items("Pod", self.pod("a", "n1"), self.pod("b", "n2")))
        server.always(NODES, items("Node", self.node("n1"), self.node("n2")))
        server.plan(NODES, items("Node", self.node("n1")))
        snapshot = take(admin)
        assert [obj.name for obj in snapshot.objects if isinstance(obj, Node)] == ["n1", "n2"]
        assert [(note.code, "n2" in note.text) for note in snapshot.header.notes] == [
            ("nodes-listed-again", True)
        ]

    def test_nodes_that_are_gone_are_noted(self, admin, server):
        server.always(PODS, items("Pod", self.pod("a", "n1"), self.pod("b", "n2")))
        server.always(NODES, items("Node", self.node("n1")))
        snapshot = take(admin)
        assert [note.code for note in snapshot.header.notes] == ["nodes-gone"]
        assert len(server.paths(NODES)) == 2

    def test_finished_pods_do_not_count(self, admin, server):
        server.always(PODS, items("Pod", self.pod("a", "gone", "Succeeded")))
        server.always(NODES, items("Node", self.node("n1")))
        assert take(admin).header.notes == ()
        assert len(server.paths(NODES)) == 1


def test_kinds_are_listed_at_the_same_time(admin, server):
    together = threading.Barrier(3, timeout=5)

    def hook(seen):
        if seen.path in (PODS, NODES, "/api/v1/services") and "continue" not in seen.query:
            together.wait()

    server.hook = hook
    assert kinds(take(admin, workers=4)) == recorded()


def test_importing_the_package_does_not_import_the_client():
    import subprocess
    import sys

    code = "import sys, kschedctl.live; sys.exit('kubernetes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2]).returncode == 0
