"""Recordings of extenders: every exchange once, and the same answers without a server."""

import json

import pytest
from builders import decide, node, pod, session
from extender_builders import Answers, extender, names, with_extenders

from kschedctl.errors import InputError
from kschedctl.extenders.call import CallError, Reply
from kschedctl.extenders.recording import Recorded, Recorder

NODES = [node("n1"), node("n2")]


def decisions(transport, *candidates, nodes=NODES):
    asked = session(nodes, config=with_extenders(extender()), transport=transport)
    return [decide(asked, candidate) for candidate in candidates]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(names("n2", FailedNodes={"n1": "büsy"}), id="narrows"),
        pytest.param(Reply(500, b"\xff\x00"), id="code and bytes"),
        pytest.param(CallError("refused"), id="no reply"),
    ],
)
def test_a_recording_decides_as_the_extender_did(tmp_path, answer):
    path = tmp_path / "calls.jsonl"
    [live] = decisions(Recorder(Answers({"filter": answer}), path), pod("a"))
    [again] = decisions(Recorded(path), pod("a"))
    assert (again.outcome, again.selected_node, again.message) == (
        live.outcome,
        live.selected_node,
        live.message,
    )


def test_the_same_request_is_sent_once(tmp_path):
    answers = Answers({})
    decisions(Recorder(answers, tmp_path / "calls.jsonl"), pod("a"), pod("a"))
    assert [call.verb for call in answers.calls] == ["filter", "prioritize"]


def test_a_recording_is_lines_of_json(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text("what was there before")
    decisions(Recorder(Answers({"filter": names("n2")}), path), pod("a"))
    [header, line, _] = [json.loads(text) for text in path.read_text().splitlines()]
    assert header == {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "ExtenderRecording"}
    assert (line["url"], line["verb"], line["pod"]) == (
        "http://x.example/sched/filter",
        "filter",
        "default/a",
    )


def test_what_was_not_asked_is_not_known(tmp_path):
    path = tmp_path / "calls.jsonl"
    decisions(Recorder(Answers({}), path), pod("a"))
    with pytest.raises(
        InputError, match=r"holds no reply of http://x.example/sched/filter for pod default/b"
    ):
        decisions(Recorded(path), pod("b"))
    with pytest.raises(InputError, match="on these nodes"):
        decisions(Recorded(path), pod("a"), nodes=[node("n1", cpu="9")] * 1 + [node("n3")])


@pytest.mark.parametrize("text", ["no JSON", '{"kind": "List"}', "[]", "[" * 100_000], ids=lambda t: t[:9])
def test_another_file_is_no_recording(tmp_path, text):
    path = tmp_path / "calls.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="is no recording of extenders") as caught:
        Recorded(path)
    assert caught.value.place.line == 1


def test_a_recording_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        decisions(Recorder(Answers({}), tmp_path / "no" / "calls.jsonl"), pod("a"))


@pytest.mark.parametrize("code", ["1e999", "9" * 5_000, "[]"], ids=lambda code: code[:9])
def test_a_reply_that_is_none_is_told(tmp_path, code):
    path = tmp_path / "calls.jsonl"
    head = '{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "ExtenderRecording"}'
    path.write_text(f'{head}\n{{"request": "a", "body": "", "code": {code}}}\n')
    with pytest.raises(InputError, match="is no recording of extenders") as caught:
        Recorded(path)
    assert caught.value.place.line == 2
