"""Pods behind custom resources, and custom resources without any."""

import json

import jsonschema
import pytest
import yaml

from kschedctl.sources.custom_workloads import built_in, pod_templates_schema

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "110"}},
}
THERE = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "there"},
    "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "app"}]},
}


def template(cpu="1", **metadata):
    """A template of pods that ask for cpu."""
    container = {"name": "c", "image": "app", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"labels": {"app": "web"}} | metadata, "spec": {"containers": [container]}}


def custom(api_version, kind, **spec):
    """A custom resource named web."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}


def pod_of(name):
    return {"apiVersion": "v1", "kind": "Pod"} | template(name=name)


@pytest.fixture
def simulated(run, tmp_path, monkeypatch):
    """The report on a release, as data."""
    monkeypatch.chdir(tmp_path)

    def of(*release, cluster=(NODE, THERE), options=(), verb="simulate"):
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump_all(cluster))
        (tmp_path / "release.yaml").write_text(yaml.safe_dump_all(release))
        done = run(verb, "release.yaml", "-c", "cluster.yaml", "-o", "json", *options)
        assert done.out, done.err
        return json.loads(done.out)

    return of


def pods(report):
    """Workload -> pods that are placed of it."""
    return {f"{one['kind']}/{one['name']}": one["placed"] for one in report["workloads"]}


def caveats(report):
    return {caveat["code"]: caveat["message"] for caveat in report["cluster"]["caveats"]}


ROLLOUT = custom("argoproj.io/v1alpha1", "Rollout", replicas=3, template=template())
CASES = [
    pytest.param(ROLLOUT, 3, id="Rollout"),
    pytest.param(custom("argoproj.io/v1alpha1", "Rollout", template=template()), 1, id="without a number"),
    pytest.param(
        custom("apps.kruise.io/v1alpha1", "CloneSet", replicas=2, template=template()), 2, id="CloneSet"
    ),
    pytest.param(
        custom(
            "batch.volcano.sh/v1alpha1",
            "Job",
            tasks=[
                {"name": "ps", "replicas": 1, "template": template()},
                {"name": "worker", "replicas": 3, "template": template()},
            ],
        ),
        4,
        id="Volcano",
    ),
    pytest.param(
        custom("core.strimzi.io/v1beta2", "StrimziPodSet", pods=[pod_of("web-0"), pod_of("web-1")]),
        2,
        id="Strimzi",
    ),
    pytest.param(custom("serving.knative.dev/v1", "Service", template=template()), 1, id="Knative"),
    pytest.param(
        custom(
            "serving.knative.dev/v1",
            "Service",
            template=template(annotations={"autoscaling.knative.dev/min-scale": "4"}),
        ),
        4,
        id="Knative, scaled",
    ),
    pytest.param(
        custom(
            "jobset.x-k8s.io/v1alpha2",
            "JobSet",
            replicatedJobs=[
                {"name": "w", "replicas": 2, "template": {"spec": {"parallelism": 3, "template": template()}}}
            ],
        ),
        6,
        id="JobSet",
    ),
    pytest.param(
        custom(
            "kubeflow.org/v1",
            "PyTorchJob",
            pytorchReplicaSpecs={
                "Master": {"replicas": 1, "template": template()},
                "Worker": {"replicas": 2, "template": template()},
            },
        ),
        3,
        id="PyTorchJob",
    ),
    pytest.param(
        custom(
            "ray.io/v1",
            "RayCluster",
            headGroupSpec={"template": template()},
            workerGroupSpecs=[{"groupName": "small", "replicas": 2, "template": template()}],
        ),
        3,
        id="Ray",
    ),
]


@pytest.mark.parametrize(("release", "count"), CASES)
def test_kinds_that_are_known(simulated, release, count):
    report = simulated(release)

    assert pods(report) == {f"{release['kind']}/web": count}
    told = f"pods of 1 {release['kind']} ({release['apiVersion']}) are made by their templates; what controllers add"
    assert caveats(report)["custom-pods"].startswith(told)
    assert "kinds-not-evaluated" not in caveats(report)
    assert "unknown-fields" not in caveats(report)


def test_what_runs_of_it_is_replaced(simulated):
    owner = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": "web", "controller": True}
    replica_set = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "web-1", "ownerReferences": [owner]},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template("3")},
    }
    mine = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "controller": True}
    running = [
        pod_of(f"web-1-{i}")
        | {"spec": template("3")["spec"] | {"nodeName": "n1"}, "status": {"phase": "Running"}}
        for i in range(2)
    ]
    for one in running:
        one["metadata"]["ownerReferences"] = [mine]
    report = simulated(
        ROLLOUT | {"spec": ROLLOUT["spec"] | {"template": template("2")}},
        cluster=[NODE, replica_set, *running],
    )

    assert pods(report) == {"Rollout/web": 3}
    (cpu,) = (load for load in report["load"] if load["resource"] == "cpu")
    assert cpu["after"]["requested"] == 6000


def test_a_scenario_names_it_by_its_kind(run, simulated, tmp_path):
    big = custom(
        "batch.volcano.sh/v1alpha1", "Job", tasks=[{"name": "w", "replicas": 2, "template": template("9")}]
    )
    simulated(big)
    scenario = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "one"}}
    scenario |= {
        "cluster": "cluster.yaml",
        "manifests": ["release.yaml"],
        "expectations": {"schedulable": ["Job/web"]},
    }
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(scenario))
    report = json.loads(run("gate", "one.yaml", "-o", "json").out)

    (finding,) = report["scenarios"][0]["expectations"][0]["findings"]
    line = (tmp_path / "release.yaml").read_text().splitlines().index("              cpu: '9'") + 1
    assert finding["workload"] == "Job/web"
    assert finding["source"]["line"] == line


def test_a_suggestion_is_a_patch_of_the_custom_resource(run, simulated):
    big = custom(
        "batch.volcano.sh/v1alpha1", "Job", tasks=[{"name": "w", "replicas": 2, "template": template("9")}]
    )
    report = simulated(big, verb="explain")

    edits = [edit for s in report["suggestions"] for change in s["changes"] for edit in change["edits"]]
    paths = [operation["path"] for edit in edits for operation in edit["patch"]]
    assert "/spec/tasks/0/template/spec/containers/0/resources/requests/cpu" in paths


def test_commands_name_the_group_of_the_custom_resource(simulated):
    big = custom(
        "batch.volcano.sh/v1alpha1", "Job", tasks=[{"name": "w", "replicas": 2, "template": template("9")}]
    )
    (group,) = simulated(big)["pending"]

    commands = [command for suggestion in group["suggestions"] for command in suggestion["commands"]]
    assert any(
        command.startswith("kubectl patch job.batch.volcano.sh web -n default --type=json")
        for command in commands
    ) or any(
        command.startswith("kubectl get job.batch.volcano.sh web -n default -o yaml") for command in commands
    )


def spark(kind="Scala", executor=None, **spec):
    """An application with a driver of a core."""
    roles = {
        "driver": {"cores": 1, "memory": "512m"},
        "executor": executor or {"instances": 2, "cores": 2, "memory": "4g"},
    }
    return custom("sparkoperator.k8s.io/v1beta2", "SparkApplication", type=kind, image="app", **roles, **spec)


@pytest.mark.parametrize(
    ("application", "count", "cpu", "mebibytes"),
    [
        pytest.param(spark(), 3, 5000, 512 + 384 + 2 * (4096 + 409), id="the least and a tenth"),
        pytest.param(spark("Python"), 3, 5000, 512 + 384 + 2 * (4096 + 1638), id="more beside Python"),
        pytest.param(spark(memoryOverheadFactor="0.5"), 3, 5000, 512 + 384 + 2 * (4096 + 2048), id="factor"),
        pytest.param(
            spark(executor={"instances": 1, "coreRequest": "500m", "memory": "1g", "memoryOverhead": "1g"}),
            2,
            1500,
            512 + 384 + 2048,
            id="as it is stated",
        ),
        pytest.param(
            spark(executor={"cores": 1, "memory": "1g"}),
            3,
            3000,
            512 + 384 + 2 * (1024 + 384),
            id="two by default",
        ),
        pytest.param(
            spark(dynamicAllocation={"enabled": True, "initialExecutors": 1}),
            2,
            3000,
            896 + 4505,
            id="at the beginning",
        ),
    ],
)
def test_what_spark_asks_for(simulated, application, count, cpu, mebibytes):
    large = {**NODE, "status": {"allocatable": {"cpu": "99", "memory": "99Gi", "pods": "110"}}}
    report = simulated(application, cluster=[large, THERE])
    after = {load["resource"]: load["after"]["requested"] for load in report["load"]}

    assert pods(report) == {"SparkApplication/web": count}
    assert (after["cpu"], after["memory"]) == (cpu, mebibytes * 2**20)


def test_where_spark_goes(simulated):
    executor = {"instances": 1, "nodeSelector": {"disk": "ssd"}, "tolerations": [{"operator": "Exists"}]}
    (group,) = simulated(spark(executor=executor))["pending"]

    assert [reason["text"] for reason in group["reasons"]] == ["no label disk, wants ssd"]
    edits = [edit for s in group["suggestions"] for change in s["changes"] for edit in change["edits"]]
    assert edits
    assert "SparkApplication" not in {
        edit["target"]["kind"] for edit in edits
    }  # its template is not written down


def test_memory_that_spark_does_not_know(run, simulated, tmp_path):
    simulated(ROLLOUT)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(spark(executor={"memory": "1Gi"})))
    done = run("simulate", "release.yaml", "-c", "cluster.yaml")

    assert done.code == 2
    assert (
        "spec.executor.memory: expected memory as Spark writes it, such as 512m or 4g, got '1Gi'" in done.err
    )


OWN = {
    "apiVersion": "kschedctl.dev/v1alpha1",
    "kind": "PodTemplates",
    "kinds": [
        {
            "group": "example.com",
            "kind": "Shop",
            "pods": [{"template": "/spec/pods", "replicas": "/spec/count", "called": "pods"}],
        },
        {"group": "example.com", "kind": "Sign", "pods": []},
    ],
}


@pytest.fixture
def own(tmp_path):
    """A file with kinds of one's own."""

    def write(data=OWN):
        (tmp_path / "templates.yaml").write_text(yaml.safe_dump(data))
        return ("--pod-templates", "templates.yaml")

    return write


def test_kinds_of_ones_own(simulated, own):
    shop = custom("example.com/v1", "Shop", count=2, pods=template())
    sign = custom("example.com/v1", "Sign")
    report = simulated(shop, sign, ROLLOUT, options=own())

    assert pods(report) == {"Shop/web": 2, "Rollout/web": 3}
    assert "kinds-not-evaluated" not in caveats(report)
    assert (
        "1 Shop (example.com/v1), 1 Sign (example.com/v1)"
        in caveats(simulated(shop, sign))["kinds-not-evaluated"]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"kind": "Pod"}, "line 1: is a Pod, and not PodTemplates", id="another kind"),
        pytest.param(
            {"kinds": [{"group": "a", "kind": "B", "pods": [{"template": "spec"}]}]},
            "kinds[0].pods[0].template: expected",
            id="no pointer",
        ),
        pytest.param({"kinds": [{"group": "a", "kind": "B"}]}, "kinds[0].pods: missing", id="no pods"),
    ],
)
def test_a_file_that_is_none(run, simulated, own, change, message):
    simulated(ROLLOUT)
    done = run("simulate", "release.yaml", "-c", "cluster.yaml", *own(OWN | change))

    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("release", "message"),
    [
        pytest.param(
            custom("argoproj.io/v1alpha1", "Rollout", replicas="many", template=template()),
            "spec.replicas: expected a number of pods, got 'many'",
            id="number",
        ),
        pytest.param(
            custom("argoproj.io/v1alpha1", "Rollout", template=template("much")),
            "spec.template.spec.containers[0].resources.requests.cpu:",
            id="quantity",
        ),
        pytest.param(
            custom(
                "batch.volcano.sh/v1alpha1",
                "Job",
                tasks=[{"name": "a", "template": {"spec": {"containers": "none"}}}],
            ),
            "spec.tasks[0].template.spec.containers: expected",
            id="shape",
        ),
        pytest.param(
            ROLLOUT | {"metadata": ["web"]}, "metadata: expected a mapping, got a list", id="metadata"
        ),
        pytest.param(
            ROLLOUT | {"metadata": {"name": 7}}, "metadata.name: expected a string, got the", id="name"
        ),
        pytest.param(ROLLOUT | {"metadata": {}}, "name or generateName is required", id="no name"),
        pytest.param(
            custom("argoproj.io/v1alpha1", "Rollout", template={"metadata": "web", "spec": {}}),
            "spec.template.metadata: expected a mapping",
            id="metadata of the template",
        ),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(run, simulated, tmp_path, release, message):
    simulated(ROLLOUT)
    (tmp_path / "release.yaml").write_text(yaml.safe_dump(release))
    done = run("simulate", "release.yaml", "-c", "cluster.yaml")

    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("api_version", "kind", "counts"),
    [
        pytest.param("monitoring.coreos.com/v1", "ServiceMonitor", False, id="ServiceMonitor"),
        pytest.param("cert-manager.io/v1", "Certificate", False, id="Certificate"),
        pytest.param("monitoring.coreos.com/v1", "Prometheus", True, id="Prometheus"),
        pytest.param("sparkoperator.k8s.io/v1beta2", "SparkConnect", True, id="a group named as if upstream"),
        pytest.param("example.com/v1", "Anything", True, id="unknown"),
    ],
)
def test_only_what_may_make_pods_counts_for_strict_caveats(run, simulated, api_version, kind, counts):
    report = simulated(
        custom(api_version, kind), {**THERE, "metadata": {"name": "waits"}, "spec": template()["spec"]}
    )
    code = run("simulate", "release.yaml", "-c", "cluster.yaml", "--strict-caveats").code

    assert ("kinds-not-evaluated" in caveats(report)) is counts
    assert code == (2 if counts else 0)


def test_the_kinds_that_are_known_follow_the_schema():
    from importlib.resources import files

    data = json.loads(files("kschedctl.sources").joinpath("custom_workloads.json").read_text())
    jsonschema.Draft202012Validator(pod_templates_schema()).validate(data)
    assert ("argoproj.io", "Rollout") in built_in()
