"""What counts as a difference between two versions."""

import pytest
from builders import made
from msgspec.structs import replace

from kschedctl.framework.versions import feature_gates, version_of
from kschedctl.objects.meta import TopLevel
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.simulate import SimulationQuestion, simulate
from kschedctl.reports.versions.api_changes import api_changes
from kschedctl.reports.versions.build import simulation_versions
from kschedctl.sources.load import load


def answer():
    cluster = Cluster.load("fixtures/release-shop/cluster.yaml")
    return simulate(cluster, SimulationQuestion(manifests=["fixtures/release-shop/manifests"]))


def moved(report, change):
    """The same with other nodes."""
    return replace(report, pods=[replace(one, node=change.get(one.name, one.node)) for one in report.pods])


def test_replicas_that_change_places_are_alike(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    before = answer()
    first, second = [one for one in before.pods if one.workload == "shop/Deployment/web"][:2]
    assert first.node != second.node
    after = moved(before, {first.name: second.node, second.name: first.node})
    assert simulation_versions(before, after).same


def test_members_of_a_stateful_set_are_not(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    before = answer()
    first, second = [one for one in before.pods if one.workload == "shop/StatefulSet/search"]
    after = moved(before, {first.name: second.node, second.name: first.node})
    found = simulation_versions(before, after)
    assert [one.pod for one in found.pods] == [f"shop/{first.name}", f"shop/{second.name}"]


def test_a_replica_that_goes_elsewhere_is_told_once(monkeypatch, request):
    monkeypatch.chdir(request.config.rootpath)
    before = answer()
    web = [one for one in before.pods if one.workload == "shop/Deployment/web"]
    nodes = sorted({one.node for one in web})
    after = moved(before, {web[0].name: "elsewhere"})
    (found,) = simulation_versions(before, after).pods
    assert found.nodes == [web[0].node, "elsewhere"]
    assert found.nodes[0] in nodes


GROUP = "scheduling.k8s.io/%s"


@pytest.mark.parametrize(
    ("obj", "versions", "told"),
    [
        pytest.param(
            {"apiVersion": "resource.k8s.io/v1alpha3", "kind": "DeviceTaintRule", "metadata": {"name": "r"}},
            ("1.34", "1.37"),
            [],
            id="an old version that is still there",
        ),
        pytest.param(
            {
                "apiVersion": "storage.k8s.io/v1beta1",
                "kind": "VolumeAttributesClass",
                "metadata": {"name": "v"},
            },
            ("1.36", "1.37"),
            ["1.37: VolumeAttributesClass v: storage.k8s.io/v1beta1 is not there, storage.k8s.io/v1 is"],
            id="one that is gone",
        ),
        pytest.param(
            {
                "apiVersion": GROUP % "v1beta1",
                "kind": "PodGroup",
                "metadata": {"name": "g", "namespace": "a"},
            },
            ("1.35", "1.37"),
            ["1.35: PodGroup a/g: there is no such kind"],
            id="a kind that is not there yet",
        ),
    ],
)
def test_versions_of_the_api(obj, versions, told):
    assert changes([made(obj)], versions) == told


def changes(objects: list[TopLevel], versions: tuple[str, str]) -> list[str]:
    found = api_changes(objects, [feature_gates(version_of(version)) for version in versions])
    return [f"{change.version}: {change.text}" for change in found]


def test_fields_that_one_version_drops(tmp_path):
    path = tmp_path / "pod.yaml"
    path.write_text(
        """
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  hostnameOverride: h
  schedulingGroup: {podGroupName: g}
  volumes: [{name: data, image: {reference: data:1}}]
  containers: [{name: main, image: app}]
"""
    )
    objects = list(load([str(path)], check_fields=True).objects)
    assert changes(objects, ("1.34", "1.37")) == [
        "1.34: Pod default/p: spec.hostnameOverride, spec.schedulingGroup, spec.volumes are dropped",
        "1.37: Pod default/p: spec.schedulingGroup is dropped",
    ]
    assert changes(objects, ("1.36", "1.37")) == []
