"""`kschedctl sweep`: a grid of scenarios."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from builders import node, pod
from extender_builders import extender, names, with_extenders
from extender_server import Server

from kschedctl.parallel import WorkerError
from kschedctl.questions import sweep as asking
from kschedctl.reports.schema import shipped_schema
from kschedctl.reports.sweep.model import SweepReport

STORED = Path(__file__).parent / "golden"
FILE = "fixtures/sweep/sweep.yaml"

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.fixture
def sweep_of(run, tmp_path):
    """A function that sweeps over axes; the cluster has two nodes of 1 CPU in two zones, and a pod that waits."""
    objects = [node("n1", "a", cpu="1"), node("n2", "b", cpu="1"), pod("waits", cpu="600m")]
    (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def sweep(axes, *more, stdin=b"", **parts):
        data = {
            "apiVersion": "kschedctl.dev/v1alpha1",
            "kind": "Sweep",
            "metadata": {"name": "two nodes"},
            "axes": axes,
        }
        path = tmp_path / "sweep.yaml"
        path.write_text(yaml.safe_dump(data | parts))
        cluster = ("-c", str(tmp_path / "cluster.json"))
        return run("sweep", str(path), *cluster, "-j", "1", *more, stdin=stdin)

    return sweep


def trials_of(done):
    return json.loads(done.out)["trials"]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("sweep", (), 1),
        ("sweep-markdown", ("-o", "markdown"), 1),
        ("sweep-wide", ("-o", "wide"), 1),
        ("sweep-name", ("-o", "name"), 1),
        ("sweep-plan", ("--plan",), 0),
        ("sweep-cpu", ("--show", "cpu", "--rows", "workers more"), 1),
    ],
)
def test_what_is_printed(run, golden, name, arguments, code):
    done = run("sweep", FILE, "-j", "1", *arguments)
    assert (done.code, done.err) == (code, "")
    golden(STORED / f"{name}.txt", done.out)


def test_the_report_is_as_its_schema_says(run):
    jsonschema.validate(
        json.loads(run("sweep", FILE, "-j", "1", "-o", "json").out), shipped_schema(SweepReport)
    )


def test_every_scenario_is_what_simulate_says(run):
    report = json.loads(run("sweep", FILE, "-j", "1", "-o", "json").out)
    cluster = ("-c", "fixtures/release-shop/cluster.yaml", "-c", "fixtures/gate-release/csi-nodes.yaml")
    for trial in report["trials"][::4]:
        lost, more = trial["values"]
        changes = ["--add-node", f"like=w1={more}"] if more != "0" else []
        changes += ["--remove-node", lost] if lost != "none" else []
        done = run("simulate", "fixtures/release-shop/manifests", *cluster, *changes, "-o", "json")
        simulated = json.loads(done.out)
        for name in ("wanted", "placed", "seconds"):
            assert trial[name] == simulated[name], (trial["values"], name)
        assert trial["evictions"] == len(simulated["evictions"])
        assert trial["passed"] == (done.code == 0)
        load = {one["resource"]: one["after"] for one in simulated["load"]}
        cpu = load["cpu"]["requested"] / load["cpu"]["allocatable"]
        assert trial["load"]["cpu"] == pytest.approx(cpu, abs=1e-6)


def test_several_processes_say_the_same(run):
    alone, two = (run("sweep", FILE, "-j", jobs, "-o", "json") for jobs in ("1", "2"))
    assert alone.out == two.out


def test_what_is_lost_goes_last(sweep_of):
    """A node may be lost although others are copies of it, whichever axis stands first."""
    done = sweep_of([{"loseNodes": "n1"}, {"addNodes": {"shape": "like=n1", "count": [2]}}], "-o", "json")
    (trial,) = trials_of(done)
    assert (trial["error"], trial["nodes"], done.code) == (None, 3, 0)


def test_a_bad_scenario_does_not_stop_the_others(sweep_of):
    done = sweep_of([{"versions": ["1.36", "9.9", "1.37"]}], "-o", "json")
    assert [trial["error"] for trial in trials_of(done)] == [None, "'9.9' is no version of Kubernetes", None]
    assert done.code == 2


def test_a_fault_of_ours_does_not_stop_the_others(sweep_of, monkeypatch):
    asked = []

    def run_of(*_):
        asked.append(1)
        raise ZeroDivisionError("once")

    monkeypatch.setattr("kschedctl.questions.trials.run_of", run_of)
    done = sweep_of([{"seeds": [1, 2]}], "-o", "json")
    assert [trial["error"] for trial in trials_of(done)] == ["internal error: ZeroDivisionError: once"] * 2
    assert (done.code, len(asked)) == (2, 2)


def test_expectations(sweep_of):
    lost = [{"loseDomains": "topology.kubernetes.io/zone"}]
    assert sweep_of(lost, "-q").out == "✓ two nodes: all 2 scenarios are as expected\n"
    told = sweep_of(lost, "-o", "json", expectations={"headroom": {"cpu": "50%"}})
    assert [trial["findings"] for trial in trials_of(told)] == [
        ["40.0 % of cpu stay free, 50 % are wanted"]
    ] * 2
    assert told.code == 1


def test_weights_and_seeds_decide(sweep_of):
    axes = [{"weight": {"plugin": "NodeResourcesFit", "values": [1, 5]}}, {"seeds": {"from": 0, "to": 9}}]
    trials = trials_of(sweep_of(axes, "-o", "json"))
    assert len({trial["placements"] for trial in trials}) == 2  # either node, as both are alike


def test_an_unknown_weight_is_told_in_each_scenario(sweep_of):
    done = sweep_of([{"weight": {"plugin": "Nobody", "values": [1]}}], "-o", "json")
    assert trials_of(done)[0]["error"].startswith("no profile scores nodes by 'Nobody'")
    assert done.code == 2


def test_results_are_taken_up(sweep_of, tmp_path, monkeypatch):
    kept = tmp_path / "done.jsonl"
    resumed = ("--results", str(kept), "--resume", "-o", "json")
    first = sweep_of([{"seeds": [1, 2, 3]}], "--results", str(kept), "-o", "json")
    lines = kept.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    kept.write_bytes(b"".join(lines[:2]) + lines[2][:30])  # interrupted in the middle of a line
    again = sweep_of([{"seeds": [1, 2, 3]}], *resumed)
    assert trials_of(again) == trials_of(first)
    assert json.loads(again.out)["resumed"] == 1
    monkeypatch.setattr("kschedctl.questions.trials.run_of", None)  # nothing is run any more
    more = sweep_of([{"name": "tie", "seeds": [3, 2]}], *resumed)
    assert [trial["values"] for trial in trials_of(more)] == [["3"], ["2"]]
    assert json.loads(more.out)["resumed"] == 2


def test_results_of_another_cluster_are_not_taken(sweep_of, tmp_path):
    kept = tmp_path / "done.jsonl"
    sweep_of([{"seeds": [1]}], "--results", str(kept))
    cluster = tmp_path / "cluster.json"
    cluster.write_text(cluster.read_text().replace("600m", "700m"))
    done = sweep_of([{"seeds": [1]}], "--results", str(kept), "--resume", "-o", "json")
    assert json.loads(done.out)["resumed"] == 0


@pytest.mark.parametrize(
    ("content", "more", "told"),
    [
        pytest.param('{"a": 1}\n', ("--resume",), "holds no results of a sweep", id="something else"),
        pytest.param("cluster", ("--resume",), "holds no results of a sweep", id="not even a line"),
        pytest.param('{"a": 1}\n', (), "there are results in", id="not asked for"),
    ],
)
def test_what_is_no_file_of_results(sweep_of, tmp_path, content, more, told):
    kept = tmp_path / "done.jsonl"
    kept.write_text(content)
    done = sweep_of([{"seeds": [1]}], "--results", str(kept), *more)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert kept.read_text() == content


def test_resume_needs_results(sweep_of):
    done = sweep_of([{"seeds": [1]}], "--resume")
    assert (done.code, done.out) == (2, "")
    assert "--results FILE" in done.err


def test_an_axis_that_is_not_there(sweep_of):
    done = sweep_of([{"seeds": [1]}], "--rows", "seeds")
    assert done.code == 2
    assert "there is no axis 'seeds'" in done.err
    assert "The axes are seed." in done.err


@pytest.fixture
def server():
    made = Server()
    made.answers = {"filter": names("n1", "n2"), "prioritize": [], "preempt": {}}
    yield made
    made.close()


def test_what_an_extender_costs_is_said_before(sweep_of, server, tmp_path):
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps(with_extenders(extender(server.url))))
    axes = [{"seeds": [1, 2, 3]}]
    extended = ("--scheduler-config", str(path), "--allow-extenders")
    verbs = 2  # filter and prioritize
    planned = sweep_of(axes, *extended, "--plan", "-o", "json")
    assert server.requests == []
    assert f"3 scenarios send about {3 * verbs} requests to {server.url}" in planned.err
    assert json.loads(planned.out)["extenders"] == [{"url": server.url, "requests": 3 * verbs}]
    done = sweep_of(axes, *extended, "-o", "json")
    assert len(server.requests) == 3 * verbs
    assert [trial["requests"] for trial in trials_of(done)] == [verbs] * 3


def test_a_process_that_ends_is_told(sweep_of, monkeypatch):
    def ended(*_, **__):
        raise WorkerError("a process that worked has ended before its time")
        yield

    monkeypatch.setattr(asking, "each", ended)
    done = sweep_of([{"seeds": [1]}])
    assert (done.code, done.out) == (2, "")
    assert "has ended before its time" in done.err


def test_a_page(run):
    page = run("sweep", FILE, "-j", "1", "-o", "html").out
    assert re.search(r'<td class="number heat-4 no">4</td>', page)


def test_narrow_cells_are_shades(sweep_of):
    done = sweep_of([{"seeds": {"from": 0, "to": 119}}, {"versions": ["1.36", "1.37"]}], "--rows", "version")
    assert max(map(len, done.out.splitlines())) <= 80


def test_results_that_hang_on_a_catalogue_are_not_kept(sweep_of, tmp_path):
    kept = tmp_path / "done.jsonl"
    expected = {"nodesNeeded": {"shape": "like=n1", "atMost": 1}}
    for resume in ((), ("--resume",)):
        done = sweep_of(
            [{"seeds": [1]}], "--results", str(kept), *resume, "-o", "json", expectations=expected
        )
        assert (done.code, json.loads(done.out)["resumed"]) == (0, 0)
