"""Damaged snapshots, files that leak or are left behind, absurd terminals: an answer or an error, never more."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from builders import node, pod

ROOT = Path(__file__).parents[2]
SHOP = json.loads((ROOT / "fixtures/snapshots/shop.json").read_text())
INFO = ("snapshot", "info", "s.json")
ASK = ("explain", "pod.json", "-c", "s.json")


@pytest.fixture(autouse=True)
def inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("pod.json").write_text(json.dumps(pod("new")))
    Path("cluster.json").write_text(json.dumps(node("n1")))


@pytest.mark.parametrize("verb", [INFO, ASK], ids=["info", "explain"])
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        pytest.param("takenAt", "yesterday", "takenAt: expected a time with its zone", id="no time"),
        pytest.param("takenAt", "2026-03-01", "takenAt: expected a time with its zone", id="a day"),
        pytest.param(
            "takenAt", "2026-03-01T10:00:00", "takenAt: expected a time with its zone", id="no zone"
        ),
        pytest.param("takenAt", 5, "takenAt: expected a string", id="a number"),
        pytest.param(
            "takenAt", "\u202e", "takenAt: expected a time with its zone", id="a misleading character"
        ),
    ],
)
def test_a_field_of_a_snapshot(run, verb, field, value, message):
    Path("s.json").write_text(json.dumps(SHOP | {field: value}))
    done = run(*verb)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize("verb", [INFO, ASK], ids=["info", "explain"])
@pytest.mark.parametrize(
    "old", [b"Ready", b"prod", b"worker-1", b"takenAt", b"2026", b'"template": 0', b'"name"']
)
@pytest.mark.parametrize("new", [b"\xff", b"\xed\xa0\x80", b"1e999", b"\x00", b'"', b"\\ud800"])
def test_bytes_of_a_snapshot(run, verb, old, new):
    text = json.dumps(SHOP).encode()
    Path("s.json").write_bytes(text.replace(old, new, 1))
    done = run(*verb)
    assert done.code in (0, 1, 2)
    assert "internal error" not in done.err


@pytest.mark.parametrize("form", ["json", "yaml", "nested"])
def test_a_snapshot_in_a_list_is_read(run, form):
    plain = {"apiVersion": "v1", "kind": "List", "items": [SHOP]}
    if form == "nested":
        plain = {"apiVersion": "v1", "kind": "List", "items": [plain]}
    text = json.dumps(plain)
    Path("l.json").write_text(f"# YAML\n{text}" if form == "yaml" else text)
    Path("s.json").write_text(json.dumps(SHOP))
    assert run("snapshot", "diff", "l.json", "s.json").code == 0
    assert run("explain", "-A", "-c", "l.json").code == run("explain", "-A", "-c", "s.json").code


def test_the_names_are_for_their_owner_alone(run):
    done = run(
        "snapshot", "convert", "cluster.json", "--redact", "names", "--names-to", "names.json", "-o", "s.json"
    )
    assert done.code == 0
    assert stat.S_IMODE(Path("names.json").stat().st_mode) == 0o600


def test_a_snapshot_that_is_written_over_stays_private(run):
    Path("s.json").write_text("")
    Path("s.json").chmod(0o600)
    assert run("snapshot", "convert", "cluster.json", "-o", "s.json").code == 0
    assert stat.S_IMODE(Path("s.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("other", ["s.json", "./s.json", "link.json"])
def test_names_and_snapshot_are_two_files(run, other):
    Path("link.json").symlink_to("s.json")
    done = run(
        "snapshot", "convert", "cluster.json", "--redact", "names", "--names-to", other, "-o", "s.json"
    )
    assert done.code == 2
    assert "--names-to and -o name the same file" in done.err
    assert not Path("s.json").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_ended_leaves_no_file_behind(tmp_path, number):
    code = f"""
import os, signal
signal.signal({int(number)}, signal.SIG_DFL)  # whoever runs the tests may ignore it
from kschedctl.sources import atomic
write = atomic.write_lines
def ended(stream, items):
    os.kill(os.getpid(), {int(number)})
    write(stream, items)
import kschedctl.sources.snapshot_writer as writer
writer.write_lines = ended
from commands.main import run
run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, "snapshot", "convert", "cluster.json", "-o", "s.json"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 128 + number
    assert sorted(os.listdir(tmp_path)) == ["cluster.json", "pod.json"]


@pytest.mark.parametrize("columns", ["999999999", "0", "-5", "x", "1"])
def test_columns_are_bounded(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    done = run("explain", "pod.json", "-c", "cluster.json")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 1_000


@pytest.mark.parametrize("output", ["json", "yaml", "table", "markdown"])
def test_a_file_name_that_is_not_utf_8(run, output):
    name = os.fsdecode(b"c-\xff.json")
    os.rename("cluster.json", name)
    done = run("explain", "pod.json", "-c", name, "-o", output)
    assert done.code == 0, done.err
    assert "internal error" not in done.err
    assert run("snapshot", "convert", name, "-o", "s.json").code == 0


def test_a_field_that_is_a_number_of_any_size(run):
    Path("cluster.json").write_text(json.dumps(node("n1") | {"status": {"allocatable": {"cpu": 10**400}}}))
    assert run("explain", "pod.json", "-c", "cluster.json").code in (0, 1)


SCENARIO = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "a"},
    "cluster": "cluster.json",
    "manifests": ["pod.json"],
    "expectations": {"maxPending": 0},
}


@pytest.mark.parametrize("output", ["table", "markdown", "json", "yaml", "junit", "sarif", "github", "html"])
def test_a_scenario_and_manifests_whose_names_are_not_utf_8(run, output):
    name, manifest = os.fsdecode(b"s-\xff.json"), os.fsdecode(b"m-\xff.json")
    Path(manifest).write_text(json.dumps(pod("big", cpu="99")))
    Path(name).write_text(json.dumps(SCENARIO))
    done = run("gate", name, "-o", output)
    assert done.code == 0, done.err
    done = run("simulate", "-f", manifest, "-c", "cluster.json", "-o", "json")
    assert done.code == 1, done.err


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("metadata", "x", id="metadata that is a text"),
        pytest.param("metadata", [], id="metadata that is a list"),
        pytest.param("metadata", {"name": 5}, id="a name that is a number"),
        pytest.param("cluster", "a\0b", id="a path that none can be"),
        pytest.param("cluster", "a" * 5_000, id="a path that is too long"),
        pytest.param("cluster", "", id="no path"),
        pytest.param("manifests", ["a\0b"], id="manifests that none can be"),
        pytest.param("manifests", "x", id="manifests that are a text"),
        pytest.param("changes", [{"patch": "a\0b"}], id="a patch that none can be"),
        pytest.param("changes", [{"add-node": "a\0b"}], id="a node that none can be"),
        pytest.param("changes", [{"add-node": "a" * 5_000}], id="a node that is too long"),
        pytest.param("expectations", {"maxPending": 10**30}, id="a number of more than 64 bits"),
        pytest.param("expectations", None, id="null"),
    ],
)
@pytest.mark.parametrize("output", ["table", "sarif"])
def test_a_field_of_a_scenario(run, field, value, output):
    Path("scenario.json").write_text(json.dumps(SCENARIO | {field: value}))
    done = run("gate", "scenario.json", "-o", output)
    assert done.code in (0, 2)
    assert done.err or done.out
    assert "internal error" not in done.err


def test_a_filter_whose_first_half_is_switched_off(run):
    """It fails on every node, and has no details of its own."""
    plugins = {"preFilter": {"disabled": [{"name": "VolumeBinding"}]}}
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    Path("config.json").write_text(json.dumps(head | {"profiles": [{"plugins": plugins}]}))
    Path("pod.json").write_text(json.dumps(pod("new", cpu="4", priority=10)))
    running = pod("running", "n1", cpu="4", priority=0)
    Path("cluster.json").write_text("\n".join(map(json.dumps, [node("n1"), running])))
    for verb in ("explain", "preempt"):
        done = run(verb, "pod.json", "-c", "cluster.json", "--scheduler-config", "config.json")
        assert done.code in (1, 2)
        assert "internal error" not in done.err


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("--fail-domain", "\udcff=1"), id="key"),
        pytest.param(("--taint", "n1 a=\udcff:NoSchedule"), id="value of a taint"),
        pytest.param(("--label", "n1 a=\udcff"), id="value of a label"),
        pytest.param(("--cordon", "\udcff"), id="node"),
        pytest.param(("--scale", "deployment/\udcff=2"), id="workload"),
    ],
)
def test_an_argument_that_is_no_utf_8_is_refused(run, change):
    done = run("explain", "pod.json", "-c", "cluster.json", *change)
    assert (done.code, done.out) == (2, "")
    assert "internal error" not in done.err
