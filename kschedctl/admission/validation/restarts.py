"""Rules for restarts of containers: their own policies, the rules beside these, and resizes."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems, one_of

_POLICIES = ("Always", "Never", "OnFailure")
_ACTIONS = ("Restart", "RestartAllContainers")
_EXIT_CODE_OPERATORS = ("In", "NotIn")
_MAX_RULES = 20
_MAX_EXIT_CODES = 255
_RESIZED = ("cpu", "memory")
_RESIZE_POLICIES = ("NotRequired", "RestartContainer")


def validate_container_restart(container: Field, gates: AdmissionGates) -> Problems:
    """The restart policy of a container that is no init container."""
    if gates.container_restart_rules:
        yield from _validate_policy(container, gates)


def validate_init_container_restart(container: Field, gates: AdmissionGates) -> Problems:
    """The restart policy of an init container; Always makes a sidecar of it."""
    policy, rules = container["restartPolicy"], container["restartPolicyRules"]
    if not policy.is_set:
        if rules.items:
            yield policy.required("must specify restartPolicy when restart rules are used")
    elif policy.text == "Always" and not gates.restart_all_containers:
        if rules.items:
            yield rules.forbidden(
                "restartPolicyRules are not allowed for init containers with restart policy Always"
            )
    elif gates.container_restart_rules:
        yield from _validate_policy(container, gates)


def _validate_policy(container: Field, gates: AdmissionGates) -> Problems:
    policy, rules = container["restartPolicy"], container["restartPolicyRules"]
    if not policy.is_set and rules.items:
        yield policy.required("must specify restartPolicy when restart rules are used")
    yield from one_of(policy, _POLICIES)
    yield from _validate_count(rules, _MAX_RULES, gates)
    actions = _ACTIONS if gates.restart_all_containers else _ACTIONS[:1]
    told = actions if gates.facts.restart_actions_are_all_told else _ACTIONS[:1]
    for rule in rules.items:
        action, codes = rule["action"], rule["exitCodes"]
        if action.text not in actions:
            yield action.unsupported(told)
        if not codes.is_set:
            yield codes.required("must be specified")
            continue
        if codes["operator"].text not in _EXIT_CODE_OPERATORS:
            yield codes["operator"].unsupported(_EXIT_CODE_OPERATORS)
        yield from _validate_count(codes["values"], _MAX_EXIT_CODES, gates)


def _validate_count(entries: Field, limit: int, gates: AdmissionGates) -> Problems:
    if len(entries.items) > limit:
        told = gates.facts.restart_actions_are_all_told
        yield entries.too_many(limit) if told else entries.too_long(limit)


def validate_resize_policies(container: Field, pod_policy: str, gates: AdmissionGates) -> Problems:
    """What a resize does to a container; `pod_policy` is `spec.restartPolicy`."""
    policies = container["resizePolicy"]
    resources: set[str] = set()
    for policy in policies.items:
        resource, restart = policy["resourceName"].text, policy["restartPolicy"].text
        if resource in resources:
            yield policy.duplicate(resource)
        resources.add(resource)
        for value, supported in ((resource, _RESIZED), (restart, _RESIZE_POLICIES)):
            if not value:
                yield policies.required()
            elif value not in supported:
                yield Field(policies.path, value).unsupported(supported)
        if pod_policy == "Never" and restart != "NotRequired":
            of = "pod " if gates.facts.restart_policy_is_of_the_pod else ""
            detail = f"must be 'NotRequired' when {of}`restartPolicy` is 'Never'"
            yield policies.invalid_as(restart, detail)


def validate_init_container_resizes(container: Field, gates: AdmissionGates) -> Problems:
    """An init container that ends must not be restarted for a resize."""
    if container["restartPolicy"].text == "Always" or not gates.facts.plain_init_containers_resize_in_place:
        return
    for policy in container["resizePolicy"].items:
        if policy["restartPolicy"].text == "RestartContainer":
            detail = "must not be set to 'RestartContainer' for non-sidecar initContainers"
            yield policy["restartPolicy"].invalid(detail)
