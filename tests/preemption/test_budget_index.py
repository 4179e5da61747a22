"""Which budgets cover which pods, against asking each budget about each pod."""

import random

import pytest
from builders import enter, node, pod, session

from kschedctl.objects.selectors import parse_label_selector
from kschedctl.preemption.budget_index import BudgetIndex

NAMESPACES = ("x", "y")
LABELS = ({}, {"app": "a"}, {"app": "a", "tier": "1"}, {"app": "b"}, {"tier": "2"})
SELECTORS = (
    None,
    {},
    {"matchLabels": {"app": "a"}},
    {"matchLabels": {"app": "a", "tier": "1"}},
    {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
    {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "tier", "operator": "Near"}]},
)


def budget(name, namespace, selector):
    spec = {} if selector is None else {"selector": selector}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def covers(budget, record):
    """As spec 01 §9.3 has it: an absent, empty or bad selector covers no pod, and no selector one without labels."""
    expressions = budget.spec.selector and budget.spec.selector.match_expressions
    if not budget.spec.selector or any(e.operator == "Near" for e in expressions or ()):
        return False
    selector = parse_label_selector(budget.spec.selector)
    labels = record.pod.labels
    return bool(
        selector.requirements and labels and budget.namespace == record.namespace and selector.matches(labels)
    )


@pytest.mark.parametrize("seed", range(5))
def test_as_if_each_budget_were_asked_about_each_pod(seed):
    rng = random.Random(seed)
    budgets = [
        budget(f"b{i}", rng.choice(NAMESPACES), selector) for i, selector in enumerate([*SELECTORS] * 2)
    ]
    asked = session([node("n1"), *budgets])
    for round_ in range(3):  # pods that come later, with labels that are new
        entered = [
            enter(
                asked,
                pod(
                    f"p{round_}-{i}",
                    namespace=rng.choice(NAMESPACES),
                    labels=rng.choice(LABELS[: 3 + round_]),
                ),
            )
            for i in range(8)
        ]
        index = BudgetIndex.of(asked.cluster)
        for record in entered:
            found = [index.budgets[at].name for at in index.covering(record.pod_class.group)]
            assert found == [b.name for b in index.budgets if covers(b, record)]
