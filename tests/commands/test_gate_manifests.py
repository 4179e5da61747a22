"""What a gate says of the manifests themselves, and where."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

CLUSTER = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: there}
spec: {nodeName: n1, containers: [{name: c, image: app}]}
"""
WEB = """\
---
# Source: shop/templates/web.yaml
# what the shop shows
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: c
        image: app
        resources:
          requests: {cpu: "8"}
"""
RENDERED = f"""\
---
# Source: shop/templates/budget.yaml
apiVersion: policy/v1beta0
kind: PodDisruptionBudget
metadata: {{name: web}}
spec: {{minAvailable: 2}}
{WEB.replace('requests: {cpu: "8"}', 'request: {cpu: "1"}')}---
# Source: shop/templates/monitor.yaml
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {{name: web}}
"""


@pytest.fixture
def scenario(tmp_path, monkeypatch):
    """Writes a scenario about the rendered release, and goes where it is."""

    def write(expectations, release=RENDERED, manifests=("release.yaml",)):
        (tmp_path / "cluster.yaml").write_text(CLUSTER)
        (tmp_path / "release.yaml").write_text(release)
        data = {"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "one"}}
        data |= {"cluster": "cluster.yaml", "expectations": expectations}
        data |= {"manifests": list(manifests)} if manifests else {}
        (tmp_path / "one.yaml").write_text(yaml.safe_dump(data))
        return "one.yaml"

    monkeypatch.chdir(tmp_path)
    return write


def findings_of(done):
    """Message, line and template of each finding of the only expectation."""
    (one,) = json.loads(done.out)["scenarios"]
    (expectation,) = one["expectations"]
    return [(f["message"], f["source"]["line"], f["source"]["template"]) for f in expectation["findings"]]


def test_what_is_passed_over_is_told_where_it_stands(run, scenario):
    done = run("gate", scenario({"noUnread": True}), "-o", "json")

    assert done.code == 1
    assert findings_of(done) == [
        (
            "PodDisruptionBudget in version policy/v1beta0 is not read: write policy/v1",
            3,
            "shop/templates/budget.yaml",
        ),
        (
            "Deployment/web: unknown field spec.template.spec.containers[0].resources.request; "
            'did you mean "requests"?',
            22,
            "shop/templates/web.yaml",
        ),
    ]


def test_manifests_that_are_read_as_a_whole(run, scenario):
    release = RENDERED.replace("v1beta0", "v1").replace("request:", "requests:")

    assert run("gate", scenario({"noUnread": True}, release)).code == 0


def test_each_misspelt_field_is_a_finding_of_its_own_in_code_scanning(run, scenario):
    release = RENDERED.replace("name: c\n", "name: c\n        imagePullPolice: Always\n")
    done = run("gate", scenario({"noUnread": True}, release), "-o", "sarif")

    (log,) = json.loads(done.out)["runs"]
    assert len({result["partialFingerprints"]["kschedctl/v1"] for result in log["results"]}) == 3


def test_people_read_the_template(run, scenario):
    done = run("gate", scenario({"noUnread": True}))

    assert "at release.yaml:22 (shop/templates/web.yaml)" in done.out


WHERE = "stdin:16 (shop/templates/web.yaml)"


def in_github(text):
    return next(line for line in text.splitlines() if line.startswith("::error "))


def in_sarif(text):
    (result,) = json.loads(text)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    where = f"file={place['artifactLocation']['uri']},line={place['region']['startLine']}"
    return f"{where} {result['message']['text']}"


@pytest.mark.parametrize(
    ("output", "told"),
    [pytest.param("github", in_github, id="github"), pytest.param("sarif", in_sarif, id="sarif")],
)
def test_what_comes_by_a_stream_is_annotated_at_the_expectation(run, scenario, output, told):
    path = scenario({"schedulable": "all"}, manifests=[])
    done = run("gate", path, "-f", "-", "-o", output, stdin=WEB.encode())

    assert done.code == 1
    line = Path(path).read_text().splitlines().index("  schedulable: all") + 1
    assert f"file=one.yaml,line={line}" in told(done.out)
    assert told(done.out).endswith(f"(cpu: needs 8, the node has 4 in all), at {WHERE}")


def test_every_scenario_reads_the_same_stream(run, scenario):
    path = Path(scenario({"schedulable": "all"}, manifests=["-"]))
    path.write_text(f"{path.read_text()}---\n{path.read_text()}")
    done = run("gate", str(path), "-o", "json", stdin=WEB.encode())

    found = [one["expectations"][0]["findings"] for one in json.loads(done.out)["scenarios"]]
    assert [finding["workload"] for (finding,) in found] == ["Deployment/web"] * 2


def test_manifests_of_its_own_go_first(run, scenario):
    release = RENDERED.replace("v1beta0", "v1")

    assert run("gate", scenario({"schedulable": "all"}, release), "-f", "nothing.yaml").code == 0


def test_the_stream_is_read_by_one(run, scenario):
    done = run("gate", "-", "-f", "-")

    assert done.code == 2
    assert "stdin can be read once only, and - is given twice" in done.err


CAVEAT = (
    "not evaluated, nor any pods that their controllers would create: 1 Prometheus "
    "(monitoring.coreos.com/v1) (--pod-templates says where templates are)"
)


def told_in_junit(text):
    return ElementTree.fromstring(text).findtext("testsuite/system-out").splitlines()


def told_in_sarif(text):
    (log,) = json.loads(text)["runs"]
    notifications = log["invocations"][0]["toolExecutionNotifications"]
    assert {told["level"] for told in notifications} == {"warning"}
    return [told["message"]["text"].removeprefix("one: ") for told in notifications]


def told_in_github(text):
    prefix = "::warning file=one.yaml,line=1,title=one%3A caveat::"
    return [f"caveat: {line.removeprefix(prefix)}" for line in text.splitlines() if line.startswith(prefix)]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        pytest.param("junit", told_in_junit, id="junit"),
        pytest.param("sarif", told_in_sarif, id="sarif"),
        pytest.param("github", told_in_github, id="github"),
    ],
)
def test_ci_systems_are_told_what_the_answer_did_not_look_at(run, scenario, output, told):
    done = run("gate", scenario({"maxPending": 0}), "-o", output)

    assert f"caveat: {CAVEAT}" in told(done.out)


INGRESS = """\
---
# Source: shop/templates/ingress.yaml
apiVersion: networking.k8s.io/v1beta1
kind: Ingress
metadata: {name: web}
"""


@pytest.mark.parametrize(
    "expectations",
    [
        pytest.param({"maxPending": 0}, id="nobody asks"),
        pytest.param({"noUnread": True}, id="it is expected"),
    ],
)
def test_a_part_of_a_release_that_the_api_server_does_not_have(run, scenario, expectations):
    release = RENDERED.replace("v1beta0", "v1").replace("request:", "requests:") + INGRESS
    done = run("gate", scenario(expectations, release), "-o", "json")

    (one,) = json.loads(done.out)["scenarios"]
    (finding,) = (found for e in one["expectations"] for found in e["findings"])
    assert done.code == 1
    assert finding["message"] == (
        "Ingress in version networking.k8s.io/v1beta1 is gone since Kubernetes 1.22: write networking.k8s.io/v1"
    )
    assert finding["source"]["template"] == "shop/templates/ingress.yaml"


@pytest.mark.parametrize("kind", ["Deployment", "DaemonSet"])
def test_a_workload_in_a_version_that_is_gone_is_told_where_it_stands(run, scenario, kind):
    release = RENDERED.replace("apps/v1", "apps/v1beta0").replace("Deployment", kind)
    done = run("gate", scenario({"maxPending": 0}, release))

    assert done.code == 2
    text = " ".join(done.out.split())
    assert (
        f'release.yaml, document 2, line 10 (shop/templates/web.yaml): no matches for kind "{kind}"' in text
    )
