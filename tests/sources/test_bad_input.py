"""What each bad input prints: the exact text, one row an input."""

import gzip

import pytest

from kschedctl.errors import InputErrors, KschedError
from kschedctl.sources import content
from kschedctl.sources.load import load

from .builders import NODE, POD, json_bytes, list_of, node, pod

BOMB = "l0: &l0 x\n" + "".join(f"l{i + 1}: &l{i + 1} [{', '.join([f'*l{i}'] * 9)}]\n" for i in range(9))
TOO_DEEP_LIST = b'{"apiVersion": "v1", "kind": "List", "items": [' * 12 + b"]}" * 12

CASES = [
    ("empty file", b"", "in: it is empty or has nothing but comments"),
    ("comments only", b"# nothing here\n---\n", "in: it is empty or has nothing but comments"),
    ("binary file", b"\x7fELF\x02\x01\x00\x00", "in: this is a binary file, neither YAML nor JSON"),
    ("tabs", b"kind: Pod\n\tmetadata:\n", "in, line 2: a tab indents this line; YAML allows spaces only"),
    ("truncated JSON", json_bytes(pod(), indent=1)[:-9], "in, line 7: the JSON is cut off"),
    ("JSON without a comma", b'{"kind": "Pod"\n "a": 1}', "in, line 2: not JSON: expected ',' or '}'"),
    ("junk after JSON", json_bytes(pod()) + b"\njunk", "in, line 2: not JSON: invalid character"),
    ("truncated gzip", gzip.compress(json_bytes(pod()))[:-9], "in: the gzip data is cut off"),
    ("damaged gzip", b"\x1f\x8b\x09nonsense", "in: the gzip data is damaged: Unknown compression method"),
    ("10 MB of [", b"[" * 10_000_000, "in, line 1: nested too deeply"),
    ("10 MB of [ in YAML", b"a: " + b"[" * 10_000_000, "in, line 1: nested more than 256 levels deep"),
    ("10 MB of dashes", b"- " * 5_000_000, "in, line 1: nested more than 256 levels deep"),
    (
        "alias bomb",
        BOMB.encode(),
        "in, line 8: its aliases stand for more than 1000000 values: an alias bomb",
    ),
    (
        "Lists in Lists",
        TOO_DEEP_LIST,
        f"in, line 1: {'items[0].' * 8}items[0]: Lists inside Lists, more than 8 deep",
    ),
    (
        "Latin-1 YAML",
        POD.encode() + b"  a: \xe9\n",
        "in, line 5: not UTF-8 text: the byte 0xe9 has no meaning in it",
    ),
    (
        "Latin-1 JSON",
        b'{"apiVersion": "v1",\n"kind": "\xe9"}',
        "in, line 2: not UTF-8 text: the byte 0xe9 has no meaning in it",
    ),
    (
        "a scalar",
        b"hello\n",
        'in, line 1: expected an object with apiVersion and kind, got the string "hello"',
    ),
    ("a list of scalars", b"- 1\n", "in, line 1: expected an object with apiVersion and kind, got a list"),
    ("a JSON array", b"[1, 2]", "in, line 1: expected an object with apiVersion and kind, got a list"),
    ("no kind", b"apiVersion: v1\n", "in, line 1: kind: missing; every object says its kind"),
    ("no apiVersion", b"kind: Pod\n", "in, line 1: apiVersion: missing; every object says its apiVersion"),
    (
        "kind is a number",
        b"apiVersion: v1\nkind: 5\n",
        "in, line 2: kind: expected a string, got the number 5",
    ),
    (
        "a misspelt kind",
        b"apiVersion: apps/v1\nkind: Deploymnet\n",
        'in, line 2: kind: no matches for kind "Deploymnet" in version "apps/v1" [did you mean Deployment?]',
    ),
    (
        "a kind in small letters",
        json_bytes(list_of({"apiVersion": "v1", "kind": "pod"})),
        'in, line 1: items[0].kind: no matches for kind "pod" in version "v1" [did you mean Pod?]',
    ),
    (
        "the resource in the place of its kind",
        b"apiVersion: policy/v1\nkind: PodDisruptionBudgets\n",
        'in, line 2: kind: no matches for kind "PodDisruptionBudgets" in version "policy/v1"'
        " [did you mean PodDisruptionBudget?]",
    ),
    (
        "a short name in the place of a kind",
        b"apiVersion: v1\nkind: PVC\n",
        'in, line 2: kind: no matches for kind "PVC" in version "v1" [did you mean PersistentVolumeClaim?]',
    ),
    (
        "a misspelt List",
        b'{"apiVersion": "v1", "kind": "list", "items": []}',
        'in, line 1: kind: no matches for kind "list" in version "v1" [did you mean List?]',
    ),
    (
        "a List without items",
        b"apiVersion: v1\nkind: List\nitem: []\n",
        "in, line 1: items: missing; a List has its objects there",
    ),
    (
        "a typed List without items",
        b'{"apiVersion": "apps/v1", "kind": "DeploymentList"}',
        "in, line 1: items: missing; a DeploymentList has its objects there",
    ),
    (
        "scheduler configuration",
        b"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n",
        "in, line 1: this is a scheduler configuration, not an object of a cluster"
        " [pass it with --scheduler-config]",
    ),
    (
        "kubeconfig",
        b"apiVersion: v1\nkind: Config\n",
        "in, line 1: this is a kubeconfig, not an object of a cluster [pass it with --kubeconfig]",
    ),
    (
        "a kustomization",
        b"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n",
        "in, line 1: this is a kustomization, not an object of a cluster "
        "[build it first: kubectl kustomize DIR > built.yaml, or pipe it to -f -]",
    ),
    (
        "a scenario",
        b'{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Scenario"}',
        "in, line 1: this is a scenario, not an object of a cluster "
        "[pass it to gate, or to simulate with --scenario]",
    ),
    (
        "duplicate key",
        POD + "spec:\n  nodeName: a\n  nodeName: b\n",
        'in, line 7: the key "nodeName" is given twice in one mapping',
    ),
    (
        "number for a string",
        POD + "  labels:\n    version: 5\n",
        "in, line 6: metadata.labels.version: expected a string, got the number 5; put quotes around it",
    ),
    (
        "boolean for a string",
        POD + "spec:\n  nodeSelector:\n    example.com/ssd: yes\n",
        "in, line 7: spec.nodeSelector[example.com/ssd]: expected a string, got the boolean true;"
        " put quotes around it",
    ),
    (
        "string for a number",
        POD + 'spec:\n  priority: "5"\n',
        'in, line 6: spec.priority: expected a whole number, got the string "5"; write it without quotes',
    ),
    (
        "fraction",
        POD + "spec:\n  priority: 1.5\n",
        "in, line 6: spec.priority: expected a whole number, got the number 1.5",
    ),
    (
        "beyond int32",
        POD + "spec:\n  priority: 5000000000\n",
        "in, line 6: spec.priority: 5000000000 is out of range: at most 2147483647",
    ),
    (
        "string for a boolean",
        POD + 'spec:\n  hostNetwork: "true"\n',
        'in, line 6: spec.hostNetwork: expected true or false, got the string "true";'
        " write it without quotes",
    ),
    ("list for a mapping", POD + "spec: []\n", "in, line 5: spec: expected a mapping, got a list"),
    (
        "mapping for a list",
        POD + "spec:\n  containers:\n    name: c\n",
        'in, line 6: spec.containers: expected a list, got a mapping; start each item with "- "',
    ),
    (
        "items is no list",
        b'{"apiVersion": "v1", "kind": "List", "items": {}}',
        "in, line 1: items: expected a list, got a mapping",
    ),
    (
        "an item is a number",
        b'{"apiVersion": "v1", "kind": "List", "items": [\n1]}',
        "in, line 2: items[0]: expected an object with apiVersion and kind, got the number 1",
    ),
    (
        "no quantity",
        POD + "spec:\n  containers:\n  - name: c\n    resources:\n      requests:\n        cpu: 4 cores\n",
        'in, line 10: spec.containers[0].resources.requests.cpu: "4 cores" is no quantity;'
        " write 4, 4000m or 0.5",
    ),
    (
        "a list for a quantity",
        POD + "spec:\n  overhead:\n    cpu: [4]\n",
        "in, line 7: spec.overhead.cpu: expected a quantity such as 4, 500m or 2Gi, got a list",
    ),
    (
        "two nodes of one name",
        NODE + "---\n" + NODE,
        "in, document 2, line 6: Node n1 is given twice; first at in, document 1, line 1",
    ),
    (
        "two pods of one name in a JSON List",
        json_bytes(list_of(pod("a"), node("a"), pod("a")), indent=1),
        "in, line 19: Pod default/a is given twice; first at in, line 4",
    ),
]


def printed(paths: list[str]) -> list[str]:
    """The errors of a load, each with its hint."""
    with pytest.raises(KschedError) as caught:
        load(paths)
    error = caught.value
    problems = error.problems if isinstance(error, InputErrors) else (error,)
    return [f"{p} [{p.hint}]" if p.hint else str(p) for p in problems]


@pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=name) for name, t, e in CASES])
def test_bad_file(tmp_path, monkeypatch, text, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(text.encode() if isinstance(text, str) else text)
    assert printed(["in"]) == [expected]


def test_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert printed(["gone.yaml"]) == ["gone.yaml: there is no such file or directory"]


def test_directory_without_manifests(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    (tmp_path / "below/a.yaml").write_text(POD)
    assert printed(["."]) == [
        ".: the directory holds no *.yaml, *.yml or *.json file"
        " [directories below it are not searched: write ./**, or -R for manifests]"
    ]


def test_decompression_bomb(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(gzip.compress(b" " * 2**21))
    with pytest.raises(KschedError, match="in: unpacks to more than 1 MiB"):
        content.Input("in").read(limit=2**20)


def test_every_problem_of_every_input_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(
        POD + "spec:\n  priority: x\n  containers:\n  - image: 5\n  - name: 6\n---\na: [\n---\n" + NODE
    )
    (tmp_path / "b.json").write_bytes(
        json_bytes(list_of(node("n1"), pod(priority=2**31), pod("b", hostNetwork=1)))
    )
    (tmp_path / "c.json").write_bytes(b"{")
    assert printed(["gone", "a.yaml", "b.json", "c.json"]) == [
        "gone: there is no such file or directory",
        'a.yaml, document 1, line 6: spec.priority: expected a whole number, got the string "x"',
        "a.yaml, document 1, line 8: spec.containers[0].image: expected a string, got the number 5;"
        " put quotes around it",
        "a.yaml, document 1, line 9: spec.containers[1].name: expected a string, got the number 6;"
        " put quotes around it",
        "a.yaml, document 2, line 12: not YAML: while parsing a flow node: did not find expected node content",
        "b.json, line 1: items[1].spec.priority: 2147483648 is out of range: at most 2147483647",
        "b.json, line 1: items[2].spec.hostNetwork: expected true or false, got the number 1",
        "b.json, line 1: Node n1 is given twice; first at a.yaml, document 3, line 13",
        "c.json, line 1: the JSON is cut off",
    ]


def test_lines_are_found_for_the_first_thousand_problems_only(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").write_bytes(json_bytes(list_of(*(pod(f"p{i}", priority="x") for i in range(1_002)))))
    problems = printed(["in"])
    assert len(problems) == 1_002
    assert problems[999].startswith("in, line 1: items[999].spec.priority: ")
    assert problems[1_000].startswith("in: items[1000].spec.priority: ")


@pytest.mark.parametrize(
    ("line", "unrendered"),
    [
        ("name: {{ .Values.name }}", True),
        ('{{- include "labels" . | nindent 4 }}', True),
        ("{{ if .Values.enabled }}", True),
        ("name: {{ braces }}", False),
        ("name: [", False),
    ],
)
def test_a_template_that_is_not_rendered_is_told(tmp_path, line, unrendered):
    path = tmp_path / "in.yaml"
    path.write_text(f"apiVersion: v1\nkind: Pod\nmetadata:\n  {line}\n")
    with pytest.raises((KschedError, InputErrors)) as caught:
        load([str(path)])

    problems = getattr(caught.value, "problems", (caught.value,))
    assert any("helm template" in (problem.hint or "") for problem in problems) == unrendered


@pytest.mark.parametrize(
    ("name", "content", "hint"),
    [
        ("kustomization.yaml", "resources: [a.yaml]\n", "kubectl kustomize DIR"),
        ("Chart.yaml", "apiVersion: v2\nname: shop\n", "helm template CHART"),
        ("values.yaml", "replicas: 3\n", "helm template CHART"),
        ("pod.yaml", "apiVersion: v1\n", ""),
    ],
)
def test_what_manifests_are_made_of_is_told_by_its_name(tmp_path, name, content, hint):
    (tmp_path / name).write_text(content)
    with pytest.raises((KschedError, InputErrors)) as caught:
        load([str(tmp_path)])

    hints = [problem.hint or "" for problem in getattr(caught.value, "problems", (caught.value,))]
    assert hint in hints[-1]
    assert not any(hints[:-1])


def test_a_url_is_no_file():
    with pytest.raises(KschedError, match="there is no such file") as caught:
        load(["https://shop.example/pod.yaml"])
    assert "curl -sL URL" in caught.value.hint
