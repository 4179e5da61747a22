"""kschedctl: the decision kube-scheduler would take, offline and explained.

    from kschedctl import Cluster, explain

    for answer in explain(Cluster.load("prod.json.gz"), "trainer.yaml"):
        print(answer.pod.full_name, answer.outcome, answer.selected_node)

The names below are the whole API; each is loaded when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kschedctl.questions.capacity import CapacityQuestion, capacity
    from kschedctl.questions.cluster import Cluster
    from kschedctl.questions.compare import ComparisonQuestion, compare
    from kschedctl.questions.consolidate import ConsolidationQuestion, consolidate
    from kschedctl.questions.drain import DrainQuestion, drain
    from kschedctl.questions.explain import explain, explain_existing, explain_pending, explain_pod
    from kschedctl.questions.gate import gate
    from kschedctl.questions.plan import PlanQuestion, plan
    from kschedctl.questions.preempt import preempt, preempt_existing, preempt_pending, preempt_pod
    from kschedctl.questions.scheduler import scheduler_of
    from kschedctl.questions.simulate import SimulationQuestion, simulate
    from kschedctl.questions.sweep import SweepQuestion, clusters_at, sweep
    from kschedctl.questions.transaction import Transaction, pods_in
    from kschedctl.questions.translate import translation_of

__version__ = "0.1.0"

__all__ = [
    "CapacityQuestion",
    "Cluster",
    "ComparisonQuestion",
    "ConsolidationQuestion",
    "DrainQuestion",
    "PlanQuestion",
    "SimulationQuestion",
    "SweepQuestion",
    "Transaction",
    "capacity",
    "clusters_at",
    "compare",
    "consolidate",
    "drain",
    "explain",
    "explain_existing",
    "explain_pending",
    "explain_pod",
    "gate",
    "plan",
    "pods_in",
    "preempt",
    "preempt_existing",
    "preempt_pending",
    "preempt_pod",
    "scheduler_of",
    "simulate",
    "sweep",
    "translation_of",
]

_MODULES: Final = {
    "Cluster": "cluster",
    "SimulationQuestion": "simulate",
    "ComparisonQuestion": "compare",
    "ConsolidationQuestion": "consolidate",
    "clusters_at": "sweep",
    "pods_in": "transaction",
    "scheduler_of": "scheduler",
    "translation_of": "translate",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for: `import kschedctl` alone costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name) or name.removesuffix("Question").lower().partition("_")[0]
    return getattr(import_module(f"kschedctl.questions.{module}"), name)
