"""`kschedctl config`: the effective configuration, and whether one is valid."""

import json

import pytest
import yaml

TWO = b"""\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: default-scheduler
  - schedulerName: packed
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy: {type: MostAllocated}
"""
HALF = b"""\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - plugins:
      preFilter:
        disabled: [{name: NodePorts}]
"""
BAD = b"""\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 0
podInitialBackoffSeconds: -1
"""


def test_the_effective_configuration_is_a_configuration(run):
    shown = run("config", "view", "-", stdin=TWO)
    again = run("config", "view", "-", stdin=shown.out.encode())
    assert shown.code == again.code == 0
    assert shown.out == again.out
    assert [p["schedulerName"] for p in yaml.safe_load(shown.out)["profiles"]] == [
        "default-scheduler",
        "packed",
    ]


def test_json_and_yaml_hold_the_same(run):
    assert json.loads(run("config", "view", "-o", "json").out) == yaml.safe_load(run("config", "view").out)


@pytest.mark.parametrize(
    ("version", "score"), [("1.36", "DynamicResources x2"), ("1.34", "InterPodAffinity x2")]
)
def test_table(run, version, score):
    text = run("config", "view", "-o", "table", "--kubernetes-version", version).out
    assert text.startswith(
        f"kube-scheduler {version}, configuration: defaults\n\nprofile default-scheduler\n"
    )
    assert score in text
    assert max(map(len, text.splitlines())) <= 80


def test_table_names_changed_gates(run):
    text = run("config", "view", "-o", "table", "--feature-gates", "DRASchedulerFilterTimeout=false").out
    assert "feature gates: DRASchedulerFilterTimeout=false" in text


@pytest.mark.parametrize("stdin", [TWO, HALF])
def test_valid(run, stdin):
    done = run("config", "validate", "-", stdin=stdin)
    assert done.code == 0
    assert done.out.startswith("✓ kube-scheduler 1.37 starts with")


def test_halves_of_plugins_are_warned_of(run):
    report = json.loads(run("config", "validate", "-", "-o", "json", stdin=HALF).out)
    assert report["valid"] is True
    [warning] = report["warnings"]
    assert warning.startswith("NodePorts is enabled at filter but not at preFilter")


def test_refused(run):
    done = run("config", "validate", "-", stdin=BAD)
    assert done.code == 1
    assert "parallelism: Invalid value: 0: should be an integer value greater than zero" in done.out
    assert "podInitialBackoffSeconds: Invalid value: -1: must be greater than 0" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["view", "gone.yaml"], "gone.yaml", id="missing file"),
        pytest.param(["validate", "gone.yaml"], "gone.yaml", id="missing file to validate"),
        pytest.param(["view", "--kubernetes-version", "latest"], "1.34, 1.35, 1.36", id="version"),
        pytest.param(["view", "--feature-gates", "Nonsense=true"], "Nonsense", id="gate"),
        pytest.param(["frobnicate"], "frobnicate", id="verb"),
    ],
)
def test_what_cannot_be_run_is_exit_code_2(run, arguments, message):
    done = run("config", *arguments)
    assert done.code == 2
    assert message in done.err


def test_view_refuses_what_kube_scheduler_refuses(run):
    done = run("config", "view", "-", stdin=BAD)
    assert (done.code, done.out) == (2, "")


MISSPELT = TWO.replace(b"schedulerName: packed", b"schedulerNam: packed")


def test_a_refusal_names_the_line_and_what_was_meant(run):
    done = run("config", "view", "-", stdin=MISSPELT)
    assert ', line 5: strict decoding error: unknown field "profiles[1].schedulerNam"' in done.err
    assert 'hint: did you mean "schedulerName"?' in done.err


def test_a_verdict_names_the_line_and_what_was_meant(run):
    text = run("config", "validate", "-", stdin=MISSPELT).out
    assert ", line 5\n" in text
    assert 'hint: did you mean "schedulerName"?' in text
    report = json.loads(run("config", "validate", "-", "-o", "json", stdin=MISSPELT).out)
    assert (report["line"], report["hint"]) == (5, 'did you mean "schedulerName"?')


OLD = ("fixtures/old-configurations/policy.yaml", "fixtures/old-configurations/v1beta1.yaml")


@pytest.mark.parametrize(("path", "code"), [(OLD[0], 1), (OLD[1], 0)])
def test_what_an_old_configuration_becomes_is_one_of_today(run, path, code):
    done = run("config", "translate", path)
    assert (done.code, done.err) == (code, "")
    assert max(map(len, done.out.splitlines())) <= 80
    assert run("config", "validate", "-", stdin=done.out.encode()).code == 0


@pytest.mark.parametrize("path", OLD)
def test_an_old_configuration_is_refused_with_the_way_out(run, path):
    done = run(
        "explain",
        "fixtures/quickstart/pod.yaml",
        "-c",
        "fixtures/quickstart/cluster.yaml",
        "--scheduler-config",
        path,
    )
    assert done.code == 2
    assert "is registered for version" in done.err
    assert "kschedctl config translate writes it as kubescheduler.config.k8s.io/v1" in done.err


def test_a_policy_in_a_config_map(run):
    policy = {
        "kind": "Policy",
        "apiVersion": "v1",
        "priorities": [{"name": "ImageLocalityPriority", "weight": 5}],
    }
    held = {"kind": "ConfigMap", "apiVersion": "v1", "data": {"policy.cfg": json.dumps(policy)}}
    done = run("config", "translate", "-", "-o", "json", stdin=json.dumps(held).encode())
    assert done.code == 0
    sets = json.loads(done.out)["profiles"][0]["plugins"]
    assert sets["multiPoint"]["enabled"] == [{"name": "ImageLocality", "weight": 5}]


def test_what_has_no_equal_is_said_beside_json(run):
    done = run("config", "translate", OLD[0], "-o", "json")
    assert done.code == 1
    assert done.err.startswith("no equal: priorities[1] NodePreferAvoidPodsPriority: taint the node")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            b"kind: Policy\napiVersion: v1\npriorities:\n- name: Best\n  weight: 1\n",
            'stdin, line 4: priorities[0].name: there is no priority "Best"',
            id="name",
        ),
        pytest.param(
            b"kind: Policy\napiVersion: v1\nextenders:\n- urlPrefix: http://x.example\n  prioritizeVerb: p\n",
            "stdin, line 4: extenders[0].weight: Invalid value: 0: must have a positive weight applied to it",
            id="what becomes of it is refused",
        ),
        pytest.param(
            b"kind: ConfigMap\napiVersion: v1\ndata:\n"
            b"  policy.cfg: '{kind: Policy, apiVersion: v1, predicates: [{name: X}]}'\n",
            'stdin, line 3: predicates[0].name: there is no predicate "X"',
            id="in a ConfigMap",
        ),
        pytest.param(
            b"kind: ConfigMap\napiVersion: v1\ndata: {}\n",
            "stdin, line 1: there is no way from kind ConfigMap of v1 to kubescheduler.config.k8s.io/v1",
            id="no Policy",
        ),
    ],
)
def test_an_old_configuration_that_cannot_be_translated(run, text, message):
    done = run("config", "translate", "-", stdin=text)
    assert done.code == 2
    assert message in done.err
