"""What `explain` and `preempt` say of what they are asked about: one pod of many, and what comes with it."""

import json

import pytest
import yaml
from builders import node, pod

VERBS = ["explain", "preempt"]
RUNS = pod("runs", "n1", namespace="kube-system")


def template(*, labels=None, **spec):
    return {
        "metadata": {"labels": labels or {"app": "api"}},
        "spec": {"containers": [{"name": "main", "image": "app"}], **spec},
    }


def workload(kind="Deployment", name="api", namespace="shop", version="apps/v1", labels=None, **spec):
    selecting = {} if kind == "Job" else {"selector": {"matchLabels": labels or {"app": "api"}}}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": template(labels=labels), **selecting, **spec},
    }


def plain(kind, name, version="v1", **more):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}


@pytest.fixture
def asked(run, tmp_path, monkeypatch):
    """Runs a verb for the objects of `pod.yaml` in the cluster of the objects of `cluster.yaml`."""
    monkeypatch.chdir(tmp_path)

    def asked_with(verb, candidates, cluster=(), *more):
        (tmp_path / "pod.yaml").write_text(yaml.safe_dump_all(candidates))
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all([node("n1"), node("n2"), RUNS, *cluster]))
        about = ["pod.yaml"] if candidates else []
        return run(verb, *about, "-c", "cluster.yaml", *more)

    return asked_with


def text_of(done):
    assert done.err == ""
    return " ".join(done.out.split())


def caveats_of(done):
    report = json.loads(done.out)
    return [caveat["code"] for caveat in report["cluster"]["caveats"]]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("candidate", "subject", "pods"),
    [
        (workload(replicas=5), "Deployment shop/api (5 replicas)", 5),
        (workload("StatefulSet", replicas=2), "StatefulSet shop/api (2 replicas)", 2),
        (workload("Job", version="batch/v1", parallelism=3), "Job shop/api (3 at once)", 3),
        (
            workload("Job", version="batch/v1", parallelism=3, completions=2),
            "Job shop/api (2 at once)",
            2,
        ),
    ],
)
def test_one_pod_of_a_workload_is_told_to_be_one(asked, verb, candidate, subject, pods):
    done = asked(verb, [candidate])
    assert f"✓ one pod of {subject} " in text_of(done)
    assert "judged is one pod alone; all of them: kschedctl simulate -f pod.yaml -c cluster.yaml" in text_of(
        done
    )
    assert f"one pod of {subject}" in asked(verb, [candidate], (), "-q").out
    report = json.loads(asked(verb, [candidate], (), "-o", "json").out)
    assert report["pod"]["workload"] == {
        "kind": candidate["kind"],
        "namespace": "shop",
        "name": "api",
        "pods": pods,
        "fromCluster": False,
    }


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("replicas", [0, 1])
def test_a_workload_of_one_pod_has_no_others(asked, verb, replicas):
    told = text_of(asked(verb, [workload(replicas=replicas)]))
    assert "one pod of Deployment shop/api" in told
    assert "simulate" not in told


@pytest.mark.parametrize("verb", VERBS)
def test_a_cron_job_has_no_number_of_its_own(asked, verb):
    cron = plain("CronJob", "nightly", "batch/v1", spec={"jobTemplate": {"spec": {"template": template()}}})
    told = text_of(asked(verb, [cron]))
    assert "one pod of CronJob default/nightly " in told
    assert "simulate -f pod.yaml" in told


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "reference", ["deployment/api", "deploy/api", "deployments/api", "deployment.apps/api", "Deployment/api"]
)
def test_a_workload_of_the_cluster_gets_one_more_pod(asked, verb, reference):
    told = text_of(asked(verb, [], [workload(replicas=5)], reference, "-n", "shop"))
    assert "✓ one pod of Deployment shop/api (5 replicas) " in told
    assert "one more pod; how many fit: kschedctl capacity deployment/api -n shop -c cluster.yaml" in told


@pytest.mark.parametrize("verb", VERBS)
def test_a_pod_is_named_as_it_is(asked, verb):
    done = asked(verb, [pod("web")], (), "-o", "json")
    assert json.loads(done.out)["pod"]["workload"] is None
    assert "default/web" in asked(verb, [pod("web")], (), "-q").out


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("beside", "cluster", "told"),
    [
        pytest.param([node("n9")], [], "adds 1 Node to the cluster", id="a node"),
        pytest.param(
            [node("n8"), node("n9"), plain("StorageClass", "fast", "storage.k8s.io/v1", provisioner="x")],
            [],
            "adds 2 Node, 1 StorageClass to the cluster",
            id="several",
        ),
        pytest.param(
            [plain("PodDisruptionBudget", "web", "policy/v1", spec={})],
            [],
            "adds 1 PodDisruptionBudget to the cluster",
            id="a budget",
        ),
        pytest.param([node("n1", cpu="64")], [], "replaces 1 Node of the cluster", id="another node"),
        pytest.param(
            [node("n1", cpu="64"), node("n9")],
            [],
            "adds 1 Node to the cluster and replaces 1 Node of the cluster",
            id="both",
        ),
        pytest.param([node("n1")], [], None, id="the same node"),
        pytest.param([plain("ConfigMap", "c", data={})], [], None, id="what scheduling does not read"),
        pytest.param(
            [plain("Service", "web", spec={"selector": {"app": "web"}})], [], None, id="what pods come with"
        ),
        pytest.param([workload(replicas=2)], [], None, id="a workload"),
    ],
)
def test_objects_that_enter_the_cluster_are_told(asked, verb, beside, cluster, told):
    done = asked(verb, [*beside, pod("web")], cluster)
    assert (f"caveat pod.yaml also {told}" in text_of(done)) == (told is not None)
    assert ("pod.yaml also" in done.out) == (told is not None)


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_added_does_not_make_an_answer_doubtful(asked, verb):
    assert asked(verb, [node("n9"), pod("web")], (), "--strict-caveats").code == 0


@pytest.mark.parametrize("verb", VERBS)
def test_a_pod_that_names_its_node_is_not_seen(asked, verb):
    done = asked(verb, [pod("web", "n1")])
    told = "spec.nodeName is set to n1: kube-scheduler never sees this pod; the kubelet of n1 admits or refuses it"
    assert told in text_of(done)
    assert done.code == 0
    assert asked(verb, [pod("web", "n1")], (), "--strict-caveats").code == 2
    assert caveats_of(asked(verb, [pod("web", "n1")], (), "-o", "json")) == ["node-name-set"]


MEMBER = {"schedulingGroup": {"podGroupName": "train-w"}}
OLD_MEMBER = {"workloadRef": {"name": "train", "podGroup": "train-w", "podGroupReplicaKey": "0"}}
LEFT_OUT = (
    "pod group default/train-w is left out: the API server drops what names it unless feature gate "
    "GenericWorkload is on, which is off by default in"
)
BOTH_GATES = "(--feature-gates GenericWorkload=true,GangScheduling=true)"


@pytest.mark.parametrize("verb", [*VERBS, "simulate", "capacity"])
@pytest.mark.parametrize(
    ("version", "membership", "code", "told"),
    [
        pytest.param(
            "1.37",
            MEMBER,
            "pod-groups-dropped",
            f"{LEFT_OUT} 1.37 (--feature-gates GenericWorkload=true)",
            id="1.37",
        ),
        pytest.param("1.36", MEMBER, "pod-groups-dropped", f"{LEFT_OUT} 1.36 {BOTH_GATES}", id="1.36"),
        pytest.param("1.35", OLD_MEMBER, "pod-groups-dropped", f"{LEFT_OUT} 1.35 {BOTH_GATES}", id="1.35"),
        pytest.param(
            "1.34",
            MEMBER,
            "pod-groups-unknown",
            "pod group default/train-w means nothing: Kubernetes 1.34 has no groups of pods",
            id="1.34",
        ),
    ],
)
def test_a_pod_of_a_group_is_told_to_be_judged_alone(asked, verb, version, membership, code, told):
    candidates, options = [pod("w-0", **membership)], ("--kubernetes-version", version)
    assert told in text_of(asked(verb, candidates, (), *options))
    strict = asked(verb, candidates, (), "--strict-caveats", *options).code
    assert strict == (2 if code == "pod-groups-dropped" else 0)
    assert code in caveats_of(asked(verb, candidates, (), "-o", "json", *options))
    assert code not in caveats_of(asked(verb, [pod("w-0")], (), "-o", "json", *options))


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        pytest.param(("--kubernetes-version", "1.37"), ["gate-shown"], id="1.37"),
        pytest.param(("--kubernetes-version", "1.36"), ["gate-shown", "gate-not-seen"], id="1.36"),
        pytest.param(("--feature-gates", "GenericWorkload=true"), [], id="asked for"),
        pytest.param(("--feature-gates", "GenericWorkload=false"), [], id="denied"),
        pytest.param(("--kubernetes-version", "1.34"), [], id="1.34 has no groups"),
    ],
)
def test_a_pod_of_the_cluster_shows_that_groups_are_on(asked, options, codes):
    done = asked("explain", [pod("web")], [pod("w-0", "n1", **MEMBER)], "-o", "json", *options)
    assert [code for code in caveats_of(done) if code.startswith("gate-")] == codes
    if codes:
        text = text_of(asked("explain", [pod("web")], [pod("w-0", "n1", **MEMBER)], *options))
        assert (
            "feature gate GenericWorkload is taken as on: Pod default/w-0 has spec.schedulingGroup, which the API "
            "server drops without it" in text
        )


def test_a_member_of_a_group_that_is_switched_on_is_judged_with_the_others(asked):
    member = {"schedulingGroup": {"podGroupName": "train"}}
    group = {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }
    options = ("--kubernetes-version", "1.37", "--feature-gates", "GenericWorkload=true")
    done = asked("explain", [pod("t-0", **member), pod("t-1", **member)], [group], *options)
    assert done.code == 0
    assert "pod group default/train: 2 of 2 pods placed (minCount 2)" in text_of(done)
    alone = asked("explain", [pod("t-0", **member)], [group], *options)
    assert alone.code == 1
    assert "pod group default/train waits for more pods: minCount 2, 1 is there" in text_of(alone)


@pytest.mark.parametrize("verb", [*VERBS, "simulate", "capacity"])
def test_a_workload_that_the_api_server_refuses_is_no_input(asked, verb):
    template = {"metadata": {"labels": {"app": "wbe"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    web = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
    done = asked(verb, [web])
    assert (done.code, done.out) == (2, "")
    assert (
        "pod.yaml, line 1: spec.template.metadata.labels: the API server would refuse Deployment shop/web: "
        'Invalid value: {"app":"wbe"}: `selector` does not match template `labels`' in done.err
    )


@pytest.mark.parametrize("verb", [*VERBS, "simulate", "capacity"])
def test_a_group_that_the_api_server_refuses_is_no_input(asked, verb):
    group = {
        "apiVersion": "scheduling.k8s.io/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "train-w", "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": -1}}},
    }
    done = asked(verb, [group, pod("w-0", **MEMBER)], (), "--feature-gates", "GenericWorkload=true")
    assert done.code == 2
    assert (
        "pod.yaml, document 1, line 1: spec.schedulingPolicy.gang.minCount: the API server would refuse PodGroup "
        "default/train-w: Invalid value: -1: must be greater than or equal to 1" in " ".join(done.err.split())
    )


def test_a_pending_pod_of_a_group_waits_for_it(asked):
    done = asked("explain", [], [pod("w-0", **MEMBER)], "pod/w-0")
    assert done.code == 1
    assert 'waiting for pods\'s pod group "train-w" to appear in scheduling queue' in text_of(done)


@pytest.mark.parametrize("verb", VERBS)
def test_a_running_pod_of_the_cluster_is_placed_anew(asked, verb):
    told = text_of(asked(verb, [], [pod("web", "n1")], "pod/web"))
    assert "runs on n1 now; judged as if it were to be placed anew" in told
    assert "spec.nodeName" not in told


NAMESPACE = plain("Namespace", "prod")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("candidates", "cluster", "missing"),
    [
        pytest.param([pod("web", namespace="shop")], [NAMESPACE], True, id="missing"),
        pytest.param([workload()], [NAMESPACE], True, id="missing for a workload"),
        pytest.param([pod("web", namespace="shop")], [], False, id="no namespace is in the input"),
        pytest.param([pod("web", namespace="prod")], [NAMESPACE], False, id="there"),
        pytest.param([pod("web")], [NAMESPACE], False, id="one that every cluster has"),
        pytest.param(
            [plain("Namespace", "shop"), pod("web", namespace="shop")],
            [NAMESPACE],
            False,
            id="made beside it",
        ),
        pytest.param(
            [pod("web", namespace="shop")],
            [NAMESPACE, pod("other", namespace="shop")],
            False,
            id="something is in it",
        ),
    ],
)
def test_a_namespace_that_is_missing_is_told(asked, verb, candidates, cluster, missing):
    done = asked(verb, candidates, cluster)
    assert ('namespaces "shop" not found' in text_of(done)) == missing
    assert asked(verb, candidates, cluster, "--strict-caveats").code == (2 if missing else 0)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("version", "kind", "right"),
    [
        ("apps/v1", "Pod", "v1"),
        ("v1", "Deployment", "apps/v1"),
        ("extensions/v1beta1", "Deployment", "apps/v1"),
        ("batch/v1beta1", "CronJob", "batch/v1"),
    ],
)
def test_a_version_that_is_none_of_the_kind_says_which_is(asked, verb, version, kind, right):
    """Also beside another pod: what is asked about must not be left out in silence."""
    for beside in ([], [pod("web")]):
        done = asked(verb, [plain(kind, "api", version, spec={}), *beside])
        assert (done.code, done.out) == (2, "")
        assert f'no matches for kind "{kind}" in version "{version}"' in done.err
        assert f"Write apiVersion: {right}." in done.err


@pytest.mark.parametrize("verb", VERBS)
def test_what_stands_beside_a_pod_in_a_version_of_another_shape_is_told(asked, verb):
    claim = plain("ResourceClaim", "c", "resource.k8s.io/v1alpha3", spec={})
    done = asked(verb, [claim, pod("web")])
    assert "1 ResourceClaim in version resource.k8s.io/v1alpha3 left out" in text_of(done)
    assert asked(verb, [claim, pod("web")], "--strict-caveats").code == 2


@pytest.mark.parametrize("verb", VERBS)
def test_what_stands_beside_a_pod_in_a_version_that_is_gone_is_refused(asked, verb):
    budget = plain("PodDisruptionBudget", "b", "policy/v1beta1", spec={})
    done = asked(verb, [budget, pod("web")])
    assert (done.code, done.out) == (2, "")
    assert "Write apiVersion: policy/v1. Kubernetes 1.25 has taken policy/v1beta1 away." in done.err


@pytest.mark.parametrize("verb", VERBS)
def test_kinds_of_other_makers_are_no_mistake(asked, verb):
    foreign = plain("Job", "train", "batch.volcano.sh/v1alpha1", spec={})
    assert asked(verb, [foreign, pod("web")]).code == 0


SERVICE = plain("Service", "web", spec={"selector": {"app": "web"}})
WEB = workload("Deployment", "frontend", "default", labels={"app": "web", "tier": "front"})
OWNED = workload("ReplicaSet", "frontend-1", "default", labels={"app": "web", "tier": "front"})
OWNED["metadata"]["ownerReferences"] = [
    {"apiVersion": "apps/v1", "kind": "Deployment", "name": "frontend", "uid": "u", "controller": True}
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("reference", "cluster", "message", "hint"),
    [
        pytest.param(
            "svc/web",
            [SERVICE, WEB, OWNED, workload(namespace="default")],
            "a Service has no pods of its own; it selects those of Deployment frontend",
            "Ask for deployment/frontend.",
            id="a service",
        ),
        pytest.param(
            "service/web",
            [SERVICE],
            "a Service has no pods of its own",
            "pod/NAME",
            id="one that selects none",
        ),
        pytest.param("svc/api", [SERVICE], "Service default/api is not in the cluster", "", id="no service"),
        pytest.param("node/n1", [], "node/n1: a Node has no pods of its own", "pod/NAME", id="a node"),
        pytest.param(
            "deploy/api",
            [workload()],
            "Deployment default/api is not in",
            "one in shop: use -n",
            id="elsewhere",
        ),
        pytest.param(
            "po/web",
            [pod("web", namespace="shop")],
            "pod default/web is not",
            "one in shop",
            id="a pod elsewhere",
        ),
        pytest.param(
            "web", [], "there is no file web", "with its type: pod/web, deployment/web", id="no type"
        ),
        pytest.param("pods", [], "there is no file pods", "with its type: pod/NAME", id="a type alone"),
        pytest.param("foo/web", [], "foo/web is no file, and 'foo' no kind", "pod/NAME", id="no kind"),
        pytest.param(
            "deployment.foo/api", [workload()], "'deployment.foo' no kind", "pod/NAME", id="no group"
        ),
    ],
)
def test_what_has_no_pods_says_what_has(asked, verb, reference, cluster, message, hint):
    done = asked(verb, [], cluster, reference)
    assert (done.code, done.out) == (2, "")
    told = " ".join(done.err.split())
    assert message in told
    assert hint in told
