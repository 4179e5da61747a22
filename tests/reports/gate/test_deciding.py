"""At which line of a manifest a finding is told, and what it says beyond the event."""

from io import BytesIO

import pytest

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.gate import gate
from kschedctl.sources.load import load

CLUSTER = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {zone: a}}
spec: {taints: [{key: dedicated, value: db, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: there, labels: {app: there}}
spec: {nodeName: n1, containers: [{name: c, image: app, ports: [{containerPort: 80, hostPort: 80}]}]}
"""
TOLERANT = "tolerations: [{operator: Exists}]"


def deployment(*spec: str, kind: str = "Deployment") -> str:
    """A workload with these lines in the spec of its pods."""
    head = f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: web}}\nspec:\n"
    head += "  selector: {matchLabels: {app: web}}\n"
    template = "  template:\n    metadata: {labels: {app: web}}\n    spec:\n"
    return head + template + "".join(f"      {line}\n" for line in spec)


CONTAINER = "containers: [{name: c, image: app}]"
CLAIM = """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast  # here
  resources: {requests: {storage: 1Gi}}
"""
CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          tolerations: [{operator: Exists}]
          nodeSelector:
            disk: ssd  # here
          containers: [{name: c, image: app}]
"""


@pytest.fixture
def findings(tmp_path, monkeypatch):
    """The findings about a release: message and line."""

    def of(
        release: str, expectation: str = "schedulable: all", more: str = ""
    ) -> list[tuple[str, int | None]]:
        (tmp_path / "release.yaml").write_text(release)
        (tmp_path / "one.yaml").write_text(
            "apiVersion: kschedctl.dev/v1alpha1\nkind: Scenario\nmetadata: {name: one}\n"
            f"manifests: [release.yaml]\nexpectations:\n  {expectation}\n"
        )
        cluster = Cluster.of(load(["-"], stdin=BytesIO((CLUSTER + more).encode())), ["cluster"])
        (scenario,) = gate([str(tmp_path / "one.yaml")], lambda _: cluster).scenarios
        return [(finding.message, finding.source.line) for finding in scenario.findings]

    monkeypatch.chdir(tmp_path)
    return of


@pytest.mark.parametrize(
    "release",
    [
        pytest.param(
            deployment(
                TOLERANT,
                "containers:",
                "- {name: small, image: app, resources: {requests: {cpu: 1}}}",
                "- name: large",
                "  image: app",
                "  resources:",
                "    requests:",
                "      memory: 1Gi",
                "      cpu: 8  # here",
            ),
            id="the container that asks for most",
        ),
        pytest.param(
            deployment(
                TOLERANT,
                "containers:",
                "- {name: b, image: app}",
                "- name: c",
                "  image: app",
                "  resources:",
                "    limits:",
                "      cpu: 8  # here",
            ),
            id="a limit that stands for a request",
        ),
        pytest.param(
            deployment(
                TOLERANT,
                CONTAINER,
                "initContainers:",
                "- name: i",
                "  image: app",
                "  resources:",
                "    requests: {cpu: 8}  # here",
            ),
            id="an init container",
        ),
        pytest.param(
            deployment(TOLERANT, "nodeSelector:", "  zone: a", "  disk: ssd  # here", CONTAINER),
            id="selector",
        ),
        pytest.param(CRON_JOB, id="selector of a cron job"),
        pytest.param(
            deployment(
                TOLERANT,
                "affinity:",
                "  nodeAffinity:  # here",
                "    requiredDuringSchedulingIgnoredDuringExecution:",
                "      nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]",
                CONTAINER,
            ),
            id="node affinity",
        ),
        pytest.param(
            deployment("tolerations:  # here", "- {key: other, operator: Exists}", CONTAINER),
            id="tolerations",
        ),
        pytest.param(deployment(CONTAINER).replace("    spec:\n", "    spec:  # here\n"), id="no toleration"),
        pytest.param(
            deployment(
                TOLERANT,
                "affinity:",
                "  podAffinity:  # here",
                "    requiredDuringSchedulingIgnoredDuringExecution:",
                "    - {topologyKey: zone, labelSelector: {matchLabels: {app: other}}}",
                CONTAINER,
            ),
            id="pod affinity",
        ),
        pytest.param(
            deployment(
                TOLERANT,
                "affinity:",
                "  podAntiAffinity:  # here",
                "    requiredDuringSchedulingIgnoredDuringExecution:",
                "    - {topologyKey: zone, labelSelector: {matchLabels: {app: there}}}",
                CONTAINER,
            ),
            id="pod anti-affinity",
        ),
        pytest.param(
            deployment(
                TOLERANT,
                "topologySpreadConstraints:",
                "- {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}",
                "- {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}  # here",
                CONTAINER,
            ),
            id="spread",
        ),
        pytest.param(
            deployment(
                TOLERANT,
                "containers:",
                "- {name: b, image: app}",
                "- name: c",
                "  image: app",
                "  ports:",
                "  - containerPort: 80",
                "    hostPort: 80  # here",
            ),
            id="host port",
        ),
        pytest.param(
            deployment(TOLERANT, CONTAINER, "priorityClassName: none  # here"),
            id="what the API server refuses",
        ),
        pytest.param(deployment(TOLERANT, CONTAINER, "schedulingGates: [{name: wait}]  # here"), id="gates"),
        pytest.param(deployment(CONTAINER, "nodeName: n9  # here"), id="a node by name"),
        pytest.param(
            deployment(TOLERANT, CONTAINER, "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")
            + CLAIM,
            id="class of a claim",
        ),
        pytest.param(
            deployment(
                TOLERANT, CONTAINER, "volumes:", "- name: d", "  persistentVolumeClaim: {claimName: data}"
            ).replace("- name: d", "- name: d  # here"),
            id="a claim that is not there",
        ),
        pytest.param(
            deployment(TOLERANT, CONTAINER, kind="StatefulSet")
            + "  volumeClaimTemplates:\n  - metadata: {name: d}\n    spec:\n      accessModes: [ReadWriteOnce]\n"
            + "      storageClassName: fast  # here\n      resources: {requests: {storage: 1Gi}}\n",
            id="class of a claim template",
        ),
    ],
)
def test_a_finding_is_at_the_line_that_decides(findings, release):
    (line,) = (at for at, text in enumerate(release.splitlines(), start=1) if text.endswith("# here"))

    assert [where for _, where in findings(release)] == [line]


@pytest.mark.parametrize(
    ("release", "told"),
    [
        pytest.param(
            deployment(TOLERANT, "containers: [{name: c, image: app, resources: {requests: {cpu: 8}}}]"),
            "0/1 nodes are available: 1 Insufficient cpu (cpu: needs 8, the node has 4 in all)",
            id="the numbers",
        ),
        pytest.param(
            deployment(TOLERANT, CONTAINER, "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]")
            + CLAIM,
            "(StorageClass fast is not in the input; add its manifest, or take the snapshot with that kind)",
            id="a class that is not there",
        ),
        pytest.param(
            deployment(TOLERANT, CONTAINER, "schedulingGates: [{name: wait}]"),
            "1 pod of Deployment/web stays pending: waiting for scheduling gates: [wait]",
            id="nothing to add",
        ),
    ],
)
def test_a_finding_says_what_explain_says(findings, release, told):
    ((message, _),) = findings(release)

    assert message.endswith(told)


FULL = """\
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "0", memory: "0", pods: "0"}}
"""
WEB = deployment(
    TOLERANT,
    "topologySpreadConstraints:  # here",
    "- {maxSkew: 5, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}",
    CONTAINER,
)
SELECTING = deployment(TOLERANT, "nodeSelector: {zone: a}  # here", CONTAINER)
PLAIN = deployment(TOLERANT, CONTAINER).replace("    spec:\n", "    spec:  # here\n")


@pytest.mark.parametrize(
    ("release", "expectation"),
    [
        pytest.param(WEB, "spread: [{workload: deploy/web, over: zone, minDomains: 2}]", id="spread"),
        pytest.param(SELECTING, "onNodes: [{workload: deploy/web, nodes: n2}]", id="on nodes"),
        pytest.param(PLAIN, "onNodes: [{workload: deploy/web, nodes: n2}]", id="on nodes without a selector"),
    ],
)
def test_a_finding_about_where_pods_are(findings, release, expectation):
    (line,) = (at for at, text in enumerate(release.splitlines(), start=1) if text.endswith("# here"))

    assert [where for _, where in findings(release, expectation, FULL)] == [line]
