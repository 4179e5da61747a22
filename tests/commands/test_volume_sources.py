"""Every source of a volume that the API has, through every verb."""

import json
from pathlib import Path

import pytest
from builders import node, pod

DISK = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d"  # of the form that the API asks for
SOURCES = {
    "awsElasticBlockStore": {"volumeID": "vol-1"},
    "azureDisk": {"diskName": "d", "diskURI": DISK, "kind": "Managed"},
    "azureFile": {"secretName": "s", "shareName": "h"},
    "cephfs": {"monitors": ["m"]},
    "cinder": {"volumeID": "v"},
    "configMap": {"name": "c"},
    "csi": {"driver": "d.example"},
    "downwardAPI": {"items": []},
    "emptyDir": {},
    "ephemeral": {
        "volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        }
    },
    "fc": {"targetWWNs": ["w"], "lun": 1},
    "flexVolume": {"driver": "a/b"},
    "flocker": {"datasetName": "d"},
    "gcePersistentDisk": {"pdName": "d"},
    "gitRepo": {"repository": "r"},
    "glusterfs": {"endpoints": "e", "path": "p"},
    "hostPath": {"path": "/a"},
    "image": {"reference": "i"},
    "iscsi": {"targetPortal": "1.2.3.4", "iqn": "iqn.2014-12.example:a", "lun": 0},
    "nfs": {"server": "s", "path": "/a"},
    "persistentVolumeClaim": {"claimName": "claim"},
    "photonPersistentDisk": {"pdID": "p"},
    "portworxVolume": {"volumeID": "p"},
    "projected": {"sources": [{"configMap": {"name": "c"}}]},
    "quobyte": {"registry": "a:1", "volume": "v"},
    "rbd": {"monitors": ["m"], "image": "i"},
    "scaleIO": {"gateway": "g", "system": "s", "secretRef": {"name": "s"}, "volumeName": "v"},
    "secret": {"secretName": "s"},
    "storageos": {"volumeName": "v"},
    "vsphereVolume": {"volumePath": "p"},
}
OF_VOLUMES_TOO = sorted(
    SOURCES.keys()
    - {"configMap", "downwardAPI", "emptyDir", "ephemeral", "gitRepo", "image", "persistentVolumeClaim"}
    - {"projected", "secret"}
)
VERBS = (
    ("explain", "pod.json"),
    ("preempt", "pod.json"),
    ("simulate", "-f", "pod.json", "--drain", "n1"),
    ("drain", "n1"),
    ("capacity", "pod.json"),
    ("gate", "scenario.json"),
)
SCENARIO = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "Scenario",
    "metadata": {"name": "a"},
    "manifests": ["pod.json"],
    "expectations": {"maxPending": 0},
}


@pytest.fixture(params=[False, True], ids=["without CSINodes", "with CSINodes"])
def cluster(request):
    objects = [node("n1"), node("n2")]
    if request.param:
        annotations = {"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/azure-file"}
        objects += [
            {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "CSINode",
                "metadata": {"name": name, "annotations": annotations},
                "spec": {
                    "drivers": [{"name": "file.csi.azure.com", "nodeID": name, "allocatable": {"count": 2}}]
                },
            }
            for name in ("n1", "n2")
        ]
    return objects


def check(run, tmp_path, monkeypatch, objects, volume):
    monkeypatch.chdir(tmp_path)
    running = pod(
        "running", "n1", volumes=[volume], owner={"kind": "ReplicaSet", "name": "r", "apiVersion": "apps/v1"}
    )
    Path("cluster.json").write_text("\n".join(map(json.dumps, [*objects, running])))
    Path("pod.json").write_text(json.dumps(pod("new", volumes=[volume])))
    Path("scenario.json").write_text(json.dumps(SCENARIO))
    for verb in VERBS:
        done = run(*verb, "-c", "cluster.json")
        assert done.code in (0, 1), (verb, done.err, done.out)


@pytest.mark.parametrize("source", SOURCES)
def test_an_inline_volume(run, tmp_path, monkeypatch, cluster, source):
    check(run, tmp_path, monkeypatch, cluster, {"name": "v", source: SOURCES[source]})


@pytest.mark.parametrize("source", OF_VOLUMES_TOO)
def test_a_claim_bound_to_a_volume(run, tmp_path, monkeypatch, cluster, source):
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "claim",
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "pv", "storageClassName": ""},
        "status": {"phase": "Bound"},
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "claimRef": {"name": "claim", "namespace": "default"},
            source: SOURCES[source],
        },
    }
    check(
        run,
        tmp_path,
        monkeypatch,
        [*cluster, claim, volume],
        {"name": "v", "persistentVolumeClaim": {"claimName": "claim"}},
    )
