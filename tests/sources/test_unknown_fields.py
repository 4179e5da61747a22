"""Fields that the API does not have are told with place and guess; no real field ever is."""

import gzip
import json
from pathlib import Path

import pytest

from kschedctl.errors import InputError
from kschedctl.objects.kinds import BY_GVK
from kschedctl.sources.load import load
from kschedctl.sources.unknown_fields import unknown_fields
from kschedctl.sources.yaml import read_yaml

from .builders import NODE, POD, json_bytes, list_of, pod
from .test_load import Notes

ROOT = Path(__file__).parents[2]

POD_B = POD.replace("name: a", "name: b")

DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"


def found_in(manifest: str) -> list[str]:
    """Path and guess of each unknown field of one object, as `path -> guess`."""
    (document,) = read_yaml(manifest.encode())
    kind = BY_GVK[document.data["apiVersion"], document.data["kind"]]
    return [
        ".".join(map(str, path)) + (f" -> {hint}" if hint else "")
        for path, hint in unknown_fields(document.data, kind.type)
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            "{tolerationz: []}", 'spec.tolerationz -> did you mean "tolerations"?', id="last letter"
        ),
        pytest.param(
            "{nodeSelecter: {}}", 'spec.nodeSelecter -> did you mean "nodeSelector"?', id="one letter"
        ),
        pytest.param("{nodeselector: {}}", 'spec.nodeselector -> did you mean "nodeSelector"?', id="case"),
        pytest.param(
            "{topologySpreadConstraint: []}",
            'spec.topologySpreadConstraint -> did you mean "topologySpreadConstraints"?',
            id="singular",
        ),
        pytest.param("{afinity: {}}", 'spec.afinity -> did you mean "affinity"?', id="a letter less"),
        pytest.param(
            "{dnsPolice: x}", 'spec.dnsPolice -> did you mean "dnsPolicy"?', id="of one that is not read"
        ),
        pytest.param("{frobnicate: 1}", "spec.frobnicate", id="like nothing"),
        pytest.param("{tolerationz: null}", 'spec.tolerationz -> did you mean "tolerations"?', id="null"),
        pytest.param(
            "{containers: [{name: a, resources: {request: {cpu: 1}}}]}",
            'spec.containers.0.resources.request -> did you mean "requests"?',
            id="in a list, though another type has that name",
        ),
        pytest.param(
            "{containers: [{name: a, tolerations: []}]}",
            "spec.containers.0.tolerations -> it belongs at spec.tolerations",
            id="too deep",
        ),
        pytest.param(
            "{containers: [{name: a}, {name: b, requests: {cpu: 1}}]}",
            "spec.containers.1.requests -> it belongs at spec.containers[1].resources.requests",
            id="too high",
        ),
        pytest.param(
            "{livenessProbe: {}}",
            "spec.livenessProbe -> it belongs at spec.containers[].livenessProbe",
            id="of the containers",
        ),
        pytest.param(
            "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{matchLabels: {}}]}}}",
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.matchLabels -> it belongs at "
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels",
            id="a level left out",
        ),
        pytest.param(
            "{volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {storageClass: x}}}}]}",
            "spec.volumes.0.ephemeral.volumeClaimTemplate.spec.storageClass -> did you mean "
            '"storageClassName"?',
            id="in a claim template",
        ),
    ],
)
def test_a_field_is_told_with_what_was_meant(spec, expected):
    assert found_in(f"{POD}spec: {spec}\n") == [expected]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            "  nodeSelector: {a: b}",
            "spec.nodeSelector -> it belongs at spec.template.spec.nodeSelector",
            id="of the pod",
        ),
        pytest.param(
            "  template: {spec: {labels: {a: b}}}",
            "spec.template.spec.labels -> it belongs at spec.template.metadata.labels",
            id="the nearest of two",
        ),
        pytest.param("  replica: 2", 'spec.replica -> did you mean "replicas"?', id="of the workload"),
    ],
)
def test_a_workload_is_checked_with_its_template(spec, expected):
    assert found_in(DEPLOYMENT + spec + "\n") == [expected]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param("{serviceAccount: a, serviceAccountName: a}", id="deprecated"),
        pytest.param(
            "{containers: [{name: a, livenessProbe: {whatever: 1}, env: [{nam: a}]}]}", id="below unread"
        ),
        pytest.param("{nodeSelector: {tolerations: a}, overhead: {anything: 1}}", id="keys of a map"),
        pytest.param("{volumes: [{name: a, configMap: {name: b}}, {name: c, emptyDir: {}}]}", id="volumes"),
        pytest.param("{tolerations: null, containers: [null]}", id="nulls"),
        pytest.param("{tolerations: text}", id="of a wrong shape, which is an error of its own"),
    ],
)
def test_real_fields_are_not_told(spec):
    assert found_in(f"{POD}spec: {spec}\nstatus: {{newField: 1}}\n") == []


def scenarios():
    for file in sorted((ROOT / "fixtures/conformance").rglob("*.jsonl.gz")):
        with gzip.open(file) as lines:
            yield from (json.loads(line)["scenario"] for line in lines)


def test_no_object_of_the_golden_decisions_has_one():
    objects = [obj for s in scenarios() for obj in (*s.get("objects", ()), *s["pods"])]
    assert len(objects) > 10_000
    found = [
        (obj["kind"], path)
        for obj in objects
        for path, _ in unknown_fields(obj, BY_GVK[obj["apiVersion"], obj["kind"]].type)
    ]
    assert found == []


MANIFESTS = sorted(
    path
    for path in (ROOT / "fixtures").rglob("*.yaml")
    if path.parent.name not in ("gate-release", "conformance", "old-configurations")
    and path.name != "config.yaml"
)


def test_no_manifest_of_the_fixtures_has_one():
    loaded = [load([str(path)], check_fields=True) for path in MANIFESTS]
    assert sum(len(found.objects) for found in loaded) > 100
    assert [str(field) for found in loaded for field in found.unknown] == []


class TestLoading:
    @pytest.fixture(autouse=True)
    def in_tmp_path(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def warnings_of(self, content: bytes) -> list[str]:
        Path("in").write_bytes(content)
        notes = Notes()
        loaded = load(["in"], check_fields=True, observer=notes)
        assert notes.warnings == [str(field) for field in loaded.unknown]
        return notes.warnings

    MEANT = 'spec.tolerationz: unknown field; did you mean "tolerations"?'

    @pytest.mark.parametrize(
        ("content", "place"),
        [
            pytest.param(f"{POD}spec:\n  tolerationz: []\n".encode(), "in, line 6: ", id="yaml"),
            pytest.param(
                f"{POD}---\n{NODE}---\n{POD_B}spec:\n  tolerationz: []\n".encode(),
                "in, document 3, line 16: ",
                id="a later document",
            ),
            pytest.param(json_bytes(pod(tolerationz=[]), indent=1), "in, line 8: ", id="json"),
            pytest.param(
                json_bytes(list_of(pod("a"), pod("b", tolerationz=[]))),
                "in, line 1: items[1].",
                id="a List in json",
            ),
            pytest.param(
                json_bytes(list_of(pod("a", nodeName=None), pod("b", tolerationz=[], nodeName=None))),
                "in, line 1: items[1].",
                id="read the slow way",
            ),
            pytest.param(
                gzip.compress(f"{POD}spec: {{tolerationz: []}}\n".encode()), "in, line 5: ", id="gzip"
            ),
        ],
    )
    def test_the_place_is_told(self, content, place):
        assert self.warnings_of(content) == [place + self.MEANT]

    def test_fields_stand_in_the_order_of_the_input(self):
        content = f"{POD}spec: {{zzz: 1, aaa: 1}}\nxxx: 1\n".encode()
        assert [text.split(": ")[1] for text in self.warnings_of(content)] == ["spec.zzz", "spec.aaa", "xxx"]

    def test_nothing_is_looked_for_where_nobody_asks(self):
        Path("in").write_bytes(f"{POD}spec: {{tolerationz: []}}\n".encode())
        notes = Notes()
        assert load(["in"], observer=notes).unknown == ()
        assert notes.warnings == []

    def test_they_are_told_beside_errors(self):
        Path("in").write_bytes(f"{POD}spec: {{tolerationz: [], nodeName: 7}}\n---\n{POD}".encode())
        Path("other").write_bytes(f"{POD_B}spec: {{tolerationz: []}}\n".encode())
        notes = Notes()
        with pytest.raises(InputError, match="nodeName"):
            load(["in", "other"], check_fields=True, observer=notes)
        assert notes.warnings == [f"other, line 5: {self.MEANT}"]
