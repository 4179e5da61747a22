"""Loading good input: order, places, what is skipped, which forms are understood."""

import contextlib
import gc
import gzip
import io
import json
import os
from typing import Any

import pytest

from kschedctl.errors import InputError, Place, UsageError
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.node import Node
from kschedctl.objects.pod import Pod
from kschedctl.sources.document import load_document, load_documents
from kschedctl.sources.load import Loaded, load

from .builders import NODE, POD, json_bytes, list_of, node, pod


class Notes:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.warnings: list[str] = []

    def progress(self, what: str, done: int, total: int | None) -> None: ...

    def warning(self, text: str) -> None:
        self.warnings.append(text)

    def note(self, text: str) -> None:
        self.texts.append(text)


pytestmark = pytest.mark.usefixtures("in_tmp_path")


def load_bytes(in_tmp_path, content: bytes, name: str = "in") -> Loaded:
    (in_tmp_path / name).write_bytes(content)
    return load([name])


def names(loaded: Loaded) -> list[str]:
    return [f"{BY_TYPE[type(obj)].kind}/{obj.name}" for obj in loaded.objects]


FORMS: dict[str, bytes] = {
    "JSON List": json_bytes(list_of(node("n1"), pod("a"))),
    "JSON List, indented": json_bytes(list_of(node("n1"), pod("a")), indent=4),
    "JSON with byte order mark": b"\xef\xbb\xbf\n " + json_bytes(list_of(node("n1"), pod("a"))),
    "JSON documents in a row": json_bytes(node("n1")) + b"\n" + json_bytes(pod("a")),
    "JSON documents without a space": json_bytes(node("n1")) + json_bytes(pod("a")),
    "List of Lists": json_bytes(list_of(list_of(node("n1"), kind="NodeList"), list_of(pod("a")))),
    "empty Lists around": json_bytes(list_of()) + json_bytes(list_of(node("n1"), pod("a"))),
    "null items": b'{"apiVersion": "v1", "kind": "List", "items": null}'
    + json_bytes(list_of(node("n1"), pod("a"))),
    "UTF-16, as PowerShell writes": json_bytes(list_of(node("n1"), pod("a"))).decode().encode("utf-16"),
    "YAML documents": (NODE + "---\n" + POD).encode(),
    "YAML List": b"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
    b"- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n",
    "flow style that looks like JSON": b"{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n"
    + POD.encode(),
    "JSON documents with separators": json_bytes(node("n1")) + b"\n---\n" + json_bytes(pod("a")) + b"\n",
}


@pytest.mark.parametrize("content", [pytest.param(content, id=form) for form, content in FORMS.items()])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_form_is_recognised_by_content(in_tmp_path, content, packed):
    loaded = load_bytes(in_tmp_path, gzip.compress(content) if packed else content)
    assert names(loaded) == ["Node/n1", "Pod/a"]


@pytest.mark.parametrize("kind", ["PodList", "NodeList"])
def test_items_of_a_typed_list_need_no_kind(in_tmp_path, kind):
    loaded = load_bytes(in_tmp_path, json_bytes(list_of({"metadata": {"name": "x"}}, kind=kind)))
    (obj,) = loaded.objects
    assert (obj.api_version, obj.kind, obj.name) == ("v1", kind.removesuffix("List"), "x")
    assert type(obj) is {"PodList": Pod, "NodeList": Node}[kind]


def test_directory_gives_its_manifests_by_name(in_tmp_path):
    manifests = in_tmp_path / "dir"
    manifests.mkdir()
    for name in ("c.yml", "a.yaml", "b.json", "d.json.gz", "notes.txt"):
        content = json_bytes(node(name))
        (manifests / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    (manifests / "comment.yaml").write_text("# nothing yet\n")
    (manifests / "empty.yaml").touch()
    assert names(load(["dir"])) == ["Node/a.yaml", "Node/b.json", "Node/c.yml", "Node/d.json.gz"]


def test_inputs_keep_their_order_and_dash_is_the_stream(in_tmp_path):
    (in_tmp_path / "b.yaml").write_text(NODE)
    loaded = load(["b.yaml", "-"], stdin=io.BytesIO(POD.encode()))
    assert names(loaded) == ["Node/n1", "Pod/a"]
    assert loaded.place_of(1) == Place(file="stdin", line=1)


def test_dash_without_a_stream_is_a_usage_error():
    with pytest.raises(UsageError, match="no standard input"):
        load(["-"])


def test_empty_path_does_not_mean_this_directory(in_tmp_path):
    (in_tmp_path / "a.yaml").write_text(POD)
    with pytest.raises(UsageError, match="a path is empty"):
        load([""])


def test_pipe_is_read_once_and_keeps_its_places(in_tmp_path):
    reading, writing = os.pipe()
    os.write(writing, json_bytes(list_of(node("n1"), pod("a")), indent=1))
    os.close(writing)
    try:
        loaded = load([f"/dev/fd/{reading}"])
        assert names(loaded) == ["Node/n1", "Pod/a"]
        assert loaded.place_of(1).line == 11
    finally:
        os.close(reading)


def test_collector_is_as_it_was():
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        with contextlib.suppress(InputError):
            load(["gone"])
        assert gc.isenabled() is enabled
    gc.enable()


def test_kinds_that_scheduling_does_not_read_are_counted(in_tmp_path):
    others = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s1"}},
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s2"}},
        {"apiVersion": "policy/v1alpha1", "kind": "PodDisruptionBudget", "spec": {"minAvailable": []}},
        {"apiVersion": "example.com/v1", "kind": "Config"},
    ]
    notes = Notes()
    (in_tmp_path / "in").write_bytes(json_bytes(list_of(*others, pod("a"))))
    loaded = load(["in"], observer=notes)
    assert names(loaded) == ["Pod/a"]
    assert loaded.skipped == {
        ("v1", "Secret"): 2,
        ("policy/v1alpha1", "PodDisruptionBudget"): 1,
        ("example.com/v1", "Config"): 1,
    }
    assert notes.texts == [
        "skipped 1 Config (example.com/v1)",
        "skipped 1 PodDisruptionBudget (policy/v1alpha1): only policy/v1 is read",
        "skipped 2 Secret (v1)",
    ]


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_null_means_what_it_means_in_go(in_tmp_path, form):
    data = pod("a", priority=None, containers=[{"name": None, "ports": None}, None], nodeSelector={"a": None})
    data["metadata"]["creationTimestamp"] = None
    data["status"] = None
    content = json_bytes(data) if form == "json" else b"---\n" + json_bytes(data)
    (obj,) = load_bytes(in_tmp_path, content).objects
    assert isinstance(obj, Pod)
    assert obj.spec.priority is None
    assert [c.name for c in obj.spec.containers] == ["", ""]
    assert obj.spec.containers[0].ports == ()
    assert obj.spec.node_selector == {"a": ""}


def test_unknown_fields_are_ignored(in_tmp_path):
    (obj,) = load_bytes(in_tmp_path, json_bytes(pod("a", madeUp={"deep": [1, None]}))).objects
    assert obj.name == "a"


def test_quantities_may_be_numbers(in_tmp_path):
    text = POD + "spec:\n  overhead: {cpu: 1.50, memory: 1e3, pods: '0', example.com/x: 12E2}\n"
    (obj,) = load_bytes(in_tmp_path, text.encode()).objects
    assert isinstance(obj, Pod)
    assert obj.spec.overhead == {"cpu": 1.5, "memory": 1000, "pods": "0", "example.com/x": 1200}


def test_same_name_in_other_namespaces_and_kinds_is_fine(in_tmp_path):
    elsewhere: dict[str, Any] = pod("a")
    elsewhere["metadata"]["namespace"] = "other"
    loaded = load_bytes(in_tmp_path, json_bytes(list_of(pod("a"), elsewhere, node("a"))))
    assert len(loaded.objects) == 3


class TestPlaces:
    def test_yaml_documents(self, in_tmp_path):
        loaded = load_bytes(in_tmp_path, ("# head\n---\n" + NODE + "---\n\n" + POD).encode())
        assert [loaded.place_of(obj) for obj in loaded.objects] == [
            Place("in", document=1, line=3),
            Place("in", document=2, line=9),
        ]

    @pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
    def test_items_of_an_indented_json_list(self, in_tmp_path, packed):
        content = json_bytes(list_of(node("n1"), {"kind": "X", "apiVersion": "v1"}, pod("a")), indent=2)
        loaded = load_bytes(in_tmp_path, gzip.compress(content) if packed else content)
        lines = content.decode().splitlines()
        for obj in loaded.objects:
            line = loaded.place_of(obj).line
            assert line is not None
            start = "\n".join(lines[line - 1 :]).strip()
            assert json.JSONDecoder().raw_decode(start)[0]["metadata"]["name"] == obj.name

    def test_json_documents_in_a_row(self, in_tmp_path):
        loaded = load_bytes(
            in_tmp_path, json_bytes(node("n1"), indent=1) + b"\n\n" + json_bytes(list_of(pod("a")))
        )
        assert [loaded.place_of(i) for i in (0, 1)] == [
            Place("in", document=1, line=1),
            Place("in", document=2, line=9),
        ]

    def test_line_is_unknown_when_the_file_has_changed(self, in_tmp_path):
        loaded = load_bytes(in_tmp_path, json_bytes(list_of(pod("a"))))
        (in_tmp_path / "in").write_bytes(b"{}")
        assert loaded.place_of(0) == Place("in")

    def test_foreign_object(self, in_tmp_path):
        loaded = load_bytes(in_tmp_path, POD.encode())
        with pytest.raises(KeyError):
            loaded.place_of(Pod())


class TestLoadDocument:
    YAML = b"kind: Anything\nprofiles:\n- name: a\n  extra: {x: [1, 2]}\n- &b\n  name: b\nlast: *b\n"

    @pytest.mark.parametrize("form", ["yaml", "json"])
    def test_keeps_every_field_and_knows_its_line(self, in_tmp_path, form):
        data = {
            "kind": "Anything",
            "profiles": [{"name": "a", "extra": {"x": [1, 2]}}, {"name": "b"}],
            "last": {"name": "b"},
        }
        (in_tmp_path / "in").write_bytes(self.YAML if form == "yaml" else json_bytes(data, indent=1))
        document = load_document("in")
        assert document.data == data
        lines = {"yaml": [1, 3, 4, 4, 6, 7], "json": [2, 5, 6, 7, 14, 17]}[form]
        paths = [
            (),
            ("profiles", 0, "name"),
            ("profiles", 0, "extra"),
            ("profiles", 0, "extra", "x"),
            ("profiles", 1, "name"),
            ("last",),
        ]
        lines[0] = 1
        assert [document.place(*path).line for path in paths] == lines

    def test_place_of_a_missing_field_is_that_of_its_container(self, in_tmp_path):
        (in_tmp_path / "in").write_bytes(self.YAML)
        assert load_document("in").place("profiles", 0, "weight") == Place(
            "in", line=3, field="profiles[0].weight"
        )

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "in: it is empty or has nothing but comments"),
            (b"# only\n", "in: it is empty or has nothing but comments"),
            (b"a: 1\n---\nb: 2\n", "in: expected one document, found 2"),
            (b'{"a": 1,\n "a": 2}', 'in, line 2: the key "a" is given twice in one mapping'),
            (b"a: 1\na: 2\n", 'in, line 2: the key "a" is given twice in one mapping'),
        ],
        ids=["empty", "comments", "two", "duplicate in JSON", "duplicate in YAML"],
    )
    def test_bad(self, in_tmp_path, content, message):
        (in_tmp_path / "in").write_bytes(content)
        with pytest.raises(InputError) as caught:
            load_document("in")
        assert str(caught.value) == message

    def test_several_documents(self, in_tmp_path):
        (in_tmp_path / "in").write_bytes(b"a: 1\n---\nb: 2\n")
        assert [(d.data, d.place().document) for d in load_documents("in")] == [({"a": 1}, 1), ({"b": 2}, 2)]
