import pytest

from kschedctl.cluster.store import ObjectStore
from kschedctl.objects.apps import ReplicaSet
from kschedctl.objects.resource import ResourceClaim
from kschedctl.objects.storage import PersistentVolumeClaim
from kschedctl.workloads import expand, with_generated_claims
from kschedctl.workloads.daemon_set import pinned_node

from .builders import all_from_yaml, from_yaml

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d-1}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {name: ignored, labels: {app: web}, annotations: {note: kept}}
    spec: {containers: [{name: c, image: web:1}]}
"""

NODES = """
apiVersion: v1
kind: Node
metadata: {name: plain, labels: {disk: ssd}}
---
apiVersion: v1
kind: Node
metadata: {name: cordoned, labels: {disk: ssd}}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata: {name: tainted, labels: {disk: ssd}}
spec: {taints: [{key: dedicated, value: gpu, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata: {name: soft, labels: {disk: hdd}}
spec: {taints: [{key: dedicated, effect: PreferNoSchedule}]}
"""


def test_deployment_pods_belong_to_a_replica_set_with_the_template_hash():
    expansion = expand(from_yaml(DEPLOYMENT))

    (replica_set,) = expansion.others
    assert isinstance(replica_set, ReplicaSet)
    label = replica_set.metadata.labels["pod-template-hash"]
    assert replica_set.name == f"web-{label}"
    assert replica_set.metadata.controller.uid == "d-1"
    assert replica_set.spec.selector.match_labels == {"app": "web", "pod-template-hash": label}
    assert len({pod.name for pod in expansion.pods}) == 3
    for pod in expansion.pods:
        assert pod.name.startswith(f"web-{label}-")
        assert pod.namespace == "shop"
        assert pod.metadata.labels == {"app": "web", "pod-template-hash": label}
        assert pod.metadata.annotations == {"note": "kept"}
        assert (pod.metadata.controller.kind, pod.metadata.controller.name) == (
            "ReplicaSet",
            replica_set.name,
        )


def test_names_are_the_same_in_every_run_and_avoid_those_taken():
    deployment = from_yaml(DEPLOYMENT)
    first = expand(deployment).pods[0].name

    assert expand(deployment).pods[0].name == first
    assert first not in {pod.name for pod in expand(deployment, taken={first}).pods}


def test_deployment_goes_on_with_the_replica_set_of_the_same_template():
    live = from_yaml("""
        apiVersion: apps/v1
        kind: ReplicaSet
        metadata:
          name: web-5d9c7
          namespace: shop
          ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d-1, controller: true}]
        spec:
          replicas: 1
          selector: {matchLabels: {app: web, pod-template-hash: 5d9c7}}
          template:
            metadata: {labels: {app: web, pod-template-hash: 5d9c7}, annotations: {note: kept}}
            spec:
              schedulerName: default-scheduler
              restartPolicy: Always
              terminationGracePeriodSeconds: 30
              containers: [{name: c, image: web:1}]
        """)
    deployment = from_yaml(DEPLOYMENT)

    assert {p.metadata.labels["pod-template-hash"] for p in expand(deployment, replica_sets=[live]).pods} == {
        "5d9c7"
    }
    changed = from_yaml(DEPLOYMENT.replace("web:1", "web:2"))
    assert expand(changed, replica_sets=[live]).others[0].name != "web-5d9c7"


@pytest.mark.parametrize(
    ("kind", "version", "spec", "count"),
    [
        pytest.param("ReplicaSet", "apps/v1", "{}", 1, id="replica set, one by default"),
        pytest.param("ReplicaSet", "apps/v1", "{replicas: 4}", 4, id="replica set"),
        pytest.param("ReplicaSet", "apps/v1", "{replicas: 0}", 0, id="replica set scaled to none"),
        pytest.param("ReplicationController", "v1", "{replicas: 2}", 2, id="replication controller"),
        pytest.param("StatefulSet", "apps/v1", "{replicas: 2}", 2, id="stateful set"),
        pytest.param("Job", "batch/v1", "{}", 1, id="job, one by default"),
        pytest.param("Job", "batch/v1", "{completions: 5}", 1, id="job, one at a time"),
        pytest.param("Job", "batch/v1", "{completions: 5, parallelism: 3}", 3, id="job, in parallel"),
        pytest.param("Job", "batch/v1", "{completions: 2, parallelism: 3}", 2, id="job, no more than needed"),
        pytest.param("Job", "batch/v1", "{parallelism: 3}", 3, id="job, work queue"),
        pytest.param("Job", "batch/v1", "{parallelism: 0, completions: 2}", 0, id="job at a standstill"),
        pytest.param("Job", "batch/v1", "{parallelism: 3, suspend: true}", 0, id="suspended job"),
    ],
)
def test_how_many_pods(kind, version, spec, count):
    workload = from_yaml(f"{{apiVersion: {version}, kind: {kind}, metadata: {{name: w}}, spec: {spec}}}")

    assert len(expand(workload).pods) == count


def test_job_counts_what_has_succeeded():
    job = from_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: w}, spec: {completions: 5, parallelism: 4}, "
        "status: {succeeded: 3}}"
    )

    assert len(expand(job).pods) == 2


def test_indexed_job_takes_the_lowest_open_indexes():
    job = from_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: w}, spec: {completions: 6, parallelism: 3, "
        'completionMode: Indexed}, status: {succeeded: 3, completedIndexes: "0,2-3"}}'
    )

    pods = expand(job).pods
    assert [pod.spec.hostname for pod in pods] == ["w-1", "w-4", "w-5"]
    assert [pod.metadata.labels["batch.kubernetes.io/job-completion-index"] for pod in pods] == [
        "1",
        "4",
        "5",
    ]
    assert [pod.name[:4] for pod in pods] == ["w-1-", "w-4-", "w-5-"]


def test_indexed_job_does_not_try_again_what_has_failed_for_good():
    job = from_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: w}, spec: {completions: 6, parallelism: 3, "
        'completionMode: Indexed}, status: {succeeded: 1, completedIndexes: "0", failedIndexes: "1,3-4"}}'
    )

    assert [pod.spec.hostname for pod in expand(job).pods] == ["w-2", "w-5"]


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        pytest.param("x", ["w-0", "w-1", "w-2"], id="no number"),
        pytest.param("0,x,1-", ["w-1", "w-2", "w-3"], id="one of them no number"),
        pytest.param("0-999999990", [], id="more than there are"),
        pytest.param("1-999999999999999999", ["w-0"], id="very many"),
        pytest.param("3-1,0", ["w-1", "w-2", "w-3"], id="backwards"),
        pytest.param("2,0-1,1-2", ["w-3", "w-4", "w-5"], id="overlapping, in no order"),
        pytest.param("9" * 30, ["w-0", "w-1", "w-2"], id="of more than 64 bits"),
    ],
)
def test_indexes_that_are_done_are_read_as_the_controller_does(done, expected):
    job = from_yaml(
        "{apiVersion: batch/v1, kind: Job, metadata: {name: w}, spec: {completions: 900, parallelism: 3, "
        f'completionMode: Indexed}}, status: {{completedIndexes: "{done}"}}}}'
    )

    assert [pod.spec.hostname for pod in expand(job).pods] == expected


def test_long_names_of_an_indexed_job_keep_the_index():
    job = from_yaml(
        f"{{apiVersion: batch/v1, kind: Job, metadata: {{name: {'j' * 63}}}, "
        "spec: {completions: 1, completionMode: Indexed}}"
    )

    (pod,) = expand(job).pods
    assert len(pod.name) == 63
    assert "-0-" in pod.name


def test_cron_job_runs_its_next_job():
    cron_job = from_yaml("""
        apiVersion: batch/v1
        kind: CronJob
        metadata: {name: nightly}
        spec:
          jobTemplate:
            metadata: {labels: {team: data}}
            spec: {parallelism: 2, completions: 2, template: {metadata: {labels: {app: etl}}}}
        """)

    expansion = expand(cron_job)
    (job,) = expansion.others
    assert job.metadata.labels == {"team": "data"}
    assert job.metadata.controller.kind == "CronJob"
    assert [pod.metadata.controller.kind for pod in expansion.pods] == ["Job", "Job"]
    assert expansion.pods[0].metadata.labels["job-name"] == job.name


STATEFUL_SET = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  replicas: 2
  ordinals: {start: 5}
  serviceName: db-headless
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: c}]
      volumes: [{name: data}, {name: config}]
  volumeClaimTemplates:
  - metadata: {name: data, labels: {tier: hot}}
    spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
"""


def test_stateful_set_pods_have_numbers_and_claims():
    expansion = expand(from_yaml(STATEFUL_SET))

    assert [pod.name for pod in expansion.pods] == ["db-5", "db-6"]
    pod = expansion.pods[0]
    assert pod.metadata.labels["statefulset.kubernetes.io/pod-name"] == "db-5"
    assert pod.metadata.labels["apps.kubernetes.io/pod-index"] == "5"
    assert (pod.spec.hostname, pod.spec.subdomain) == ("db-5", "db-headless")
    assert [volume.name for volume in pod.spec.volumes] == ["data", "config"]
    assert pod.spec.volumes[0].persistent_volume_claim.claim_name == "data-db-5"
    claims = expansion.others
    assert [claim.full_name for claim in claims] == ["shop/data-db-5", "shop/data-db-6"]
    assert claims[0].metadata.labels == {"tier": "hot", "app": "db"}
    assert claims[0].spec.storage_class_name == "fast"


def _daemon_set(spec: str = "containers: [{name: c}]") -> str:
    return f"""
apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: agent, annotations: {{deprecated.daemonset.template.generation: "4"}}}}
spec:
  selector: {{matchLabels: {{app: agent}}}}
  template:
    metadata: {{labels: {{app: agent}}}}
    spec: {{{spec}}}
"""


@pytest.mark.parametrize(
    ("spec", "nodes"),
    [
        pytest.param("containers: [{name: c}]", ["plain", "cordoned", "soft"], id="hard taints keep away"),
        pytest.param("tolerations: [{operator: Exists}]", ["plain", "cordoned", "tainted", "soft"], id="all"),
        pytest.param("nodeSelector: {disk: ssd}", ["plain", "cordoned"], id="node selector"),
        pytest.param("nodeName: soft", ["soft"], id="node name"),
        pytest.param(
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
            "[{matchExpressions: [{key: disk, operator: In, values: [hdd]}]}]}}}",
            ["soft"],
            id="node affinity",
        ),
    ],
)
def test_daemon_set_runs_on_eligible_nodes(spec, nodes):
    pods = expand(from_yaml(_daemon_set(spec)), nodes=all_from_yaml(NODES)).pods

    assert [pinned_node(pod) for pod in pods] == nodes


def test_daemon_pods_are_pinned_and_tolerate_conditions():
    (pod,) = expand(from_yaml(_daemon_set()), nodes=all_from_yaml(NODES)[:1]).pods

    assert pod.metadata.labels["pod-template-generation"] == "4"
    (term,) = pod.spec.affinity.node_affinity.required.node_selector_terms
    assert not term.match_expressions
    assert [(f.key, f.values) for f in term.match_fields] == [("metadata.name", ("plain",))]
    assert [(t.key.split("/")[1], t.effect) for t in pod.spec.tolerations] == [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ]


def test_daemon_tolerations_take_the_place_of_equal_ones():
    text = _daemon_set(
        "tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, "
        "tolerationSeconds: 5}], hostNetwork: true"
    )
    (pod,) = expand(from_yaml(text), nodes=all_from_yaml(NODES)[:1]).pods

    assert len(pod.spec.tolerations) == 7
    assert pod.spec.tolerations[0].toleration_seconds is None
    assert pod.spec.tolerations[-1].key == "node.kubernetes.io/network-unavailable"


def test_claims_of_ephemeral_volumes_and_templates_are_made():
    pod = from_yaml("""
        apiVersion: v1
        kind: Pod
        metadata: {name: train-0, namespace: ml}
        spec:
          containers: [{name: c}]
          volumes:
          - name: scratch
            ephemeral: {volumeClaimTemplate: {metadata: {labels: {a: b}}, spec: {storageClassName: fast}}}
          resourceClaims:
          - {name: gpu, resourceClaimTemplateName: one-gpu}
          - {name: nic, resourceClaimTemplateName: unknown}
          - {name: shared, resourceClaimName: pool}
        """)
    template = from_yaml("""
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaimTemplate
        metadata: {name: one-gpu, namespace: ml}
        spec: {metadata: {labels: {kind: gpu}}, spec: {devices: {requests: [{name: r}]}}}
        """)

    ready, claims = with_generated_claims(pod, ObjectStore([template]).find)

    volume, device = claims
    assert isinstance(volume, PersistentVolumeClaim)
    assert (volume.full_name, volume.spec.storage_class_name) == ("ml/train-0-scratch", "fast")
    assert volume.metadata.controller.uid == ready.uid
    assert isinstance(device, ResourceClaim)
    assert device.metadata.labels == {"kind": "gpu"}
    assert [(s.name, s.resource_claim_name) for s in ready.status.resource_claim_statuses] == [
        ("gpu", device.name)
    ]
