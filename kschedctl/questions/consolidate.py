"""Consolidation in Python: which nodes can go.

    from kschedctl import Cluster, ConsolidationQuestion, consolidate

    answer = consolidate(Cluster.load("prod.json.gz"), ConsolidationQuestion(catalogue="catalogue.yaml"))
    for node in answer.nodes:
        print(node.name, node.pods, node.saved)

The answer is `kschedctl.reports.consolidation.model.Consolidation`, the same that `-o json` prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from kschedctl.observer import SILENT, Observer
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import adds_nodes, head_of, texts_of, with_caveats_of_run
from kschedctl.questions.manifests import read_manifests
from kschedctl.reports.caveats.kinds_read import Effects
from kschedctl.reports.consolidation.build import consolidation_report
from kschedctl.reports.consolidation.model import Consolidation
from kschedctl.reports.simulate.build import explainer
from kschedctl.whatif.capacity.headroom import Headroom, check_resources
from kschedctl.whatif.fleet.catalogue import load_catalogue
from kschedctl.whatif.fleet.consolidation import MOST_WALKS, ConsolidationWish
from kschedctl.whatif.fleet.consolidation import consolidate as shrink
from kschedctl.whatif.fleet.failures import Survival
from kschedctl.whatif.fleet.models import check_models
from kschedctl.whatif.simulate import Plan
from kschedctl.whatif.world.changes import Change
from kschedctl.whatif.world.world import World


class ConsolidationQuestion(Struct, frozen=True, kw_only=True):
    """What is asked about nodes that might go.

    Attributes:
        catalogue: the file with the shapes of nodes and their prices; `-`: the stream; None: every node counts as one.
        manifests: what is to run besides: files, directories and, for `-`, the stream.
        changes: applied after the manifests, in order.
        change_texts: the changes in the words of whoever asks, for the report; None: in ours.
        keep: nodes that stay, by name or selector.
        headroom: kept free on every node.
        survive_nodes: so many nodes may fail at once, in the end.
        survive_zones: so many zones may fail at once, in the end.
        most_walks: so many ways through the nodes are tried at most.
        namespace: of objects of manifests that state none.
    """

    catalogue: str | None = None
    manifests: Sequence[str] = ()
    changes: Sequence[Change] = ()
    change_texts: Sequence[str] | None = None
    keep: Sequence[str] = ()
    headroom: Sequence[Headroom] = ()
    survive_nodes: int = 0
    survive_zones: int = 0
    most_walks: int = MOST_WALKS
    namespace: str | None = None


def consolidate(
    cluster: Cluster,
    question: ConsolidationQuestion,
    *,
    stdin: BinaryIO | None = None,
    observer: Observer = SILENT,
) -> Consolidation:
    """Which nodes can go, in which order, so that everything still fits and disruption budgets hold.

    Args:
        cluster: the cluster and its scheduler; not changed.
        question: what is asked.
        stdin: the stream.
        observer: is told how many nodes were tried.

    Raises:
        UsageError: HiGHS is not installed; a change, a shape or a node to keep is not there; no node has what is to be
            kept free.
        InputError: the catalogue or manifests cannot be used.
    """
    catalogue = None if question.catalogue is None else load_catalogue(question.catalogue, stdin)
    release = read_manifests(
        cluster, question.manifests, namespace=question.namespace, stdin=stdin, observer=observer
    )
    if catalogue is not None and not question.changes:  # which may bring the nodes that shapes are copies of
        check_models(catalogue, World(cluster.objects))
    check_resources(question.headroom, cluster.session.cluster.nodes.objects)
    wish = ConsolidationWish(
        Plan(release.objects, changes=question.changes),
        question.headroom,
        () if catalogue is None else catalogue.shapes,
        question.keep,
        Survival(question.survive_nodes, question.survive_zones),
        question.most_walks,
    )
    head = head_of(cluster, release)
    options = replace(cluster.options, every_failure=False, score_single=False)
    shrunk = shrink(cluster.session, options, wish, explainer(head, every_failure=True), observer)
    run = shrunk.drains[0] if shrunk.drains else shrunk.found
    effects = Effects(
        preempts=bool(run.evictions),
        drains=True,
        new_nodes=adds_nodes(question.changes),
        changes=True,
    )
    return consolidation_report(
        shrunk,
        wish,
        with_caveats_of_run(head, cluster, run, effects),
        path=question.catalogue,
        priced=catalogue is not None and catalogue.priced,
        changes=texts_of(question.changes, question.change_texts),
    )
