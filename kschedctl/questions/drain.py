"""Drains in Python: whether nodes can go.

    from kschedctl import Cluster, DrainQuestion, drain

    answer = drain(Cluster.load("prod.json.gz"), DrainQuestion(nodes=["n4"]))
    print(answer.possible, answer.waves)

The answer is `kschedctl.reports.drain.model.Drain`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.group_advice import with_suggestions
from kschedctl.questions.heads import (
    adds_nodes,
    head_of,
    texts_of,
    unjudged,
    with_caveats_of_run,
)
from kschedctl.questions.inspectors import inspector
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.drain.build import drain_report
from kschedctl.reports.drain.model import Drain
from kschedctl.whatif.disruption.drain import drain as drain_nodes
from kschedctl.whatif.queue.effects import EffectsModel
from kschedctl.whatif.world.changes import Change


class DrainQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about nodes that are to go.

    Attributes:
        nodes: by name or label selector.
        changes: applied first, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        force: delete pods that nothing controls.
        preemption: whether pods may preempt.
        effects: what evictions do.
        timeline: tell what happened, in order.
    """

    nodes: Sequence[str]
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    force: bool = False
    preemption: bool = True
    effects: EffectsModel = EffectsModel.IN_FLIGHT
    timeline: bool = False


def drain(cluster: Cluster, question: DrainQuestion, *, observer: Observer = SILENT) -> Drain:
    """Whether nodes can go: evict their pods in waves as budgets allow, and place them elsewhere.

    Args:
        cluster: the cluster and its scheduler; not changed.
        question: what is asked.
        observer: is told the progress.

    Raises:
        UsageError: there is no such node.
    """
    head = head_of(cluster)
    plan = drain_nodes(
        cluster.session,
        replace(cluster.options, preemption=question.preemption, every_failure=False, score_single=False),
        question.nodes,
        force=question.force,
        changes=question.changes,
        tells=question.timeline,
        effects=question.effects,
        inspector=inspector(cluster, head, suggest=True),
        observer=observer,
    )
    effects = Effects(
        preempts=bool(plan.evictions),
        drains=any(drained.goes for drained in plan.pods),
        new_nodes=adds_nodes(question.changes),
        changes=True,
    )
    whys = unjudged(cluster, plan.session, plan.pending)
    head = with_caveats_of_run(head, cluster, plan, effects, whys)
    texts = texts_of(question.changes, question.change_texts)
    report = drain_report(plan, head, texts, list(whys), timeline=question.timeline)
    if all(group.satisfied for group in report.groups):
        return report
    return replace(report, groups=with_suggestions(report.groups, plan.tasks, plan.session, cluster))
