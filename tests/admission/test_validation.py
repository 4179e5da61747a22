"""One row a rule: what is written, and what the API server says."""

from typing import Any

import msgspec
import pytest
from builders import admission_context, admission_gates

from kschedctl.admission.admitted import AdmittedPod
from kschedctl.admission.chain import Admission
from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.invalid import Invalid
from kschedctl.objects.pod import Pod

from .builders import CONTAINER, admitted, container, pod, refusal

NAME_SYNTAX = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE_SYNTAX = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
LABEL_SYNTAX = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
    "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN_SYNTAX = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
NEEDS_VALUES = "must be specified when `operator` is 'In' or 'NotIn'"
NO_VALUES = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
PORT_RANGE = "must be between 1 and 65535, inclusive"

Spec = dict[str, Any]


def row(name: str, spec: Spec, *errors: str) -> Any:
    return pytest.param(spec, list(errors), id=name)


def resources(requests: Spec | None = None, limits: Spec | None = None, **more: Any) -> Spec:
    return {"containers": [container(resources={"requests": requests or {}, "limits": limits or {}, **more})]}


def ports(*written: Spec, **more: Any) -> Spec:
    return {"containers": [container(ports=list(written))], **more}


def need(key: str, operator: str, *values: str) -> Spec:
    return {"key": key, "operator": operator, "values": list(values)}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_terms(*terms: Spec) -> Spec:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}}


def node_preference(weight: int, **preference: Any) -> Spec:
    return {"affinity": {"nodeAffinity": {PREFERRED: [{"weight": weight, "preference": preference}]}}}


def pod_term(side: str = "podAffinity", **term: Any) -> Spec:
    return {"affinity": {side: {REQUIRED: [{"topologyKey": "zone", **term}]}}}


def weighted_term(weight: int, **term: Any) -> Spec:
    return {"affinity": {"podAntiAffinity": {PREFERRED: [{"weight": weight, "podAffinityTerm": term}]}}}


def spread(*constraints: Spec) -> Spec:
    base = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    return {"topologySpreadConstraints": [{**base, **c} for c in constraints]}


def toleration(**fields: Any) -> Spec:
    return {"tolerations": [fields]}


NODE_EXPR = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]"
NODE_FIELD = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchFields[0]"
POD_TERM = f"spec.affinity.podAffinity.{REQUIRED}[0]"
SPREAD = "spec.topologySpreadConstraints[0]"
C0 = "spec.containers[0]"

CONTAINERS = [
    row("no-containers", {"containers": []}, "spec.containers: Required value"),
    row("no-name", {"containers": [container(name="")]}, f"{C0}.name: Required value"),
    row("no-image", {"containers": [{"name": "c"}]}, f"{C0}.image: Required value"),
    row(
        "name-syntax",
        {"containers": [container(name="A.b")]},
        f'{C0}.name: Invalid value: "A.b": {LABEL_SYNTAX}',
    ),
    row(
        "name-length",
        {"containers": [container(name="x" * 64)]},
        f'{C0}.name: Invalid value: "{"x" * 64}": must be no more than 63 characters',
    ),
    row("name-twice", {"containers": [CONTAINER] * 2}, 'spec.containers[1].name: Duplicate value: "c"'),
    row(
        "init-name-twice",
        {"initContainers": [CONTAINER]},
        'spec.initContainers[0].name: Duplicate value: "c"',
    ),
    row(
        "container-restart-policy",
        {"initContainers": [container(name="i", restartPolicy="Sometimes")]},
        'spec.initContainers[0].restartPolicy: Unsupported value: "Sometimes": supported values: "Always", '
        '"Never", "OnFailure"',
    ),
    row(
        "restart-rules-without-policy",
        {"containers": [container(restartPolicyRules=[{"action": "Restart"}])]},
        f"{C0}.restartPolicy: Required value: must specify restartPolicy when restart rules are used",
        f"{C0}.restartPolicyRules[0].exitCodes: Required value: must be specified",
    ),
]

RESOURCES = [
    row(
        "request-over-limit",
        resources({"cpu": "2"}, {"cpu": "1"}),
        f'{C0}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ),
    row(
        "negative-request",
        resources({"cpu": "-1"}),
        f'{C0}.resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    row(
        "negative-limit",
        resources({"memory": "0"}, {"memory": "-1Gi"}),
        f'{C0}.resources.limits[memory]: Invalid value: "-1Gi": must be greater than or equal to 0',
        f'{C0}.resources.requests: Invalid value: "0": must be less than or equal to memory limit of -1Gi',
    ),
    row(
        "extended-needs-limit",
        resources({"nvidia.com/gpu": 1}),
        f"{C0}.resources.limits: Required value: Limit must be set for non overcommitable resources",
    ),
    row(
        "extended-equal",
        resources({"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 2}),
        f'{C0}.resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2',
    ),
    row(
        "extended-integer",
        resources({}, {"nvidia.com/gpu": "500m"}),
        f'{C0}.resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer',
        f'{C0}.resources.requests[nvidia.com/gpu]: Invalid value: "500m": must be an integer',
    ),
    row(
        "unknown-name",
        resources({"foo": 1}),
        f'{C0}.resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        f'{C0}.resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
    ),
    row(
        "quota-name",
        resources({"pods": 1}),
        f'{C0}.resources.requests[pods]: Invalid value: "pods": must be a standard resource for containers',
    ),
    row(
        "quota-prefix",
        resources({"requests.nvidia.com/gpu": 1}, {"requests.nvidia.com/gpu": 1}),
        *(
            f'{C0}.resources.{field}[requests.nvidia.com/gpu]: Invalid value: "requests.nvidia.com/gpu": '
            "doesn't follow extended resource name standard"
            for field in ("limits", "requests")
        ),
    ),
    row(
        "hugepages-alone",
        resources({}, {"hugepages-2Mi": "2Mi"}),
        f"{C0}.resources: Forbidden: HugePages require cpu or memory",
    ),
    row(
        "hugepages-equal",
        resources({"hugepages-2Mi": "2Mi", "cpu": 1}, {"hugepages-2Mi": "4Mi"}),
        f'{C0}.resources.requests: Invalid value: "2Mi": must be equal to hugepages-2Mi limit of 4Mi',
    ),
    row(
        "hugepages-whole",
        resources({"cpu": 1}, {"hugepages-2Mi": "3Mi"}),
        f'{C0}.resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
        "hugepages-2Mi",
        f'{C0}.resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of '
        "hugepages-2Mi",
    ),
    row(
        "hugepages-size",
        resources({"cpu": 1}, {"hugepages-big": "0"}),
        *(
            f'{C0}.resources.{field}[hugepages-big]: Invalid value: "0": 0 is not positive integer multiple of '
            "hugepages-big"
            for field in ("limits", "requests")
        ),
    ),
    row(
        "unknown-claim",
        resources(claims=[{"name": "gpu"}]),
        f'{C0}.resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which '
        "is empty",
    ),
    row(
        "claim-twice",
        {
            **resources(claims=[{"name": "gpu"}, {"name": "gpu"}]),
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "x"}],
        },
        f'{C0}.resources.claims[1]: Duplicate value: "gpu"',
    ),
    row("claim-unnamed", resources(claims=[{}]), f"{C0}.resources.claims[0]: Required value"),
    row(
        "overhead-negative",
        {"overhead": {"cpu": "-1"}},
        'spec.overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
    ),
    row(
        "pod-level-name",
        {"resources": {"requests": {"ephemeral-storage": "1Gi"}}},
        'spec.resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: '
        '"cpu", "hugepages-", "memory"',
    ),
    row(
        "pod-level-request-over-limit",
        {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
        'spec.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ),
    row(
        "pod-level-below-containers",
        {**resources({"cpu": "2"}), "resources": {"requests": {"cpu": "1"}}},
        'spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container '
        "requests of 2",
    ),
    row(
        "container-limit-over-pod-limit",
        {**resources({"cpu": "1"}, {"cpu": "3"}), "resources": {"limits": {"cpu": "2"}}},
        'spec.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
    ),
    row(
        "pod-level-claims",
        {"resources": {"claims": [{"name": "x"}]}},
        "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level",
        'spec.resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ),
]

PORTS = [
    row("no-port", ports({"hostPort": 80}), f"{C0}.ports[0].containerPort: Required value"),
    row(
        "port-range",
        ports({"containerPort": 65536, "hostPort": -1}),
        f"{C0}.ports[0].containerPort: Invalid value: 65536: {PORT_RANGE}",
        f"{C0}.ports[0].hostPort: Invalid value: -1: {PORT_RANGE}",
    ),
    row(
        "protocol",
        ports({"containerPort": 80, "protocol": "HTTP"}),
        f'{C0}.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
    ),
    row(
        "host-port-twice",
        ports({"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}),
        f'{C0}.ports[1].hostPort: Duplicate value: "TCP//80"',
    ),
    row(
        "host-port-twice-in-pod",
        {"containers": [container(name=n, ports=[{"containerPort": 1, "hostPort": 1}]) for n in ("a", "b")]},
        'spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//1"',
    ),
    row(
        "host-network",
        ports({"containerPort": 80, "hostPort": 81}, hostNetwork=True),
        f"{C0}.ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true",
    ),
    row(
        "port-name-twice",
        ports({"containerPort": 80, "name": "web"}, {"containerPort": 81, "name": "web"}),
        f'{C0}.ports[1].name: Duplicate value: "web"',
    ),
    row(
        "port-name",
        ports({"containerPort": 80, "name": "-8--0-"}),
        *(
            f'{C0}.ports[0].name: Invalid value: "-8--0-": {detail}'
            for detail in (
                "must contain at least one letter (a-z)",
                "must not contain consecutive hyphens",
                "must not begin or end with a hyphen",
            )
        ),
    ),
    row(
        "port-name-characters",
        ports({"containerPort": 80, "name": "Web_with_long_name"}),
        f'{C0}.ports[0].name: Invalid value: "Web_with_long_name": must be no more than 15 characters',
        f'{C0}.ports[0].name: Invalid value: "Web_with_long_name": must contain only alpha-numeric characters '
        "(a-z, 0-9), and hyphens (-)",
    ),
]

NODE_AFFINITY = [
    row(
        "selector-key",
        {"nodeSelector": {"bad key": "x"}},
        f'spec.nodeSelector: Invalid value: "bad key": name part {NAME_SYNTAX}',
    ),
    row(
        "selector-value",
        {"nodeSelector": {"k": "bad value"}},
        f'spec.nodeSelector: Invalid value: "bad value": {VALUE_SYNTAX}',
    ),
    row(
        "no-terms",
        node_terms(),
        f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms: Required value: must have at least one node "
        "selector term",
    ),
    row(
        "operator",
        node_terms({"matchExpressions": [need("k", "Near", "x")]}),
        f'{NODE_EXPR}.operator: Invalid value: "Near": not a valid selector operator',
    ),
    row(
        "in-needs-values",
        node_terms({"matchExpressions": [need("k", "In")]}),
        f"{NODE_EXPR}.values: Required value: {NEEDS_VALUES}",
    ),
    row(
        "exists-takes-none",
        node_terms({"matchExpressions": [need("k", "Exists", "v")]}),
        f"{NODE_EXPR}.values: Forbidden: {NO_VALUES}",
    ),
    row(
        "gt-takes-one",
        node_terms({"matchExpressions": [need("k", "Gt", "1", "2")]}),
        f"{NODE_EXPR}.values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    ),
    row(
        "key",
        node_terms({"matchExpressions": [need("", "Exists")]}),
        f'{NODE_EXPR}.key: Invalid value: "": name part must be non-empty',
        f'{NODE_EXPR}.key: Invalid value: "": name part {NAME_SYNTAX}',
    ),
    row(
        "value",
        node_terms({"matchExpressions": [need("k", "In", "ok", "bad value")]}),
        f'{NODE_EXPR}.values[1]: Invalid value: "bad value": {VALUE_SYNTAX}',
    ),
    row(
        "field-key",
        node_terms({"matchFields": [need("metadata.labels", "In", "x")]}),
        f'{NODE_FIELD}.key: Invalid value: "metadata.labels": not a valid field selector key',
    ),
    row(
        "field-values",
        node_terms({"matchFields": [need("metadata.name", "In", "a", "b")]}),
        f"{NODE_FIELD}.values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node "
        "field selector",
    ),
    row(
        "field-operator",
        node_terms({"matchFields": [need("metadata.name", "Exists")]}),
        f'{NODE_FIELD}.operator: Invalid value: "Exists": not a valid selector operator',
    ),
    row(
        "field-name",
        node_terms({"matchFields": [need("metadata.name", "In", "Node_1")]}),
        f'{NODE_FIELD}.values[0]: Invalid value: "Node_1": {SUBDOMAIN_SYNTAX}',
    ),
    row(
        "weight",
        node_preference(101, matchExpressions=[need("k", "Exists")]),
        f"spec.affinity.nodeAffinity.{PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100",
    ),
    row(
        "preferred-operator",
        node_preference(1, matchExpressions=[need("k", "X")]),
        f"spec.affinity.nodeAffinity.{PREFERRED}[0].preference.matchExpressions[0].operator: Invalid value: "
        '"X": not a valid selector operator',
    ),
]

POD_AFFINITY = [
    row(
        "no-topology-key",
        pod_term(topologyKey="", labelSelector={}),
        f"{POD_TERM}.topologyKey: Required value: can not be empty",
        f'{POD_TERM}.topologyKey: Invalid value: "": name part must be non-empty',
        f'{POD_TERM}.topologyKey: Invalid value: "": name part {NAME_SYNTAX}',
    ),
    row(
        "topology-key",
        pod_term(topologyKey="bad key"),
        f'{POD_TERM}.topologyKey: Invalid value: "bad key": name part {NAME_SYNTAX}',
    ),
    row(
        "pod-selector-operator",
        pod_term(labelSelector={"matchExpressions": [need("k", "Gt", "1")]}),
        f'{POD_TERM}.labelSelector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator',
    ),
    row(
        "pod-selector-label",
        pod_term(labelSelector={"matchLabels": {"k": "bad value"}}),
        f'{POD_TERM}.labelSelector.matchLabels: Invalid value: "bad value": {VALUE_SYNTAX}',
    ),
    row(
        "pod-selector-value",
        pod_term(labelSelector={"matchExpressions": [need("k", "In", "bad value")]}),
        f'{POD_TERM}.labelSelector.matchExpressions[0].values[0]: Invalid value: "bad value": {VALUE_SYNTAX}',
    ),
    row(
        "namespace-selector",
        pod_term(namespaceSelector={"matchExpressions": [need("k", "In")]}),
        f"{POD_TERM}.namespaceSelector.matchExpressions[0].values: Required value: {NEEDS_VALUES}",
    ),
    row(
        "namespace",
        pod_term(namespaces=["Bad"]),
        f'{POD_TERM}.namespace: Invalid value: "Bad": {LABEL_SYNTAX}',
    ),
    row(
        "pod-weight",
        weighted_term(0, topologyKey="zone"),
        f"spec.affinity.podAntiAffinity.{PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100",
    ),
    row(
        "label-keys-without-selector",
        pod_term(matchLabelKeys=["a"], mismatchLabelKeys=["b"]),
        f"{POD_TERM}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
        f"{POD_TERM}.mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ),
    row(
        "label-key",
        pod_term(labelSelector={}, matchLabelKeys=["bad key"]),
        f'{POD_TERM}.matchLabelKeys[0]: Invalid value: "bad key": name part {NAME_SYNTAX}',
    ),
    row(
        "label-key-in-both",
        pod_term(labelSelector={}, matchLabelKeys=["a"], mismatchLabelKeys=["b", "a"]),
        f'{POD_TERM}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and mismatchLabelKeys',
    ),
    row(
        "label-key-selected-twice",
        pod_term(
            labelSelector={"matchLabels": {"a": "1"}, "matchExpressions": [need("a", "Exists")]},
            matchLabelKeys=["a"],
        ),
        f'{POD_TERM}[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ),
]

SPREADING = [
    row("max-skew", spread({"maxSkew": 0}), f"{SPREAD}.maxSkew: Invalid value: 0: must be greater than zero"),
    row("spread-key", spread({"topologyKey": ""}), f"{SPREAD}.topologyKey: Required value: can not be empty"),
    row(
        "action",
        spread({"whenUnsatisfiable": "Never"}),
        f'{SPREAD}.whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", '
        '"ScheduleAnyway"',
    ),
    row(
        "repeated",
        spread({}, {"maxSkew": 2}),
        f'{SPREAD}.{{topologyKey, whenUnsatisfiable}}: Duplicate value: "{{zone, DoNotSchedule}}"',
    ),
    row(
        "min-domains",
        spread({"minDomains": 0}),
        f"{SPREAD}.minDomains: Invalid value: 0: must be greater than zero",
    ),
    row(
        "min-domains-soft",
        spread({"minDomains": 1, "whenUnsatisfiable": "ScheduleAnyway"}),
        f"{SPREAD}.minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not "
        "ScheduleAnyway",
    ),
    row(
        "policies",
        spread({"nodeAffinityPolicy": "Obey", "nodeTaintsPolicy": ""}),
        f'{SPREAD}.nodeAffinityPolicy: Unsupported value: "Obey": supported values: "Honor", "Ignore"',
        f'{SPREAD}.nodeTaintsPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
    ),
    row(
        "spread-label-keys-without-selector",
        {
            "topologySpreadConstraints": [
                {
                    "maxSkew": 1,
                    "topologyKey": "zone",
                    "whenUnsatisfiable": "DoNotSchedule",
                    "matchLabelKeys": ["a"],
                }
            ]
        },
        f"{SPREAD}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
    ),
    row(
        "spread-label-key-selected-twice",
        spread(
            {
                "labelSelector": {"matchExpressions": [need("a", "Exists"), need("a", "In", "x")]},
                "matchLabelKeys": ["a"],
            }
        ),
        f'{SPREAD}[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
    ),
    row(
        "spread-selector",
        spread({"labelSelector": {"matchExpressions": [need("k", "Exists", "v")]}}),
        f"{SPREAD}.labelSelector.matchExpressions[0].values: Forbidden: {NO_VALUES}",
    ),
]

TOLERATIONS = [
    row(
        "toleration-key",
        toleration(key="bad key", operator="Exists"),
        f'spec.tolerations[0].key: Invalid value: "bad key": name part {NAME_SYNTAX}',
    ),
    row(
        "empty-key-equal",
        toleration(value="x"),
        'spec.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which '
        'means "match all values and all keys"',
    ),
    row(
        "exists-with-value",
        toleration(key="k", operator="Exists", value="v"),
        "spec.tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'",
    ),
    row(
        "toleration-value",
        toleration(key="k", value="bad value"),
        f'spec.tolerations[0].operator: Invalid value: "bad value": {VALUE_SYNTAX}',
    ),
    row(
        "toleration-operator",
        toleration(key="k", operator="Gt", value="1"),
        'spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ),
    row(
        "toleration-effect",
        toleration(key="k", operator="Exists", effect="Never"),
        'spec.tolerations[0].effect: Unsupported value: "Never": supported values: "NoSchedule", '
        '"PreferNoSchedule", "NoExecute"',
    ),
    row(
        "toleration-seconds",
        toleration(key="k", operator="Exists", effect="NoSchedule", tolerationSeconds=1),
        "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when "
        "`tolerationSeconds` is set",
    ),
]

CLAIM = "spec.resourceClaims[0]"
VOLUMES_AND_CLAIMS = [
    row("volume-unnamed", {"volumes": [{}]}, "spec.volumes[0].name: Required value"),
    row(
        "volume-name",
        {"volumes": [{"name": "A"}]},
        f'spec.volumes[0].name: Invalid value: "A": {LABEL_SYNTAX}',
    ),
    row(
        "volume-twice",
        {"volumes": [{"name": "v"}, {"name": "v"}]},
        'spec.volumes[1].name: Duplicate value: "v"',
    ),
    row(
        "volume-claim-unnamed",
        {"volumes": [{"name": "v", "persistentVolumeClaim": {}}]},
        "spec.volumes[0].persistentVolumeClaim.claimName: Required value",
    ),
    row(
        "volume-two-sources",
        {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "x"}, "csi": {"driver": "d"}}]},
        "spec.volumes[0].csi: Forbidden: may not specify more than 1 volume type",
    ),
    row(
        "volume-disk-unnamed",
        {"volumes": [{"name": "v", "gcePersistentDisk": {}}]},
        "spec.volumes[0].persistentDisk.pdName: Required value",
    ),
    row(
        "claim-without-source",
        {"resourceClaims": [{"name": "gpu"}]},
        f'{CLAIM}: Invalid value: {{"Name":"gpu","ResourceClaimName":null,"ResourceClaimTemplateName":null}}: must '
        "specify one of: `resourceClaimName`, `resourceClaimTemplateName`",
    ),
    row(
        "claim-with-two-sources",
        {"resourceClaims": [{"name": "gpu", "resourceClaimName": "a", "resourceClaimTemplateName": "b"}]},
        f'{CLAIM}: Invalid value: {{"Name":"gpu","ResourceClaimName":"a","ResourceClaimTemplateName":"b"}}: at most '
        "one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
    ),
    row(
        "claim-no-name",
        {"resourceClaims": [{"resourceClaimName": "a"}]},
        f"{CLAIM}.name: Required value",
    ),
    row(
        "claim-name",
        {"resourceClaims": [{"name": "a.b", "resourceClaimTemplateName": "Bad"}]},
        f'{CLAIM}.name: Invalid value: "a.b": must not contain dots',
        f'{CLAIM}.resourceClaimTemplateName: Invalid value: "Bad": {SUBDOMAIN_SYNTAX}',
    ),
    row(
        "claims-twice",
        {"resourceClaims": [{"name": "gpu", "resourceClaimName": "a"}] * 2},
        'spec.resourceClaims[1].name: Duplicate value: "gpu"',
    ),
]

SPEC = [
    row(
        "restart-policy",
        {"restartPolicy": "Sometimes"},
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ),
    row(
        "preemption-policy",
        {"priority": 1, "preemptionPolicy": "Always"},
        'spec.preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
    ),
    row(
        "gate-twice",
        {"schedulingGates": [{"name": "g"}, {"name": "g"}]},
        'spec.schedulingGates[1]: Duplicate value: "g"',
    ),
    row(
        "gate-name",
        {"schedulingGates": [{"name": "bad gate"}]},
        f'spec.schedulingGates[0]: Invalid value: "bad gate": name part {NAME_SYNTAX}',
    ),
    row(
        "gated-and-bound",
        {"schedulingGates": [{"name": "g"}], "nodeName": "n1"},
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared",
    ),
    row("node-name", {"nodeName": "N"}, f'spec.nodeName: Invalid value: "N": {SUBDOMAIN_SYNTAX}'),
    row("hostname", {"hostname": "a.b"}, 'spec.hostname: Invalid value: "a.b": must not contain dots'),
    row(
        "user-namespace-on-host-network",
        {"hostNetwork": True, "hostUsers": False},
        "spec.hostNetwork: Forbidden: when `hostUsers` is false",
    ),
    row(
        "several-at-once",
        {"restartPolicy": "X", "nodeName": "N", "containers": []},
        "spec.containers: Required value",
        'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
        f'spec.nodeName: Invalid value: "N": {SUBDOMAIN_SYNTAX}',
    ),
]


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        *CONTAINERS,
        *RESOURCES,
        *PORTS,
        *NODE_AFFINITY,
        *POD_AFFINITY,
        *SPREADING,
        *TOLERATIONS,
        *VOLUMES_AND_CLAIMS,
        *SPEC,
    ],
)
def test_a_spec_that_the_api_server_refuses(spec: Spec, errors: list[str]) -> None:
    assert refusal(pod(**spec)) == errors


@pytest.mark.parametrize(
    ("metadata", "errors"),
    [
        ({}, ["metadata.name: Required value: name or generateName is required"]),
        ({"name": "Web"}, [f'metadata.name: Invalid value: "Web": {SUBDOMAIN_SYNTAX}']),
        ({"generateName": "Web-"}, [f'metadata.generateName: Invalid value: "Web-": {SUBDOMAIN_SYNTAX}']),
        (
            {"name": "p", "namespace": "a.b"},
            ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
        ),
        (
            {"name": "p", "labels": {"bad key": "bad value"}},
            [
                f'metadata.labels: Invalid value: "bad key": name part {NAME_SYNTAX}',
                f'metadata.labels: Invalid value: "bad value": {VALUE_SYNTAX}',
            ],
        ),
        (
            {"name": "p", "annotations": {"a/b/c": "x"}},
            [
                f'metadata.annotations: Invalid value: "a/b/c": a valid label key {NAME_SYNTAX} with an optional DNS '
                "subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ],
        ),
    ],
    ids=["no-name", "name", "generate-name", "namespace", "labels", "annotations"],
)
def test_metadata_that_the_api_server_refuses(metadata: Spec, errors: list[str]) -> None:
    assert (
        refusal(msgspec.convert({"metadata": metadata, "spec": {"containers": [CONTAINER]}}, Pod)) == errors
    )


@pytest.mark.parametrize(
    "spec",
    [
        resources({"cpu": "0"}, {"cpu": "1E", "memory": "9Ei"}),
        resources({"deviceclass.resource.kubernetes.io/gpu": 1}),
        resources({"hugepages-2Mi": "4Mi", "memory": "1Gi"}, {"hugepages-2Mi": "4Mi"}),
        ports(
            {"containerPort": 80, "hostPort": 80}, {"containerPort": 80, "hostPort": 80, "protocol": "UDP"}
        ),
        ports(
            {"containerPort": 80, "hostPort": 80, "hostIP": "127.0.0.1"},
            {"containerPort": 80, "hostPort": 80},
        ),
        {
            "initContainers": [
                container(name=n, ports=[{"containerPort": 1, "hostPort": 1}]) for n in ("a", "b")
            ]
        },
        {"initContainers": [container(name="i", restartPolicy="Always")]},
        node_preference(1, matchExpressions=[need("k", "In", "bad value")]),
        node_terms({}, {"matchExpressions": [need("k", "Gt", "many")]}),
        pod_term(labelSelector={"matchLabels": {"a": "1"}}, matchLabelKeys=["a"], mismatchLabelKeys=["b"]),
        pod_term(labelSelector={"matchLabels": {"b": "1"}}, mismatchLabelKeys=["b"]),
        spread({"topologyKey": "bad key"}, {"whenUnsatisfiable": "ScheduleAnyway"}),
        toleration(operator="Exists"),
        toleration(key="k", operator="Exists", effect="NoExecute", tolerationSeconds=-1),
        {"volumes": [{"name": "v"}, {"name": "w", "csi": {"driver": "d"}}]},
        {"hostUsers": False},
        {"overhead": {"cpu": "1", "memory": "1Mi"}},
    ],
)
def test_what_the_api_server_takes(spec: Spec) -> None:
    assert admitted(pod(**spec)).name == "p"


def test_a_pod_may_have_its_name_generated() -> None:
    made = msgspec.convert({"metadata": {"generateName": "web-"}, "spec": {"containers": [CONTAINER]}}, Pod)
    assert admitted(made).metadata.generate_name == "web-"


@pytest.mark.parametrize(
    ("spec", "gates"),
    [
        (
            toleration(key="k", operator="Gt", value="5"),
            admission_gates(toleration_comparison_operators=True),
        ),
        ({"hostNetwork": True, "hostUsers": False}, admission_gates(user_namespaces_host_network=True)),
        ({"resources": {"requests": {"foo": "1"}}}, admission_gates(pod_level_resources=False)),
    ],
    ids=["comparison", "user-namespaces", "pod-level"],
)
def test_gates_decide(spec: Spec, gates: AdmissionGates) -> None:
    candidate = pod(**spec)
    assert isinstance(Admission(admission_context()).admit_candidate(candidate), Invalid)
    assert isinstance(Admission(admission_context(gates=gates)).admit_candidate(candidate), AdmittedPod)


@pytest.mark.parametrize(
    ("options", "volume", "errors"),
    [
        pytest.param(
            ["exec"],
            {"emptyDir": {}},
            ['[0]: Unsupported value: "exec": supported values: "nodev", "noexec", "nosuid"'],
            id="unknown",
        ),
        pytest.param(["nodev", "nodev"], {"emptyDir": {}}, ['[1]: Duplicate value: "nodev"'], id="twice"),
        pytest.param(
            ["nodev"],
            {"image": {"reference": "data:1"}},
            [': Invalid value: ["nodev"]: bindMountOptions may not be used with image volumes'],
            id="of an image",
        ),
    ],
)
def test_bind_mount_options(options: list[str], volume: Spec, errors: list[str]) -> None:
    mount = {"name": "v", "mountPath": "/v", "bindMountOptions": options}
    spec = {"containers": [container(volumeMounts=[mount])], "volumes": [{"name": "v"} | volume]}
    assert admitted(pod(**spec)).spec.containers[0].volume_mounts == ()
    context = admission_context(gates=admission_gates(bind_mount_options=True))
    path = "spec.containers[0].volumeMounts[0].bindMountOptions"
    assert refusal(pod(**spec), context) == [path + error for error in errors]


@pytest.mark.parametrize("value", ["five", "+5", "05", "-0", "9223372036854775808", "99999999999999999999"])
def test_ordered_tolerations_take_canonical_integers(value: str) -> None:
    gates = admission_gates(toleration_comparison_operators=True)
    errors = refusal(pod(**toleration(key="k", operator="Lt", value=value)), admission_context(gates=gates))
    assert {error.partition(":")[0] for error in errors} == {"spec.tolerations[0].value"}
