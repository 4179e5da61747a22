"""Plans in Python: which nodes to buy.

    from kschedctl import Cluster, PlanQuestion, plan

    answer = plan(Cluster.load("prod.json.gz"), PlanQuestion(catalogue="catalogue.yaml", manifests=["release/"]))
    for bought in answer.nodes:
        print(bought.count, bought.shape, bought.zone, bought.cost)

The answer is `kschedctl.reports.plan.model.NodePlan`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.objects.apps import DaemonSet
from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import adds_nodes, head_of, texts_of, with_caveats_of_run
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.plan.build import plan_report
from kschedctl.reports.plan.model import NodePlan
from kschedctl.reports.simulate.build import explainer
from kschedctl.whatif.capacity.headroom import Headroom, check_resources
from kschedctl.whatif.fleet.catalogue import load_catalogue
from kschedctl.whatif.fleet.mix import cheapest_fleet
from kschedctl.whatif.fleet.models import check_models
from kschedctl.whatif.fleet.wish import Wish
from kschedctl.whatif.simulate import Plan as Changed
from kschedctl.whatif.world.changes import Change
from kschedctl.whatif.world.world import World


class PlanQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about nodes that might be bought.

    Attributes:
        catalogue: the file with the shapes; `-`: the stream.
        manifests: files, directories and, for `-`, the stream.
        changes: applied after the manifests, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        headroom: kept free on every node.
        survive_nodes: so many nodes may fail at once.
        survive_zones: so many zones may fail at once.
        max_cost: what everything may cost for an hour; None: anything.
        most_trials: so many mixes are simulated at most.
        namespace: of objects of manifests that state none.
    """

    catalogue: str
    manifests: Sequence[str] = ()
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    headroom: Sequence[Headroom] = ()
    survive_nodes: int = 0
    survive_zones: int = 0
    max_cost: float | None = None
    most_trials: int = 200
    namespace: str | None = None


def plan(
    cluster: Cluster, question: PlanQuestion, *, stdin: BinaryIO | None = None, observer: Observer = SILENT
) -> NodePlan:
    """The cheapest nodes with which everything pending and everything in manifests finds a node.

    Args:
        cluster: the cluster and its scheduler; not changed.
        question: what is asked.
        stdin: the stream.
        observer: is told how many mixes were simulated.

    Raises:
        UsageError: HiGHS is not installed; a change or a shape is about something that is not there; no node has what
            is to be kept free.
        InputError: the catalogue or manifests cannot be used.
    """
    catalogue = load_catalogue(question.catalogue, stdin)
    release = read_manifests(
        cluster, question.manifests, namespace=question.namespace, stdin=stdin, observer=observer
    )
    if not question.changes:  # which may bring the nodes that shapes are copies of
        check_models(catalogue, World(cluster.objects))
    templates = [shape.template for shape in catalogue.shapes if shape.template is not None]
    check_resources(question.headroom, [*cluster.session.cluster.nodes.objects, *templates])
    first_daemons = sorted(release.objects, key=lambda obj: not isinstance(obj, DaemonSet))
    wish = Wish(
        Changed(first_daemons, changes=question.changes),
        catalogue.shapes,
        question.headroom,
        question.survive_nodes,
        question.survive_zones,
        question.most_trials,
    )
    head = head_of(cluster, release)
    options = replace(cluster.options, every_failure=False, score_single=False)
    fleet = cheapest_fleet(cluster.session, options, wish, explainer(head, every_failure=True), observer)
    found = fleet.found
    effects = Effects(
        preempts=bool(found.evictions),
        new_nodes=adds_nodes(question.changes) or bool(templates),
        changes=True,
    )
    return plan_report(
        fleet,
        wish,
        catalogue,
        with_caveats_of_run(head, cluster, found, effects),
        path=question.catalogue,
        max_cost=question.max_cost,
        changes=texts_of(question.changes, question.change_texts),
    )
