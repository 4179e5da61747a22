"""Changes as people write them, and what they are told of those that have no meaning."""

import pytest

from kschedctl.errors import InputError, UsageError
from kschedctl.objects.meta import ObjectMeta
from kschedctl.objects.node import Node, Taint
from kschedctl.whatif.world.change_context import ChangeContext
from kschedctl.whatif.world.change_forms import FailMode
from kschedctl.whatif.world.change_text import CHANGES, parse_change, text_of
from kschedctl.whatif.world.changes import (
    AddNode,
    Cordon,
    Delete,
    DrainNodes,
    FailDomain,
    LabelNodes,
    Patch,
    RemoveNode,
    Scale,
    TaintNodes,
)

NODE = "kind: Node\napiVersion: v1\nmetadata: {name: n9}\n"


def parse(kind, text, directory):
    return parse_change(kind, text, ChangeContext(directory=directory))


FORMS = pytest.mark.parametrize(
    ("kind", "text", "change"),
    [
        ("drain", "zone=eu-1b", DrainNodes("zone=eu-1b")),
        ("remove-node", "n4", RemoveNode("n4")),
        ("cordon", "n4", Cordon("n4")),
        ("uncordon", "n4", Cordon("n4", cordoned=False)),
        ("scale", "deployment/web=5", Scale("deployment/web", 5)),
        ("scale", "shop/deploy/web=0", Scale("shop/deploy/web", 0)),
        ("delete", "sts/db", Delete("sts/db")),
        ("taint", "n4 gpu=a:NoSchedule", TaintNodes("n4", Taint("gpu", "a", "NoSchedule"), False)),
        ("taint", "n4 gpu:NoExecute-", TaintNodes("n4", Taint("gpu", "", "NoExecute"), True)),
        ("taint", "a in (b, c) gpu-", TaintNodes("a in (b, c)", Taint("gpu", "", ""), True)),
        ("label", "n4 x.io/disk=ssd", LabelNodes("n4", "x.io/disk", "ssd")),
        ("label", "n4 disk=", LabelNodes("n4", "disk", "")),
        ("label", "a=b disk-", LabelNodes("a=b", "disk", None)),
        ("fail-domain", "zone=eu-1b", FailDomain("zone", "eu-1b")),
        ("add-node", "like=n4", AddNode(1, like="n4")),
        ("add-node", "like=n4=3", AddNode(3, like="n4")),
        ("add-node", "like=zone=eu-1b", AddNode(1, like="zone=eu-1b")),
    ],
)


@FORMS
def test_forms(kind, text, change, tmp_path):
    assert parse(kind, text, tmp_path) == [change]


def test_spaces_between_nodes_and_label_do_not_matter(tmp_path):
    assert parse("label", "n4  disk=ssd", tmp_path) == [LabelNodes("n4", "disk", "ssd")]


@FORMS
def test_a_change_is_told_as_it_would_be_written(kind, text, change):
    assert text_of(change) == f"{kind} {text}"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (AddNode(2, template=Node(metadata=ObjectMeta(name="big"))), "add-node big=2"),
        (Patch({"kind": "Node", "metadata": {"name": "n4"}}), "patch Node/n4"),
        (FailDomain("zone", "b", FailMode.UNREACHABLE), "fail-domain zone=b (unreachable)"),
    ],
)
def test_a_change_without_a_text_of_its_own_is_told_by_what_is_in_it(change, text):
    assert text_of(change) == text


@pytest.mark.parametrize(("text", "count"), [("n.yaml", 1), ("n.yaml=4", 4), ("a=2/n.yaml", 1)])
def test_nodes_of_a_file(text, count, tmp_path):
    (tmp_path / "a=2").mkdir()
    for file in ("n.yaml", "a=2/n.yaml"):
        (tmp_path / file).write_text(NODE)
    [change] = parse("add-node", text, tmp_path)
    assert (change.count, change.template.name) == (count, "n9")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("metadata: {name: n9}\nspec: {taint: []}\n", "spec.taint: unknown field", id="misspelt"),
        pytest.param("metadata: {lables: {}, name: n9}\n", "metadata.lables: unknown field", id="labels"),
        pytest.param("spec: {}\n", "Node without metadata.name", id="nameless"),
    ],
)
def test_nodes_with_mistakes(text, message, tmp_path):
    (tmp_path / "n.yaml").write_text(f"apiVersion: v1\nkind: Node\n{text}")
    with pytest.raises(InputError) as caught:
        parse("add-node", "n.yaml", tmp_path)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", CHANGES)
def test_every_kind_has_an_example_that_is_right(kind, tmp_path):
    (tmp_path / CHANGES["patch"].example).write_text("kind: Node\nmetadata: {name: n4}\n")
    assert parse(kind, CHANGES[kind].example, tmp_path)


WRONG = {
    "scale": {
        "web": "it says no number of replicas",
        "web=3": "'web' has no kind",
        "deployment/web=": "'' is no number of replicas",
        "deployment/web=-1": "'-1' is no number of replicas",
        "deployment/web=two": "'two' is no number of replicas",
        "deployment/web=2147483648": "2147483648 is more than 2,147,483,647",
        "deployment/=2": "'deployment/' is no KIND/NAME",
        "a/b/c/d=2": "'a/b/c/d' is no KIND/NAME",
    },
    "priority": {
        "deployment/web": "it names no priority class",
        "web=high": "'web' has no kind",
        "pod/web=2000001001": "2000001001 is beyond the priorities that a class may have",
    },
    "delete": {
        "web": "'web' has no kind",
        "deployment/": "'deployment/' is no KIND/NAME",
        "/web": "'/web' is no KIND/NAME",
        "a//b": "'a//b' is no KIND/NAME",
        " ": "it is empty",
    },
    "taint": {
        "n4": "nodes and a taint are wanted, with a space between them",
        "gpu=a:NoSchedule": "nodes and a taint are wanted, with a space between them",
        "n4 gpu=a": "the taint 'gpu=a' has no effect",
        "n4 gpu=a:Never": "'Never' is no effect; those are NoSchedule, PreferNoSchedule, NoExecute",
        "n4 gpu=a:": "'' is no effect",
        "n4 =a:NoSchedule": "'' is no key of a label: name part must be non-empty",
        "n4 g!=a:NoSchedule": "'g!' is no key of a label",
    },
    "label": {
        "n4": "nodes and a label are wanted, with a space between them",
        "disk=ssd": "nodes and a label are wanted, with a space between them",
        "n4 disk": "the label 'disk' has no value, nor a - to remove it",
        "n4 =ssd": "'' is no key of a label",
        "n4 disk=s=d": "'s=d' is no value of a label",
        "n4 -": "'' is no key of a label",
    },
    "fail-domain": {
        "zone": "it names no value of the label zone",
        "zone=": "it names no value of the label zone",
        "=x": "'' is no key of a label",
        "zone=a,b": "'a,b' is no value of a label",
        "zone==a": "'=a' is no value of a label",
        "zone in (a)": "it names no value of the label zone in (a)",
    },
    "add-node": {
        "like=": "it names no node",
        "like==3": "it names no node",
        "like=n4=9999999999": "9999999999 is more than 50,000",
        "n4": "there is no file n4; a copy of a node of the cluster is like=n4",
        "n4=3": "there is no file n4; a copy of a node of the cluster is like=n4",
        "none.yaml=x": "there is no file none.yaml=x",
        "patch.yaml": "patch.yaml holds no Node",
    },
    "patch": {
        '{"spec": {}}': "patches are read from a file, or - for stdin",
        "[]": "patches are read from a file, or - for stdin",
        "": "it is empty",
    },
    "drain": {"": "it is empty"},
}


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [(kind, text, reason) for kind, texts in WRONG.items() for text, reason in texts.items()],
)
def test_malformed_texts_are_told_with_form_and_example(kind, text, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patch.yaml").write_text("kind: Pod\napiVersion: v1\nmetadata: {name: x}\n")
    with pytest.raises(UsageError) as raised:
        parse_change(kind, text, ChangeContext())
    assert raised.value.message.startswith(f"{kind} {text!r}: {reason}")
    known = CHANGES[kind]
    assert raised.value.hint == f"Write {known.form}, for example {known.quoted_example}."


@pytest.mark.parametrize(
    "patch", ["spec: {}", "- a", "kind: Node", "kind: Node\nmetadata: []", "kind: Node\nmetadata: {}"]
)
def test_patches_say_what_they_are_of(patch, tmp_path):
    (tmp_path / "p.yaml").write_text(patch)
    with pytest.raises(UsageError, match="a patch is an object with kind and metadata"):
        parse("patch", "p.yaml", tmp_path)
