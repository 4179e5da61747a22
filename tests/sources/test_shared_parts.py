"""Replicas that are read from a List share what they have in common, and say the same as ever."""

import json
import mmap

import msgspec
import pytest

from kschedctl.objects.pod import Pod
from kschedctl.sources import intake, shared_parts
from kschedctl.sources.content import forget
from kschedctl.sources.load import load
from kschedctl.sources.shared_parts import SharedParts


def replica(name, **more):
    spec = {
        "nodeName": more.get("node", "n1"),
        "containers": [{"name": "c", "resources": {"requests": {"cpu": more.get("cpu", "1")}}}],
        "tolerations": more.get("tolerations", [{"key": "a", "operator": "Exists"}]),
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": more.get("app", "web")}},
        "spec": spec,
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }


def loaded(tmp_path, *pods):
    path = tmp_path / "list.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    return load([str(path)]).objects


def alone(data):
    return msgspec.json.decode(json.dumps(data), type=Pod)


def test_replicas_share_what_does_not_tell_them_apart(tmp_path):
    one, two = loaded(tmp_path, replica("a"), replica("b", node="n2"))
    assert one.spec.containers is two.spec.containers
    assert one.metadata.labels is two.metadata.labels
    assert one.status.conditions is two.status.conditions
    assert (two.name, two.spec.node_name) == ("b", "n2")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"cpu": "2"}, id="other requests"),
        pytest.param({"cpu": 1}, id="a number for a text"),
        pytest.param({"tolerations": []}, id="no tolerations"),
        pytest.param({"app": "db"}, id="other labels"),
    ],
)
def test_what_differs_stays_as_it_is(tmp_path, other):
    data = [replica("a"), replica("b", **other), replica("c")]
    assert loaded(tmp_path, *data) == [alone(one) for one in data]


def test_where_each_has_its_own_nothing_piles_up(monkeypatch):
    monkeypatch.setattr(shared_parts, "_MOST", 3)
    parts = SharedParts()
    data = [replica(f"p{i}", cpu=str(i % 5)) for i in range(20)]
    pods = [alone(one) for one in data]
    for pod in pods:
        parts.share(pod)
    assert pods == [alone(one) for one in data]


def test_text_that_was_given_back_is_still_there(tmp_path):
    path = tmp_path / "text"
    text = b"".join(b"%07d\n" % i for i in range(8192))
    path.write_bytes(text)
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        forget(mapped, 100, 50_000)
        forget(mapped, 10, 20)
        assert mapped[:] == text
    forget(text, 0, len(text))


def test_a_large_list_is_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "_ITEMS_AT_A_TIME", 16)
    data = [replica(f"p{i}", node=f"n{i % 7}") for i in range(300)]
    assert loaded(tmp_path, *data) == [alone(one) for one in data]


def test_the_whole_text_is_given_back_before_the_items_are_read(tmp_path, monkeypatch):
    given_back = []
    monkeypatch.setattr(
        intake, "forget", lambda buffer, start, end: given_back.append((start, len(buffer) - end))
    )
    loaded(tmp_path, replica("a"), replica("b"))
    assert given_back[0] == (0, 0)
