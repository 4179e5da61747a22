"""Groups and workloads that the API server refuses, in its words, and what it makes of those that it takes."""

from typing import Any

import msgspec
import pytest
from builders import admission_context, admission_gates

from kschedctl.admission.gates import GroupGates
from kschedctl.admission.groups import problems_of_group
from kschedctl.framework.versions.v1_35 import VERSION as V1_35
from kschedctl.objects.core import PriorityClass
from kschedctl.objects.groups import CompositePodGroup, PodGroup, Workload

from .test_validation import LABEL_SYNTAX, SUBDOMAIN_SYNTAX

Spec = dict[str, Any]
BASIC = {"schedulingPolicy": {"basic": {}}}
REFERENCE = {"workloadName": "w", "templateName": "t"}
EVERY_GATE = GroupGates(priority=True, preemption_policy=True, topology=True, claims=True, composite=True)
ONE_OF = 'Invalid value: "": must specify one of: `basic`, `gang`'


def gang(count: int, name: str = "minCount") -> Spec:
    return {"schedulingPolicy": {"gang": {name: count}}}


def refusals(
    kind: type[Any], spec: Spec, gates: GroupGates = EVERY_GATE, *classes: PriorityClass
) -> list[str]:
    group = msgspec.convert({"metadata": {"name": "g"}, "spec": spec}, kind)
    context = admission_context(
        priority_classes=classes, gates=admission_gates(pod_groups=True, groups=gates)
    )
    return [str(problem) for problem in problems_of_group(group, context)]


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param(BASIC, [], id="basic"),
        pytest.param(gang(3), [], id="gang"),
        pytest.param({}, [f"spec.schedulingPolicy: {ONE_OF}"], id="no policy"),
        pytest.param(
            {"schedulingPolicy": {"basic": {}, "gang": {"minCount": 1}}},
            [
                'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, '
                "`gang`"
            ],
            id="both policies",
        ),
        pytest.param(gang(0), ["spec.schedulingPolicy.gang.minCount: Required value"], id="minCount 0"),
        pytest.param(
            gang(-1),
            ["spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1"],
            id="minCount -1",
        ),
        pytest.param(
            BASIC | {"schedulingConstraints": {"topology": [{"key": "a"}, {"key": "b"}]}},
            ["spec.schedulingConstraints.topology: Too many: 2: must have at most 1 item"],
            id="two keys",
        ),
        pytest.param(
            BASIC | {"schedulingConstraints": {"topology": [{"key": ""}]}},
            ["spec.schedulingConstraints.topology[0].key: Required value"],
            id="no key",
        ),
        pytest.param(
            BASIC | {"disruptionMode": {}},
            ['spec.disruptionMode: Invalid value: "": must specify one of: `single`, `all`'],
            id="no mode",
        ),
        pytest.param(BASIC | {"disruptionMode": "PodGroup"}, [], id="a mode of 1.36"),
        pytest.param(
            BASIC | {"disruptionMode": "Some"},
            ['spec.disruptionMode: Unsupported value: "Some": supported values: "Pod", "PodGroup"'],
            id="no mode of 1.36",
        ),
        pytest.param(
            BASIC | {"preemptionPolicy": "Sometimes"},
            [
                'spec.preemptionPolicy: Unsupported value: "Sometimes": supported values: "Never", '
                '"PreemptLowerPriority"'
            ],
            id="policy",
        ),
        pytest.param(
            BASIC | {"parentCompositePodGroupName": "c"},
            ["spec.workloadRef: Required value: must be set when parentCompositePodGroupName is set"],
            id="a parent without a template",
        ),
        pytest.param(
            BASIC | {"parentCompositePodGroupName": "C_", "workloadRef": REFERENCE},
            [f'spec.parentCompositePodGroupName: Invalid value: "C_": {SUBDOMAIN_SYNTAX}'],
            id="name of a parent",
        ),
        pytest.param(
            BASIC | {"workloadRef": {"templateName": "T!"}},
            [
                "spec.workloadRef.workloadName: Required value",
                f'spec.workloadRef.templateName: Invalid value: "T!": {LABEL_SYNTAX}',
            ],
            id="template",
        ),
        pytest.param(
            BASIC | {"resourceClaims": [{"name": "a"}]},
            [
                'spec.resourceClaims[0]: Invalid value: "": must specify one of: `resourceClaimName`, '
                "`resourceClaimTemplateName`"
            ],
            id="a claim that is none",
        ),
        pytest.param(
            BASIC | {"resourceClaims": [{"name": "a", "resourceClaimName": name} for name in ("x", "y")]},
            ['spec.resourceClaims[1]: Duplicate value: {"name":"a","resourceClaimName":"y"}'],
            id="a claim twice",
        ),
        pytest.param(
            BASIC | {"resourceClaims": [{"name": f"c{i}", "resourceClaimName": "x"} for i in range(5)]},
            ["spec.resourceClaims: Too many: 5: must have at most 4 items"],
            id="five claims",
        ),
    ],
)
def test_pod_groups(spec: Spec, errors: list[str]) -> None:
    assert refusals(PodGroup, spec) == errors


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"schedulingConstraints": {"topology": [{"key": ""}]}}, id="topology"),
        pytest.param({"resourceClaims": [{"name": "a"}]}, id="claims"),
        pytest.param({"parentCompositePodGroupName": "C_"}, id="parent"),
        pytest.param({"preemptionPolicy": "Sometimes"}, id="policy"),
        pytest.param({"priorityClassName": "missing"}, id="priority"),
    ],
)
def test_fields_whose_gate_is_off_are_not_looked_at(spec: Spec) -> None:
    assert refusals(PodGroup, BASIC | spec, GroupGates()) == []
    assert refusals(PodGroup, BASIC | spec) != []


@pytest.mark.parametrize(
    ("kind", "spec", "errors"),
    [
        pytest.param(PodGroup, {"priorityClassName": "high"}, [], id="a class"),
        pytest.param(
            PodGroup,
            {"priorityClassName": "none"},
            ["no PriorityClass with name none was found"],
            id="no such class",
        ),
        pytest.param(
            PodGroup,
            {"priority": 5},
            [
                "priority set in the pod group (5) must match the priority computed (0) based on the priority "
                "class set in the spec"
            ],
            id="a priority without a class",
        ),
        pytest.param(
            CompositePodGroup,
            {"priorityClassName": "high", "priority": 7},
            [
                "priority set in the composite pod group (7) must match the priority computed (1000) based on "
                "the priority class set in the spec"
            ],
            id="another one than that of the class",
        ),
    ],
)
def test_priorities(kind: type[Any], spec: Spec, errors: list[str]) -> None:
    high = msgspec.convert({"metadata": {"name": "high"}, "value": 1000}, PriorityClass)
    assert refusals(kind, BASIC | {"workloadRef": REFERENCE} | spec, EVERY_GATE, high) == errors


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param(BASIC | {"workloadRef": REFERENCE}, [], id="basic"),
        pytest.param(BASIC, ["spec.workloadRef: Required value"], id="no template"),
        pytest.param(
            gang(0, "minGroupCount") | {"workloadRef": REFERENCE},
            ["spec.schedulingPolicy.gang.minGroupCount: Required value"],
            id="minGroupCount 0",
        ),
    ],
)
def test_composite_groups(spec: Spec, errors: list[str]) -> None:
    assert refusals(CompositePodGroup, spec) == errors


def leaf(name: str, **more: Any) -> Spec:
    return {"name": name} | BASIC | more


def composite(name: str, *leaves: Spec, nested: tuple[Spec, ...] = (), **more: Any) -> Spec:
    below = {"podGroupTemplates": list(leaves), "compositePodGroupTemplates": list(nested)}
    return leaf(name, **{field: found for field, found in below.items() if found}, **more)


NESTED = "spec.compositePodGroupTemplates[0]"


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        pytest.param({"podGroupTemplates": [leaf("a"), leaf("b")]}, [], id="groups"),
        pytest.param({"compositePodGroupTemplates": [composite("a", leaf("b"))]}, [], id="composite"),
        pytest.param(
            {},
            [
                'spec: Invalid value: "": must specify one of: `podGroupTemplates`, '
                "`compositePodGroupTemplates`"
            ],
            id="nothing",
        ),
        pytest.param(
            {"podGroupTemplates": [{"name": "a"}]},
            [f"spec.podGroupTemplates[0].schedulingPolicy: {ONE_OF}"],
            id="a template without policy",
        ),
        pytest.param(
            {"podGroupTemplates": [leaf(f"t{i}") for i in range(9)]},
            ["spec.podGroupTemplates: Too many: 9: must have at most 8 items"],
            id="nine",
        ),
        pytest.param(
            {"compositePodGroupTemplates": [composite("a", leaf("a"))]},
            [f'{NESTED}.podGroupTemplates[0].name: Duplicate value: "a"'],
            id="a name twice in the tree",
        ),
        pytest.param(
            {"compositePodGroupTemplates": [composite("a")]},
            [
                f'{NESTED}: Invalid value: "a": must have at least one child PodGroupTemplate or '
                "CompositePodGroupTemplate"
            ],
            id="no children",
        ),
        pytest.param(
            {"podGroupTemplates": [leaf("a", priority=1), leaf("b", priority=2)]},
            ["spec: Invalid value: null: detected multiple priority configurations"],
            id="two priorities",
        ),
        pytest.param(
            {"compositePodGroupTemplates": [composite("a", leaf("b"), priorityClassName="high")]},
            [
                "spec: Invalid value: null: all priority and priorityClassName values must be identical, "
                "detected multiple values"
            ],
            id="another priority below",
        ),
    ],
)
def test_workloads(spec: Spec, errors: list[str]) -> None:
    assert refusals(Workload, spec) == errors


def test_templates_are_not_too_deep() -> None:
    def levels(count: int) -> Spec:
        below = (levels(count - 1),) if count > 1 else ()
        return composite(f"c{count}", *([] if below else [leaf("t")]), nested=below)

    assert refusals(Workload, {"compositePodGroupTemplates": [levels(3)]}) == []
    (error,) = refusals(Workload, {"compositePodGroupTemplates": [levels(4)]})
    assert error.startswith(f"{NESTED}: Invalid value: [")
    assert error.endswith("maximum template hierarchy depth is 4")


GANG = {"gang": {"minCount": 2}}
NAMES_GROUPS = admission_gates(pod_groups=True, facts=V1_35.facts.admission)


@pytest.mark.parametrize(
    ("groups", "errors"),
    [
        pytest.param([{"name": "g", "policy": GANG}, {"name": "h", "policy": {"basic": {}}}], [], id="good"),
        pytest.param([], ["spec.podGroups: Required value: must have at least one item"], id="none"),
        pytest.param(
            [{"name": f"g{i}", "policy": GANG} for i in range(9)],
            ["spec.podGroups: Too many: 9: must have at most 8 items"],
            id="nine",
        ),
        pytest.param(
            [{"name": "g", "policy": GANG}, {"name": "g", "policy": {}}],
            [
                'spec.podGroups[1].name: Duplicate value: "g"',
                "spec.podGroups[1].policy: Required value: exactly one of `basic`, `gang` is required",
            ],
            id="twice, and no policy",
        ),
        pytest.param(
            [{"name": "g", "policy": GANG | {"basic": {}}}],
            [
                'spec.podGroups[0].policy: Invalid value: "{`basic`, `gang`}": exactly one of `basic`, `gang` is '
                "required, but multiple fields are set"
            ],
            id="two policies",
        ),
        pytest.param(
            [{"name": "g", "policy": {"gang": {"minCount": -1}}}],
            ["spec.podGroups[0].policy.gang.minCount: Invalid value: -1: must be greater than zero"],
            id="fewer than one",
        ),
    ],
)
def test_workloads_of_1_35_hold_their_groups(groups: list[Spec], errors: list[str]) -> None:
    workload = msgspec.convert({"metadata": {"name": "w"}, "spec": {"podGroups": groups}}, Workload)
    context = admission_context(priority_classes=(), gates=NAMES_GROUPS)
    assert [str(problem) for problem in problems_of_group(workload, context)] == errors
