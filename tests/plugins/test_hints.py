"""Which events may help the pods that a plugin rejected (spec 08 §2.1 and §2.2, spec 04 §7)."""

import pytest
from builders import HOST, ZONE, enter, made, node, pod, session

from kschedctl.admission.defaults import default_node
from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.framework.versions import version_of
from kschedctl.run.queued_pod import QueuedPod
from kschedctl.run.wakes import PluginWakes


def affinity(kind, *terms, key=HOST):
    """Required terms that mean pods by one label each: `app=a`."""
    return {
        kind: {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": key, "labelSelector": {"matchLabels": dict([term.split("=")])}}
                for term in terms
            ]
        }
    }


def spread(app, key=HOST, **more):
    selector = {"matchLabels": {"app": app}}
    return [
        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
        | more
    ]


class Bench:
    """A waiting pod that one plugin rejected, in a cluster of one node."""

    def __init__(self, plugin, waiting, version="1.36", objects=(), gates=None):
        found = version_of(version)
        self.session = session(node("n"), objects, version=found, gates=gates)
        wakes = found.facts.taints_wake_whom_nodes_wake
        self.wakes = PluginWakes(
            self.session.scheduler.frameworks, self.session.cluster, taints_wake_whom_nodes_wake=wakes
        )
        self.pod = QueuedPod(enter(self.session, waiting), 0, frozenset({plugin}))

    def helps(self, resource, action, old=None, new=None):
        event = ClusterEvent(resource, action, self.object(old), self.object(new))
        return self.wakes.helps(self.pod, event)

    def object(self, data):
        if data is None:
            return None
        item = made(data)
        if data["kind"] == "Pod":
            return self.session.cluster.add_pod(self.session.admission.admit_existing(item))
        return default_node(item) if data["kind"] == "Node" else item


def on(name, **more):
    return pod(name, on="n", **more)


FIT, TAINT, CORDON, AFFINITY, PORTS = (
    "NodeResourcesFit",
    "TaintToleration",
    "NodeUnschedulable",
    "NodeAffinity",
    "NodePorts",
)
SPREAD, INTER_POD = "PodTopologySpread", "InterPodAffinity"
PORT = [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 80}]}]
OTHER_PORT = [{"name": "c", "image": "i", "ports": [{"containerPort": 80, "hostPort": 81}]}]
TOLERANT = [{"key": "k", "operator": "Exists"}]


@pytest.mark.parametrize(
    ("plugin", "waiting", "action", "old", "new", "helps"),
    [
        pytest.param(
            FIT, pod("w", cpu="4"), Action.ADD, None, node("m", cpu="4"), True, id="fit: it would fit"
        ),
        pytest.param(
            FIT, pod("w", cpu="5"), Action.ADD, None, node("m", cpu="4"), False, id="fit: not even alone"
        ),
        pytest.param(
            FIT, pod("w"), Action.ADD, None, node("m", pods="0"), False, id="fit: no place for a pod"
        ),
        pytest.param(
            FIT,
            pod("w", cpu="2"),
            Action.UPDATE_NODE_ALLOCATABLE,
            node("m", cpu="2"),
            node("m", cpu="3"),
            True,
            id="fit: what it wants grew",
        ),
        pytest.param(
            FIT,
            pod("w", cpu="2"),
            Action.UPDATE_NODE_ALLOCATABLE,
            node("m", memory="1Gi"),
            node("m", memory="2Gi"),
            False,
            id="fit: something else grew",
        ),
        pytest.param(
            FIT,
            pod("w", cpu="2"),
            Action.UPDATE_NODE_ALLOCATABLE,
            node("m", pods="3"),
            node("m", pods="4"),
            True,
            id="fit: places for pods grew",
        ),
        pytest.param(
            FIT,
            pod("w"),
            Action.UPDATE_NODE_LABEL,
            node("m"),
            node("m", "z"),
            False,
            id="fit: labels do not matter",
        ),
        pytest.param(
            TAINT,
            pod("w"),
            Action.ADD,
            None,
            node("m", taints=["k:NoSchedule"]),
            False,
            id="taint: not tolerated",
        ),
        pytest.param(TAINT, pod("w"), Action.ADD, None, node("m"), True, id="taint: none"),
        pytest.param(
            TAINT,
            pod("w"),
            Action.ADD,
            None,
            node("m", taints=["k:PreferNoSchedule"]),
            True,
            id="taint: a soft one",
        ),
        pytest.param(
            TAINT,
            pod("w"),
            Action.UPDATE_NODE_TAINT,
            node("m", taints=["k:NoExecute"]),
            node("m"),
            True,
            id="taint: it went",
        ),
        pytest.param(
            TAINT,
            pod("w"),
            Action.UPDATE_NODE_TAINT,
            node("m"),
            node("m"),
            False,
            id="taint: was fine before",
        ),
        pytest.param(
            CORDON, pod("w"), Action.ADD, None, node("m", cordoned=True), False, id="cordon: cordoned"
        ),
        pytest.param(CORDON, pod("w"), Action.ADD, None, node("m"), True, id="cordon: open"),
        pytest.param(
            CORDON,
            pod("w"),
            Action.UPDATE_NODE_TAINT,
            node("m", cordoned=True),
            node("m"),
            True,
            id="cordon: opened",
        ),
        pytest.param(
            CORDON,
            pod("w"),
            Action.UPDATE_NODE_TAINT,
            node("m"),
            node("m"),
            False,
            id="cordon: was open before",
        ),
        pytest.param(
            AFFINITY,
            pod("w", nodeSelector={"disk": "ssd"}),
            Action.UPDATE_NODE_LABEL,
            node("m"),
            node("m", labels={"disk": "ssd"}),
            True,
            id="affinity: begins to match",
        ),
        pytest.param(
            AFFINITY,
            pod("w", nodeSelector={"disk": "ssd"}),
            Action.UPDATE_NODE_LABEL,
            node("m", labels={"disk": "ssd"}),
            node("m", labels={"disk": "ssd", "more": "x"}),
            False,
            id="affinity: matched before",
        ),
        pytest.param(
            AFFINITY,
            pod("w", nodeSelector={"disk": "ssd"}),
            Action.ADD,
            None,
            node("m", labels={"disk": "hdd"}),
            False,
            id="affinity: does not match",
        ),
        pytest.param(
            PORTS, pod("w"), Action.ADD, None, node("m", cordoned=True), True, id="ports: any new node"
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("w", ZONE)),
            Action.ADD,
            None,
            node("m"),
            False,
            id="spread: lacks the key",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("w", ZONE)),
            Action.DELETE,
            node("m", "z1"),
            None,
            True,
            id="spread: a node of the topology goes",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("w", ZONE)),
            Action.UPDATE_NODE_LABEL,
            node("m", "z1"),
            node("m", "z2"),
            True,
            id="spread: another domain",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("w", ZONE)),
            Action.UPDATE_NODE_TAINT,
            node("m", "z1", taints=["k:NoSchedule"]),
            node("m", "z1"),
            True,
            id="spread: other taints",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("w", ZONE)),
            Action.UPDATE_NODE_LABEL,
            node("m", "z1"),
            node("m", "z1", labels={"x": "y"}),
            False,
            id="spread: other labels",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAffinity", "app=a", key=ZONE)),
            Action.ADD,
            None,
            node("m"),
            False,
            id="inter-pod: attracted, the key is not there",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAntiAffinity", "app=a", key=ZONE)),
            Action.ADD,
            None,
            node("m"),
            True,
            id="inter-pod: repelled, any new node",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAffinity", "app=a", key=ZONE)),
            Action.UPDATE_NODE_LABEL,
            node("m", "z1"),
            node("m", "z2"),
            True,
            id="inter-pod: attracted, another domain",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAntiAffinity", "app=a", key=ZONE)),
            Action.UPDATE_NODE_LABEL,
            node("m"),
            node("m", "z2"),
            False,
            id="inter-pod: repelled, the key is new",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAntiAffinity", "app=a", key=ZONE)),
            Action.UPDATE_NODE_LABEL,
            node("m", "z2"),
            node("m"),
            True,
            id="inter-pod: repelled, the key is gone",
        ),
        pytest.param(
            "NodeDeclaredFeatures", pod("w"), Action.ADD, None, node("m"), True, id="features: any new node"
        ),
        pytest.param(
            "VolumeBinding", pod("w"), Action.ADD, None, node("m"), True, id="volumes: any new node"
        ),
        pytest.param(
            "NodeVolumeLimits",
            pod("w"),
            Action.ADD,
            None,
            node("m"),
            False,
            id="limits: nodes as such do not",
        ),
    ],
)
def test_nodes(plugin, waiting, action, old, new, helps):
    assert Bench(plugin, waiting).helps(Resource.NODE, action, old, new) is helps


@pytest.mark.parametrize(
    ("plugin", "version", "helps"),
    [
        pytest.param(FIT, "1.36", True, id="1.36: whom new nodes wake"),
        pytest.param("NodeVolumeLimits", "1.36", False, id="1.36: not whom they do not wake"),
        pytest.param(CORDON, "1.36", False, id="1.36: not who looks at taints itself"),
        pytest.param(FIT, "1.37", False, id="1.37: nobody else"),
    ],
)
def test_whom_taints_wake(plugin, version, helps):
    bench = Bench(plugin, pod("w", cpu="9"), version)
    assert bench.helps(Resource.NODE, Action.UPDATE_NODE_TAINT, node("m"), node("m")) is helps


@pytest.mark.parametrize(
    ("plugin", "waiting", "action", "old", "new", "helps"),
    [
        pytest.param(FIT, pod("w"), Action.DELETE, on("e"), None, True, id="fit: any pod that goes"),
        pytest.param(
            FIT,
            pod("w", cpu="1"),
            Action.UPDATE_POD_SCALE_DOWN,
            on("e", cpu="2"),
            on("e", cpu="1"),
            True,
            id="fit: less of what it wants",
        ),
        pytest.param(
            FIT,
            pod("w", cpu="1"),
            Action.UPDATE_POD_SCALE_DOWN,
            on("e", memory="2Gi"),
            on("e", memory="1Gi"),
            False,
            id="fit: less of something else",
        ),
        pytest.param(FIT, pod("w"), Action.ADD, None, on("e"), False, id="fit: no pod that comes"),
        pytest.param(
            PORTS,
            pod("w", containers=PORT),
            Action.DELETE,
            on("e", containers=PORT),
            None,
            True,
            id="ports: the port",
        ),
        pytest.param(
            PORTS,
            pod("w", containers=PORT),
            Action.DELETE,
            on("e", containers=OTHER_PORT),
            None,
            False,
            id="ports: another port",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("a")),
            Action.ADD,
            None,
            on("e", labels={"app": "a"}),
            True,
            id="spread: a pod that counts",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("a")),
            Action.DELETE,
            on("e", labels={"app": "b"}),
            None,
            False,
            id="spread: one that does not",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("a")),
            Action.DELETE,
            on("e", labels={"app": "a"}, namespace="other"),
            None,
            False,
            id="spread: of another namespace",
        ),
        pytest.param(
            SPREAD,
            pod("w", topologySpreadConstraints=spread("a")),
            Action.UPDATE_POD_LABEL,
            on("e", labels={"app": "a"}),
            on("e", labels={"app": "b"}),
            True,
            id="spread: counts no more",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAffinity", "app=a", "tier=x")),
            Action.ADD,
            None,
            on("e", labels={"app": "a"}),
            False,
            id="inter-pod: attracted by one of two terms",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAffinity", "app=a", "tier=x")),
            Action.ADD,
            None,
            on("e", labels={"app": "a", "tier": "x"}),
            True,
            id="inter-pod: attracted by both",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAffinity", "app=a")),
            Action.UPDATE_POD_LABEL,
            on("e"),
            on("e", labels={"app": "a"}),
            True,
            id="inter-pod: begins to attract",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAntiAffinity", "app=a")),
            Action.UPDATE_POD_LABEL,
            on("e", labels={"app": "a"}),
            on("e"),
            True,
            id="inter-pod: ceases to repel",
        ),
        pytest.param(
            INTER_POD,
            pod("w", affinity=affinity("podAntiAffinity", "app=a")),
            Action.DELETE,
            on("e", labels={"app": "b"}),
            None,
            False,
            id="inter-pod: never repelled",
        ),
        pytest.param(
            "DefaultPreemption", pod("w"), Action.DELETE, on("e"), None, False, id="preemption: it has others"
        ),
    ],
)
def test_other_pods(plugin, waiting, action, old, new, helps):
    assert Bench(plugin, waiting).helps(Resource.ASSIGNED_POD, action, old, new) is helps


@pytest.mark.parametrize(
    ("version", "helps"),
    [
        pytest.param("1.34", False, id="1.34"),
        pytest.param("1.35", False, id="1.35"),
        pytest.param("1.36", True, id="1.36"),
    ],
)
@pytest.mark.parametrize(
    ("resource", "action", "old", "new"),
    [
        pytest.param(
            Resource.ASSIGNED_POD,
            Action.DELETE,
            on("e", affinity=affinity("podAntiAffinity", "app=w")),
            None,
            id="a pod that repelled it goes",
        ),
        pytest.param(
            Resource.TARGET_POD,
            Action.UPDATE_POD_LABEL,
            pod("w"),
            pod("w", labels={"app": "w"}),
            id="its own labels",
        ),
    ],
)
def test_repelled_pods(version, helps, resource, action, old, new):
    bench = Bench(INTER_POD, pod("w", labels={"app": "w"}), version)
    assert bench.helps(resource, action, old, new) is helps


@pytest.mark.parametrize(
    ("version", "helps"), [pytest.param("1.36", False, id="all"), pytest.param("1.37", True, id="any")]
)
def test_how_many_anti_affinity_terms_a_pod_must_lift(version, helps):
    bench = Bench(INTER_POD, pod("w", affinity=affinity("podAntiAffinity", "app=a", "app=b")), version)
    assert bench.helps(Resource.ASSIGNED_POD, Action.DELETE, on("e", labels={"app": "a"})) is helps


@pytest.mark.parametrize(
    ("version", "helps"), [pytest.param("1.35", False, id="1.35"), pytest.param("1.36", True, id="1.36")]
)
@pytest.mark.parametrize(
    ("plugin", "waiting"),
    [
        pytest.param(SPREAD, pod("w", topologySpreadConstraints=spread("a")), id="spread"),
        pytest.param(INTER_POD, pod("w", affinity=affinity("podAntiAffinity", "app=a")), id="inter-pod"),
    ],
)
def test_nominations_that_end(version, helps, plugin, waiting):
    nominated = pod("e", labels={"app": "a"}, nominated="n")
    assert Bench(plugin, waiting, version).helps(Resource.ASSIGNED_POD, Action.DELETE, nominated) is helps


def test_the_end_of_its_own_nomination_counts_for_spreading_in_every_version():
    bench = Bench(SPREAD, pod("w", labels={"app": "a"}, topologySpreadConstraints=spread("a")), "1.35")
    own = pod("w", labels={"app": "a"}, nominated="n")
    assert bench.helps(Resource.ASSIGNED_POD, Action.DELETE, own)


@pytest.mark.parametrize(
    ("plugin", "action", "new", "helps"),
    [
        pytest.param(FIT, Action.UPDATE_POD_SCALE_DOWN, pod("w"), True, id="fit: asks for less"),
        pytest.param(
            TAINT,
            Action.UPDATE_POD_TOLERATION,
            pod("w", tolerations=TOLERANT),
            True,
            id="taint: tolerates more",
        ),
        pytest.param(
            CORDON,
            Action.UPDATE_POD_TOLERATION,
            pod("w", tolerations=TOLERANT),
            False,
            id="cordon: another taint",
        ),
        pytest.param(
            CORDON,
            Action.UPDATE_POD_TOLERATION,
            pod("w", tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}]),
            True,
            id="cordon: the taint",
        ),
        pytest.param(
            "SchedulingGates",
            Action.UPDATE_POD_SCHEDULING_GATES_ELIMINATED,
            pod("w"),
            True,
            id="gates: the last went",
        ),
        pytest.param(
            "NodeDeclaredFeatures",
            Action.UPDATE,
            pod("w", labels={"a": "b"}),
            False,
            id="features: needs the same",
        ),
    ],
)
def test_the_pod_itself(plugin, action, new, helps):
    assert Bench(plugin, pod("w")).helps(Resource.TARGET_POD, action, pod("w"), new) is helps


@pytest.mark.parametrize(
    ("policy", "helps"),
    [pytest.param("Honor", True, id="honoured"), pytest.param("Ignore", False, id="ignored")],
)
def test_new_tolerations_where_spreading_looks_at_taints(policy, helps):
    waiting = pod("w", topologySpreadConstraints=spread("a", nodeTaintsPolicy=policy))
    bench = Bench(SPREAD, waiting)
    tolerant = waiting | {"spec": waiting["spec"] | {"tolerations": TOLERANT}}
    assert bench.helps(Resource.TARGET_POD, Action.UPDATE_POD_TOLERATION, waiting, tolerant) is helps


def named(kind, api, name, **more):
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default"}} | more


CLAIM = named("PersistentVolumeClaim", "v1", "data")
VOLUME = named("PersistentVolume", "v1", "pv")
WITH_CLAIM = pod("w", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])
PVC, PV, STORAGE = Resource.PERSISTENT_VOLUME_CLAIM, Resource.PERSISTENT_VOLUME, Resource.STORAGE_CLASS


def storage_class(mode):
    return named("StorageClass", "storage.k8s.io/v1", "s", volumeBindingMode=mode)


def csi_node(limit):
    drivers = [{"name": "d", "nodeID": "n", "allocatable": {"count": limit}}]
    return named("CSINode", "storage.k8s.io/v1", "n", spec={"drivers": drivers})


def capacity(amount):
    return named("CSIStorageCapacity", "storage.k8s.io/v1", "c", storageClassName="s", capacity=amount)


@pytest.mark.parametrize(
    ("plugin", "resource", "action", "old", "new", "helps"),
    [
        pytest.param("VolumeBinding", PVC, Action.ADD, None, CLAIM, True, id="binding: its claim"),
        pytest.param(
            "VolumeBinding",
            PVC,
            Action.ADD,
            None,
            named("PersistentVolumeClaim", "v1", "other"),
            False,
            id="binding: another claim",
        ),
        pytest.param("VolumeBinding", PV, Action.UPDATE, VOLUME, VOLUME, True, id="binding: any volume"),
        pytest.param("VolumeBinding", PV, Action.DELETE, VOLUME, None, False, id="binding: none that goes"),
        pytest.param(
            "VolumeBinding",
            STORAGE,
            Action.UPDATE,
            storage_class("Immediate"),
            storage_class("Immediate"),
            False,
            id="binding: the same topologies",
        ),
        pytest.param(
            "VolumeBinding",
            Resource.CSI_STORAGE_CAPACITY,
            Action.UPDATE,
            capacity("1Gi"),
            capacity("2Gi"),
            True,
            id="binding: capacity grows",
        ),
        pytest.param(
            "VolumeBinding",
            Resource.CSI_STORAGE_CAPACITY,
            Action.UPDATE,
            capacity("2Gi"),
            capacity("1Gi"),
            False,
            id="binding: capacity shrinks",
        ),
        pytest.param("VolumeRestrictions", PVC, Action.ADD, None, CLAIM, True, id="restrictions: its claim"),
        pytest.param(
            "VolumeRestrictions",
            Resource.ASSIGNED_POD,
            Action.DELETE,
            on("e", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]),
            None,
            True,
            id="restrictions: who had the claim goes",
        ),
        pytest.param(
            "VolumeRestrictions",
            Resource.ASSIGNED_POD,
            Action.DELETE,
            on("e"),
            None,
            False,
            id="restrictions: somebody else goes",
        ),
        pytest.param(
            "VolumeZone",
            STORAGE,
            Action.ADD,
            None,
            storage_class("WaitForFirstConsumer"),
            True,
            id="zone: a class that waits",
        ),
        pytest.param(
            "VolumeZone",
            STORAGE,
            Action.ADD,
            None,
            storage_class("Immediate"),
            False,
            id="zone: a class that does not",
        ),
        pytest.param("VolumeZone", PV, Action.UPDATE, VOLUME, VOLUME, False, id="zone: the same zones"),
        pytest.param(
            "NodeVolumeLimits",
            Resource.CSI_NODE,
            Action.UPDATE,
            csi_node(1),
            csi_node(2),
            True,
            id="limits: one rises",
        ),
        pytest.param(
            "NodeVolumeLimits",
            Resource.CSI_NODE,
            Action.UPDATE,
            csi_node(2),
            csi_node(1),
            False,
            id="limits: one falls",
        ),
        pytest.param(
            "NodeVolumeLimits",
            Resource.ASSIGNED_POD,
            Action.DELETE,
            on("e", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "x"}}]),
            None,
            True,
            id="limits: who had a claim goes",
        ),
        pytest.param(
            "NodeVolumeLimits",
            Resource.ASSIGNED_POD,
            Action.DELETE,
            on("e"),
            None,
            False,
            id="limits: who had none goes",
        ),
    ],
)
def test_volumes(plugin, resource, action, old, new, helps):
    assert Bench(plugin, WITH_CLAIM).helps(resource, action, old, new) is helps


def device_claim(name="c", **status):
    return named("ResourceClaim", "resource.k8s.io/v1", name, status=status)


DEVICES = {"allocation": {"devices": {"results": []}}}
WITH_DEVICES = pod("w", resourceClaims=[{"name": "r", "resourceClaimName": "c"}])


@pytest.mark.parametrize(
    ("there", "action", "old", "new", "version", "helps"),
    [
        pytest.param(True, Action.ADD, None, device_claim(), "1.36", True, id="its claim comes"),
        pytest.param(True, Action.ADD, None, device_claim("x"), "1.36", False, id="another comes"),
        pytest.param(
            False, Action.ADD, None, device_claim("x"), "1.36", False, id="its own is still missing"
        ),
        pytest.param(
            True,
            Action.UPDATE,
            device_claim("x", **DEVICES),
            device_claim("x"),
            "1.36",
            True,
            id="another gives devices back",
        ),
        pytest.param(
            True, Action.UPDATE, device_claim(), device_claim(), "1.36", False, id="the same status"
        ),
        pytest.param(
            True,
            Action.DELETE,
            device_claim("x", **DEVICES),
            None,
            "1.36",
            False,
            id="1.36: deletions unheard",
        ),
        pytest.param(
            True,
            Action.DELETE,
            device_claim("x", **DEVICES),
            None,
            "1.37",
            True,
            id="1.37: devices are freed",
        ),
        pytest.param(True, Action.DELETE, device_claim("x"), None, "1.37", False, id="1.37: there were none"),
    ],
)
def test_claims_for_devices(there, action, old, new, version, helps):
    bench = Bench("DynamicResources", WITH_DEVICES, version, [device_claim()] if there else [])
    assert bench.helps(Resource.RESOURCE_CLAIM, action, old, new) is helps


def test_extended_resources_that_a_class_begins_to_back():
    bench = Bench(FIT, pod("w", more={"example.com/gpu": "1"}))
    backing = named(
        "DeviceClass", "resource.k8s.io/v1", "g", spec={"extendedResourceName": "example.com/gpu"}
    )
    bare = named("DeviceClass", "resource.k8s.io/v1", "g", spec={})
    found = [
        bench.helps(Resource.DEVICE_CLASS, action, old, new)
        for action, old, new in [
            (Action.ADD, None, backing),
            (Action.ADD, None, bare),
            (Action.UPDATE, bare, backing),
            (Action.UPDATE, backing, backing),
        ]
    ]
    assert found == [True, False, True, False]


def test_one_of_several_rejecting_plugins_is_enough():
    bench = Bench(FIT, pod("w", cpu="9"))
    bench.pod = replace_rejectors(bench.pod, FIT, CORDON)
    assert bench.helps(Resource.NODE, Action.ADD, None, node("m"))


def replace_rejectors(queued, *plugins):
    return QueuedPod(queued.record, 0, frozenset(plugins))
