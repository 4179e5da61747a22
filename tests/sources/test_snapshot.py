"""Snapshots: what is written comes back, and what is broken is told by its field."""

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from msgspec.structs import replace

from kschedctl import sources
from kschedctl.conformance.run import replay
from kschedctl.errors import InputError, InputErrors
from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel
from kschedctl.sources.load import load
from kschedctl.sources.reduction import reduced
from kschedctl.sources.snapshot import Header, MissingKind, Note, PolicyRule, RecordedOrigin, Snapshot
from kschedctl.sources.snapshot_schema import snapshot_schema
from kschedctl.sources.snapshot_writer import save_snapshot

from .builders import node, pod
from .golden import CATEGORIES, some_cases

HEADER = Header(
    taken_at="2026-03-01T10:00:00Z",
    taken_by="kschedctl 0.1.0",
    origin=RecordedOrigin(server="https://prod.example:6443", context="prod"),
    kubernetes_version="v1.36.2",
    missing=(
        MissingKind(
            resource="csinodes.storage.k8s.io",
            reason="Forbidden",
            weakens="volume limits",
            rule=PolicyRule(api_groups=("storage.k8s.io",), resources=("csinodes",), verbs=("list",)),
        ),
    ),
    notes=(Note(code="list-restarted", text="the list of pods was read twice"),),
    resource_versions={"nodes": "744"},
)


pytestmark = pytest.mark.usefixtures("in_tmp_path")


def typed(*items: dict[str, Any]) -> list[TopLevel]:
    return [msgspec.convert(item, BY_GVK[item["apiVersion"], item["kind"]].type) for item in items]


def saved(*items: dict[str, Any], name: str = "s.json") -> str:
    save_snapshot(Snapshot(HEADER, typed(*items)), name)
    return name


def edited(change: Any, *items: dict[str, Any]) -> str:
    """A snapshot that somebody changed by hand."""
    with open(saved(*items)) as file:
        data = json.load(file)
    change(data)
    with open("s.json", "w") as file:
        json.dump(data, file)
    return "s.json"


def in_order(objects: list[TopLevel]) -> list[TopLevel]:
    return sorted(objects, key=lambda obj: (obj.kind, obj.namespace, obj.name))


REPLICAS = [
    {
        **pod(f"web-{i}", nodeName=f"n{i}", containers=[{"name": "c", "image": "web:1"}]),
        "status": {"phase": "Running", "startTime": f"2026-03-01T0{i}:00:00Z"},
    }
    for i in range(3)
]


@pytest.mark.parametrize("name", ["s.json", "s.json.gz"])
def test_what_is_written_comes_back(name):
    items = [*REPLICAS, pod("other", nodeName="n1"), pod("waiting"), node("n1"), node("n2")]
    loaded = load([saved(*items, name=name)])
    assert in_order(loaded.objects) == in_order(typed(*items))
    assert loaded.snapshots == (HEADER,)


def test_the_name_decides_whether_it_is_compressed():
    saved(node("n1"), name="s.json.gz")
    with gzip.open("s.json.gz") as file:
        assert json.load(file)["items"] == [node("n1")]


def test_the_same_objects_give_the_same_bytes():
    for name in ("a.json.gz", "b.json.gz"):
        saved(*REPLICAS, node("n1"), name=name)
    with open("a.json.gz", "rb") as first, open("b.json.gz", "rb") as second:
        assert first.read() == second.read()


def test_equal_pods_are_written_once():
    with open(saved(*REPLICAS, pod("other"))) as file:
        data = json.load(file)
    assert len(data["podTemplates"]) == 2
    assert [row["template"] for row in data["pods"]] == [0, 0, 0, 1]


def test_replicas_share_their_parts_when_loaded():
    first, second, third = load([saved(*REPLICAS)]).objects
    assert first.spec.containers is second.spec.containers is third.spec.containers


def test_each_object_has_a_line_of_its_own():
    with open(saved(*REPLICAS, node("n1"), node("n2"))) as file:
        lines = file.read().splitlines()
    assert sum('"name":"web-' in line for line in lines) == 3
    assert sum('"kind":"Node"' in line for line in lines) == 2


def test_an_empty_cluster_is_a_snapshot_too():
    loaded = load([saved()])
    assert (loaded.objects, loaded.snapshots) == ([], (HEADER,))


@pytest.mark.parametrize("category", CATEGORIES)
def test_golden_clusters_come_back_whole(category):
    for case in some_cases(category, 10):
        objects = case.scenario.objects
        save_snapshot(Snapshot(HEADER, objects), "s.json.gz")
        assert in_order(load(["s.json.gz"]).objects) == in_order(list(objects)), case.scenario.name


@pytest.mark.parametrize("category", [c for c in CATEGORIES if c != "native"])
def test_the_reduced_cluster_gives_the_same_decisions(category):
    for case in some_cases(category, 12):
        cut = replace(case.scenario, objects=tuple(reduced(obj) for obj in case.scenario.objects))
        assert replay(cut) == replay(case.scenario), case.scenario.name


def test_a_snapshot_matches_its_schema():
    validator = jsonschema.Draft202012Validator(snapshot_schema())
    for category in CATEGORIES:
        case = next(some_cases(category, 1))
        save_snapshot(Snapshot(HEADER, case.scenario.objects), "s.json")
        with open("s.json") as file:
            validator.validate(json.load(file))


def test_the_schema_refuses_another_shape():
    with open(saved(node("n1"))) as file:
        data = json.load(file)
    data["items"][0]["status"] = {"allocatable": ["4"]}
    assert not jsonschema.Draft202012Validator(snapshot_schema()).is_valid(data)


def test_the_schema_in_the_package_is_fresh(golden):
    packaged = Path(sources.__file__).parent / "snapshot.schema.json"
    golden(packaged, json.dumps(snapshot_schema(), indent=2) + "\n")


BROKEN = {
    "another version": (
        lambda d: d.update(apiVersion="kschedctl.dev/v9"),
        "apiVersion: this is a snapshot of version kschedctl.dev/v9, and only kschedctl.dev/v1alpha1 can be",
    ),
    "no such template": (lambda d: d["pods"][1].update(template=7), "pods[1].template: there is no pod"),
    "negative template": (lambda d: d["pods"][1].update(template=-1), "pods[1].template: there is no pod"),
    "row without a name": (lambda d: d["pods"][0].pop("name"), "name"),
    "row with a bad type": (lambda d: d["pods"][0].update(name=3), "pods[0].name: expected a string"),
    "bad header": (lambda d: d.update(takenAt=7), "takenAt: expected a string, got the number 7"),
    "template with a bad field": (
        lambda d: d["podTemplates"][0]["spec"].update(priority="high"),
        "podTemplates[0].spec.priority: expected a whole number",
    ),
    "template with a bad quantity": (
        lambda d: d["podTemplates"][0]["spec"].update(overhead={"cpu": "4 cores"}),
        'podTemplates[0].spec.overhead.cpu: "4 cores" is no quantity',
    ),
    "item with a bad field": (
        lambda d: d["items"][0].update(spec={"unschedulable": "yes"}),
        "items[0].spec.unschedulable: expected true or false",
    ),
    "item without a kind": (lambda d: d["items"][0].pop("kind"), "items[0].kind: missing"),
}


@pytest.mark.parametrize(("change", "message"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_is_told_by_its_field(change, message):
    with pytest.raises(InputError) as caught:
        load([edited(change, *REPLICAS, node("n1"))])
    assert message in str(caught.value)
    assert str(caught.value).startswith("s.json, line ")


def test_all_mistakes_are_told_at_once():
    def change(data):
        data["takenBy"] = 1
        data["pods"][0]["uid"] = 2
        data["pods"][2]["nodeName"] = []

    with pytest.raises(InputErrors) as caught:
        load([edited(change, *REPLICAS)])
    assert [p.place.field for p in caught.value.problems] == ["takenBy", "pods[0].uid", "pods[2].nodeName"]


def test_null_means_absent():
    def change(data):
        data["takenBy"] = data["pods"][0]["uid"] = data["podTemplates"][0]["metadata"] = None

    loaded = load([edited(change, *REPLICAS, node("n1"))])
    assert len(loaded.objects) == 4


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_truncated_file_says_so(share):
    for name, message in (("s.json", "the JSON is cut off"), ("s.json.gz", "the gzip data is cut off")):
        saved(*REPLICAS, node("n1"), name=name)
        with open(name, "r+b") as file:
            file.truncate(int(len(file.read()) * share))
        with pytest.raises(InputError, match=message):
            load([name])


def test_a_snapshot_may_be_yaml():
    from kschedctl.sources.document import load_document

    data = load_document(saved(*REPLICAS, node("n1"))).data
    with open("s.yaml", "wb") as file:
        file.write(msgspec.yaml.encode(data))
    loaded = load(["s.yaml"])
    assert loaded.snapshots == (HEADER,)
    assert in_order(loaded.objects) == in_order(typed(*REPLICAS, node("n1")))


def test_a_snapshot_and_plain_files_go_together():
    with open("more.json", "w") as file:
        json.dump(node("n2"), file)
    loaded = load([saved(node("n1")), "more.json"])
    assert [obj.name for obj in loaded.objects] == ["n1", "n2"]


def test_an_object_of_a_snapshot_and_of_a_file_is_given_twice():
    with open("more.json", "w") as file:
        json.dump(pod("web-1"), file)
    with pytest.raises(InputError, match=r"Pod default/web-1 is given twice; first at s\.json"):
        load([saved(*REPLICAS), "more.json"])


class TestAtomicWrite:
    def test_a_file_is_replaced(self):
        saved(node("n1"))
        saved(node("n2"))
        assert [obj.name for obj in load(["s.json"]).objects] == ["n2"]

    @pytest.mark.parametrize("interruption", [KeyboardInterrupt, RuntimeError])
    def test_an_interrupted_write_leaves_the_old_file_and_no_other(self, in_tmp_path, interruption):
        class Objects(list):
            def __iter__(self):
                yield from typed(node("n2"))
                raise interruption

        saved(node("n1"))
        with pytest.raises(interruption):
            save_snapshot(Snapshot(HEADER, Objects()), "s.json")
        assert [obj.name for obj in load(["s.json"]).objects] == ["n1"]
        assert [path.name for path in in_tmp_path.iterdir()] == ["s.json"]

    def test_a_directory_that_is_not_there_is_an_error(self):
        with pytest.raises(InputError, match=r"nowhere/s.json: cannot be written: No such file"):
            saved(node("n1"), name="nowhere/s.json")
