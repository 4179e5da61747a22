"""`--allow-extenders` and `--extender-recording`: nothing leaves the machine without the former."""

import json

import pytest
from builders import node, pod
from extender_builders import extender, names, with_extenders
from extender_server import Server


@pytest.fixture
def server():
    made = Server()
    made.answers = {
        "filter": names("n2", FailedNodes={"n1": "no license"}),
        "prioritize": [],
        "preempt": {},
    }
    yield made
    made.close()


@pytest.fixture
def explain(run, server, tmp_path):
    """A function that explains a pod in a cluster of three nodes whose scheduler has the extender."""
    files = {
        "cluster": {"apiVersion": "v1", "kind": "List", "items": [node(f"n{i}") for i in (1, 2, 3)]},
        "pod": pod("a", cpu="1"),
        "scheduler": with_extenders(extender(server.url, bindVerb="bind")),
    }
    for name, data in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data))

    def explained(*more):
        paths = [str(tmp_path / f"{name}.json") for name in files]
        return run("explain", paths[1], "-c", paths[0], "--scheduler-config", paths[2], *more)

    return explained


def caveats(done):
    return [caveat["code"] for caveat in json.loads(done.out)["cluster"]["caveats"]]


def test_nobody_is_asked_without_the_flag(explain, server):
    done = explain("-o", "json")
    assert server.requests == []
    assert "extenders-not-called" in caveats(done)


def test_a_pod_that_goes_to_a_node_that_is_made_up_goes_nowhere(explain, server):
    server.answers["filter"] = {"Nodes": {"items": [{"metadata": {"name": "n9"}}]}}
    done = explain("--allow-extenders")
    assert done.code == 1
    assert done.out.startswith("✗ default/a goes to n9, which the cluster does not have\n")
    assert "sends back node n9" in done.out


def test_the_flag_says_whom_it_asks(explain, server):
    done = explain("--allow-extenders", "-o", "json")
    assert done.err == f"sending pods and nodes to extenders at {server.host}\n"
    answer = json.loads(done.out)
    assert (done.code, answer["selectedNode"]) == (0, "n2")
    assert [verb for verb, _ in server.requests] == ["filter"]
    assert "extender-bind-not-called" in caveats(done)
    assert "extenders-not-called" not in caveats(done)


def test_an_extender_is_a_reason(explain, server):
    answer = json.loads(explain("--allow-extenders", "-o", "json").out)
    reasons = [(reason["plugin"], reason["text"], reason["nodes"]) for reason in answer["reasons"]]
    assert reasons == [
        (server.url, "no license", ["n1"]),
        (server.url, "left out without a reason", ["n3"]),
    ]
    statuses = {one["name"]: one["status"] for one in answer["nodes"]}
    assert statuses["n1"] == {"plugin": "", "code": "Unschedulable", "reasons": ["no license"]}
    assert statuses["n3"] is None


def test_an_extender_is_a_column_of_scores(explain, server):
    server.answers = {"filter": names("n1", "n3"), "prioritize": [{"Host": "n3", "Score": 4}]}
    answer = json.loads(explain("--allow-extenders", "-o", "json").out)
    scores = {one["name"]: one["scores"].get(server.url) for one in answer["nodes"]}
    assert [scores[name] and scores[name]["weighted"] for name in ("n1", "n2", "n3")] == [0, None, 40]
    assert answer["comparison"]["gaps"] == [{"plugin": server.url, "points": 40, "why": ""}]
    assert answer["selectedNode"] == "n3"


@pytest.mark.parametrize("form", ["table", "wide", "markdown"])
def test_forms_for_people_name_the_extender(explain, server, form):
    server.answers["filter"] = {"FailedNodes": {"n1": "no license"}, "NodeNames": []}
    done = explain("--allow-extenders", "-o", form)
    assert done.code == 1
    assert "no license" in done.out
    assert "left out without a reason" in done.out


def test_a_recording_answers_offline(explain, server, tmp_path):
    recording = str(tmp_path / "calls.jsonl")
    live = explain("--allow-extenders", "--extender-recording", recording, "-o", "json")
    server.close()
    again = explain("--extender-recording", recording, "-o", "json")
    assert (again.code, again.out, again.err) == (0, live.out, "")


def test_what_a_recording_does_not_hold_is_no_answer(explain, tmp_path):
    recording = tmp_path / "calls.jsonl"
    explain("--allow-extenders", "--extender-recording", str(recording))
    recording.write_text(recording.read_text().splitlines()[0] + "\n")
    done = explain("--extender-recording", str(recording))
    assert (done.code, done.out) == (2, "")
    assert "holds no reply of" in done.err
    assert "--allow-extenders asks the extenders" in done.err


def test_there_is_no_recording(explain, tmp_path):
    done = explain("--extender-recording", str(tmp_path / "calls.jsonl"))
    assert done.code == 2
    assert "there is no recording of extenders" in done.err
    assert "With --allow-extenders" in done.err


def test_an_extender_that_fails_is_no_answer(explain, server):
    server.answers["filter"] = (500, b"")
    done = explain("--allow-extenders")
    assert done.code == 2
    told = " ".join(done.out.split())
    assert f"failed filter with extender at URL {server.url}/filter, code 500" in told


def test_a_tie_is_drawn_where_an_extender_scores(explain, server):
    server.answers = {
        "filter": names("n1", "n3"),
        "prioritize": [{"Host": "n1", "Score": 1}, {"Host": "n3", "Score": 1}],
    }
    answer = json.loads(explain("--allow-extenders", "-o", "json", "--kubernetes-version", "1.36").out)
    assert (answer["ties"]["nodes"], answer["ties"]["chance"]) == (["n1", "n3"], 0.5)
