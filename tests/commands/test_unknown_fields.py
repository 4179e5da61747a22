"""A misspelt field of a manifest is a warning on stderr and a caveat of the answer, whatever is asked."""

import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      tolerationz: []
      containers: [{name: a, image: a}]
"""

RIGHT = """\
apiVersion: v1
kind: Pod
metadata: {name: right}
spec: {containers: [{name: a, image: a}]}
"""

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selectors: {app: web}}
"""

GATE = """\
apiVersion: kschedctl.dev/v1alpha1
kind: Scenario
metadata: {name: NAME}
manifests: [web.yaml]
expectations: {schedulable: all}
"""

WARNING = (
    'warning: web.yaml, line 10: spec.template.spec.tolerationz: unknown field; did you mean "tolerations"?\n'
)
CAVEAT = (
    "unknown fields, for which the API server refuses a manifest, are ignored: "
    "spec.template.spec.tolerationz (web.yaml, line 10)"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    shutil.copy(ROOT / "fixtures/quickstart/cluster.yaml", tmp_path)
    for name, text in {"web.yaml": WEB, "right.yaml": RIGHT, "service.yaml": SERVICE}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "gate.yaml").write_text(GATE.replace("NAME", "one") + "---\n" + GATE.replace("NAME", "two"))
    monkeypatch.chdir(tmp_path)


def caveats_in(answer) -> list[dict]:
    """The caveats about unknown fields of the first report."""
    cluster = answer["scenarios"][0]["simulation"]["cluster"] if "scenarios" in answer else answer["cluster"]
    return [caveat for caveat in cluster["caveats"] if caveat["code"] == "unknown-fields"]


VERBS = [
    pytest.param(("explain", "web.yaml"), id="explain"),
    pytest.param(("preempt", "web.yaml"), id="preempt"),
    pytest.param(("simulate", "-f", "web.yaml"), id="simulate"),
    pytest.param(("capacity", "web.yaml", "--limit", "3"), id="capacity"),
    pytest.param(("gate", "gate.yaml"), id="gate"),
]


@pytest.mark.parametrize("arguments", VERBS)
class TestEveryVerb:
    def test_warns_once_and_answers(self, run, arguments):
        done = run(*arguments, "-c", "cluster.yaml", "-o", "json")
        assert (done.code, done.err) == (0, WARNING)
        (caveat,) = caveats_in(json.loads(done.out))
        assert (caveat["message"], caveat["mayChangeAnswer"]) == (CAVEAT, True)

    def test_fails_where_caveats_count(self, run, arguments):
        done = run(*arguments, "-c", "cluster.yaml", "--strict-caveats", "-q")
        assert done.code == 2
        assert done.err == f"{WARNING}error: the answer may be wrong: {CAVEAT} (--strict-caveats)\n"


def test_it_is_told_beside_the_candidate_that_has_it(run):
    done = run("explain", "right.yaml", "web.yaml", "-c", "cluster.yaml", "-o", "json")
    assert done.err == WARNING
    assert [len(caveats_in(answer)) for answer in json.loads(done.out)["items"]] == [0, 1]


def test_other_objects_may_change_every_answer(run):
    done = run("explain", "right.yaml", "service.yaml", "-c", "cluster.yaml", "-o", "json")
    assert done.err == (
        'warning: service.yaml, line 4: spec.selectors: unknown field; did you mean "selector"?\n'
    )
    (caveat,) = caveats_in(json.loads(done.out))
    assert caveat["message"].endswith("are ignored: spec.selectors (service.yaml, line 4)")


def test_many_are_counted(run):
    Path("right.yaml").write_text(RIGHT.replace("spec: {", "spec: {aa: 1, bb: 1, cc: 1, dd: 1, ee: 1, "))
    done = run("explain", "right.yaml", "-c", "cluster.yaml", "-o", "json")
    assert len(done.err.splitlines()) == 5
    (caveat,) = caveats_in(json.loads(done.out))
    assert caveat["message"].endswith(
        "spec.aa (right.yaml, line 4), spec.bb (right.yaml, line 4), spec.cc (right.yaml, line 4) and 2 more"
    )


def test_the_cluster_is_not_checked(run):
    with open("cluster.yaml", "a") as cluster:
        cluster.write("---\n" + RIGHT.replace("spec: {", "spec: {tolerationz: [], "))
    assert run("explain", "pod/right", "-c", "cluster.yaml").err == ""
