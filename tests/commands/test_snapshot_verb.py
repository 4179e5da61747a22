"""`kschedctl snapshot` end to end: files that are written, what is said of them, exit codes."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from builders import node

from kschedctl.objects.kinds import KINDS
from kschedctl.reports.schema import shipped_schema
from kschedctl.reports.snapshot.diff import SnapshotDiff
from kschedctl.reports.snapshot.info import SnapshotInfo
from kschedctl.sources.load import load

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
SHOP = ROOT / "fixtures/snapshots/shop.json"
PLAIN = ROOT / "fixtures/release-shop/cluster.yaml"


pytestmark = pytest.mark.usefixtures("in_tmp_path")


def names(path):
    return sorted((obj.kind, obj.namespace, obj.name) for obj in load([str(path)]).objects)


def age(text):
    """The text without the age, which grows."""
    return re.sub(r"\(\d+ \w+ ago\)", "(7 d ago)", text)


class TestConvert:
    @pytest.mark.parametrize("name", ["s.json", "s.json.gz"])
    def test_files_become_a_snapshot(self, run, name):
        assert run("snapshot", "convert", str(PLAIN), "-o", name).code == 0
        loaded = load([name])
        assert names(name) == names(PLAIN)
        assert loaded.snapshots[0].origin.files == (str(PLAIN),)

    def test_a_snapshot_becomes_a_list(self, run):
        assert run("snapshot", "convert", str(SHOP), "-o", "list.json").code == 0
        data = json.loads(Path("list.json").read_text())
        assert (data["apiVersion"], data["kind"]) == ("v1", "List")
        assert names("list.json") == names(SHOP)

    def test_a_snapshot_becomes_a_directory(self, run):
        assert run("snapshot", "convert", str(SHOP), "--to", "directory", "-o", "cluster").code == 0
        assert "nodes.json" in {path.name for path in Path("cluster").iterdir()}
        assert names("cluster") == names(SHOP)

    def test_there_and_back_nothing_changes(self, run):
        run("snapshot", "convert", str(PLAIN), "-o", "s.json.gz")
        run("snapshot", "convert", "s.json.gz", "-o", "list.json")
        run("snapshot", "convert", "list.json", "-o", "again.json.gz")
        assert run("snapshot", "diff", "s.json.gz", "again.json.gz").code == 0

    def test_a_snapshot_keeps_its_header(self, run):
        run("snapshot", "convert", str(SHOP), "--to", "snapshot", "-o", "s.json")
        assert load(["s.json"]).snapshots == load([str(SHOP)]).snapshots

    def test_a_directory_cannot_go_to_stdout(self, run):
        done = run("snapshot", "convert", str(SHOP), "--to", "directory")
        assert (done.code, done.out) == (2, "")
        assert "a directory cannot be written to stdout" in done.err

    def test_names_are_replaced_and_can_be_looked_up(self, run):
        done = run(
            "snapshot", "convert", str(PLAIN), "--redact", "names", "--names-to", "n.json", "-o", "r.json"
        )
        assert done.code == 0
        text = Path("r.json").read_text()
        names = {obj.name for obj in load([str(PLAIN)]).objects if obj.kind in ("Node", "Pod", "Deployment")}
        assert not any(
            f'"{name}"' in text for name in names - {"web"}
        )  # also a container, which keeps its name
        assert "release-shop" not in text
        assert '"namespace":"shop"' not in text
        originals = json.loads(Path("n.json").read_text())
        assert {node.name for node in load([str(PLAIN)]).objects if node.kind == "Node"} <= {
            *originals.values()
        }
        assert load(["r.json"]).snapshots[0].redacted == ("names",)

    def test_what_a_redaction_leaves_is_told(self, run):
        expression = 'device.attributes["d"].model.startsWith("a")'
        gpu = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}}
        Path("c.json").write_text(
            json.dumps({**gpu, "spec": {"selectors": [{"cel": {"expression": expression}}]}})
        )
        done = run("snapshot", "convert", "c.json", "--redact", "names", "-o", "r.json")
        assert done.err.startswith("note: texts of device attributes and selectors are kept")
        assert run("snapshot", "convert", "c.json", "-o", "s.json").err == ""

    def test_a_list_of_names_needs_a_redaction(self, run):
        done = run("snapshot", "convert", str(PLAIN), "--names-to", "n.json", "-o", "r.json")
        assert done.code == 2
        assert "--names-to goes with --redact names only" in done.err
        assert not Path("r.json").exists()

    def test_it_writes_to_stdout(self):
        words = [sys.executable, "-m", "kschedctl", "snapshot", "convert", str(SHOP)]
        done = subprocess.run(words, capture_output=True, check=True, cwd=ROOT)
        assert json.loads(done.stdout)["kind"] == "List"
        assert done.stderr == b""


class TestInfo:
    def test_the_room_of_every_node_is_told_as_data(self, run):
        report = json.loads(run("snapshot", "info", str(SHOP), "-o", "json").out)
        assert [room["name"] for room in report["rooms"]] == ["w1", "w3", "w5", "w2", "w4", "w6"]
        assert report["rooms"][0]["after"]["cpu"] == 3200
        assert json.loads(run("snapshot", "info", str(SHOP), "-o", "json", "-q").out)["rooms"] == []

    def test_what_is_printed(self, run, golden, monkeypatch):
        monkeypatch.chdir(ROOT)
        golden(STORED / "snapshot-info.txt", age(run("snapshot", "info", "fixtures/snapshots/shop.json").out))

    def test_quiet_is_one_line(self, run):
        done = run("snapshot", "info", str(SHOP), "-q")

        assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
        assert age(done.out).startswith(f"{SHOP}: 6 nodes, 16 pods, taken ")
        assert done.out.endswith(", csinodes.storage.k8s.io missing\n")

    def test_amounts_are_written_as_people_write_them(self, run):
        lines = [line.split() for line in run("snapshot", "info", str(SHOP)).out.splitlines()]

        assert ["cpu", "24", "14.2"] in lines
        assert ["memory", "96Gi", "18.2Gi"] in lines

    @pytest.mark.parametrize("output", ["table", "markdown", "html"])
    def test_sums_may_be_longer_than_any_amount_that_is_read(self, run, output):
        for name, count in (("few.json", 1), ("many.json", 12)):
            nodes = [node(f"n{i}", cpu="9" * 10_000, memory="9" * 10_000) for i in range(count)]
            Path(name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
        told = run("snapshot", "info", "many.json", "-o", output)
        compared = run("snapshot", "diff", "few.json", "many.json", "-o", output)

        assert (told.code, told.err) == (0, "")
        assert "1.2e+10001" in told.out
        assert (compared.code, compared.err) == (1, "")
        assert output == "html" or "9" * 100 not in compared.out, "a page holds the whole report as data"

    def test_json_follows_its_schema(self, run):
        report = json.loads(run("snapshot", "info", str(SHOP), "-o", "json").out)
        jsonschema.validate(report, shipped_schema(SnapshotInfo))
        assert report["snapshots"][0]["context"] == "shop"
        assert report["missing"][0]["rule"]["verbs"] == ["list"]

    def test_yaml_says_the_same(self, run):
        as_json = json.loads(run("snapshot", "info", str(SHOP), "-o", "json").out)
        assert yaml.safe_load(run("snapshot", "info", str(SHOP), "-o", "yaml").out) == as_json

    def test_plain_files_have_no_origin(self, run):
        report = json.loads(run("snapshot", "info", str(PLAIN), "-o", "json").out)
        assert (report["snapshots"], report["missing"]) == ([], [])
        assert report["pods"] == {"onNodes": 16, "pending": 0, "finished": 0}

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b'{"apiVersion": "kschedctl.dev/v7", "kind": "ClusterSnapshot"}', "only kschedctl.dev/v1alpha1"),
            (b'{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Clust', "the JSON is cut off"),
            (b"\x1f\x8b\x08\x00", "the gzip data is cut off"),
        ],
        ids=["version", "truncated", "truncated gzip"],
    )
    def test_what_cannot_be_read_is_said(self, run, content, message):
        Path("s.json").write_bytes(content)
        done = run("snapshot", "info", "s.json")
        assert (done.code, done.out) == (2, "")
        assert message in done.err

    def test_other_formats_are_refused(self, run):
        done = run("snapshot", "info", str(SHOP), "-o", "wide")
        assert done.code == 2
        assert "'wide' is not one of table, json, yaml" in done.err


class TestDiff:
    @pytest.fixture
    def changed(self):
        """The shop with a new node, a pod less, a cordon and a pod that has moved."""
        data = json.loads(SHOP.read_text())
        nodes = [item for item in data["items"] if item["kind"] == "Node"]
        nodes[0].setdefault("spec", {})["unschedulable"] = True
        data["items"].append({**nodes[1], "metadata": {"name": "w9"}})
        data["pods"][0]["nodeName"] = "w9"
        del data["pods"][1]
        Path("changed.json").write_text(json.dumps(data))
        return "changed.json"

    def test_the_same(self, run):
        done = run("snapshot", "diff", str(SHOP), str(SHOP))
        assert done.code == 0
        assert done.out.startswith("✓ ")

    def test_a_snapshot_and_the_files_it_was_made_of_are_the_same(self, run):
        assert run("snapshot", "diff", str(PLAIN), str(SHOP)).code == 0

    def test_what_is_printed(self, run, golden, changed):
        shutil.copy(SHOP, "shop.json")
        done = run("snapshot", "diff", "shop.json", changed)
        assert done.code == 1
        golden(STORED / "snapshot-diff.txt", done.out)

    def test_a_path_longer_than_a_line_stays_whole(self, run, changed):
        long = Path("/".join(["a-long-name"] * 12), "shop.json")
        long.parent.mkdir(parents=True)
        shutil.copy(SHOP, long)
        assert run("snapshot", "diff", str(long), str(long)).out == (
            f"✓ {long} and {long} are the same for scheduling\n"
        )
        assert (
            f"✗ {long} and {changed} differ in 4 objects\n" in run("snapshot", "diff", str(long), changed).out
        )

    def test_json_follows_its_schema(self, run, changed):
        report = json.loads(run("snapshot", "diff", str(SHOP), changed, "-o", "json").out)
        jsonschema.validate(report, shipped_schema(SnapshotDiff))
        kinds = {kind["resource"]: kind for kind in report["kinds"]}
        assert kinds["nodes"]["added"] == ["w9"]
        assert kinds["nodes"]["changed"][0]["fields"] == [
            {"field": "spec.unschedulable", "before": None, "after": True}
        ]
        assert len(kinds["pods"]["removed"]) == 1
        assert [field["field"] for field in kinds["pods"]["changed"][0]["fields"]] == ["spec.nodeName"]
        assert {total["resource"] for total in report["allocatable"]} >= {"cpu", "memory"}

    def test_quiet_is_one_line(self, run, changed):
        done = run("snapshot", "diff", str(SHOP), changed, "-q")
        assert done.code == 1
        assert "\n\n" not in done.out

    def test_a_missing_file_is_no_difference(self, run):
        done = run("snapshot", "diff", str(SHOP), "absent.json")
        assert (done.code, done.out) == (2, "")


class TestRbac:
    def test_it_is_a_role_that_can_list_every_kind_and_nothing_else(self, run):
        role = yaml.safe_load(run("snapshot", "rbac").out)
        assert (role["apiVersion"], role["kind"]) == ("rbac.authorization.k8s.io/v1", "ClusterRole")
        allowed = {
            (group, resource)
            for rule in role["rules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        }
        assert allowed == {(kind.group, kind.plural) for kind in KINDS}
        assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
        assert "*" not in str(role)
        assert not any(resource == "secrets" for _, resource in allowed)

    def test_every_format_says_the_same(self, run):
        role = yaml.safe_load(run("snapshot", "rbac").out)
        assert json.loads(run("snapshot", "rbac", "-o", "json").out) == role
        lines = run("snapshot", "rbac", "-o", "table").out.splitlines()
        assert len(lines) == len(KINDS)
        assert "list  csinodes.storage.k8s.io" in lines
