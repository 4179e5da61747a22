"""A cluster after some changes, once what they set in motion has found its places."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedctl.objects.pod import Pod
from kschedctl.questions.cluster import Cluster
from kschedctl.questions.heads import texts_of
from kschedctl.questions.inspectors import newly_closed
from kschedctl.whatif.queue.simulator import Simulator
from kschedctl.whatif.simulate import Plan, changed_world, enter, pending_tasks
from kschedctl.whatif.world.changes import Change, Prioritize
from kschedctl.whatif.world.settled import settled_objects
from kschedctl.whatif.world.targets import is_there
from kschedctl.whatif.world.world import PodOrigin, World


def changed(
    cluster: Cluster,
    changes: Sequence[Change],
    change_texts: Sequence[str] | None = None,
    *,
    candidates: bool = False,
) -> Cluster:
    """The cluster with changes made, in order.

    Pods that a change displaces or asks for are scheduled first, daemons of new nodes among them; those that were
    pending before go on waiting.

    Args:
        cluster: as it is; not changed.
        changes: what is changed.
        change_texts: the changes in the words of whoever asks, for reports; None: in ours.
        candidates: whether manifests follow, in which may be pods and workloads whose priority is changed.

    Raises:
        UsageError: a change is about something that is not there.
    """
    if not changes:
        return cluster
    options = replace(cluster.options, every_failure=False, score_single=False)
    asked, texts = changes, tuple(texts_of(changes, change_texts))
    priorities = tuple(one for one in asked if isinstance(one, Prioritize)) if candidates else ()
    if priorities:
        before = World(cluster.objects)
        changes = [one for one in asked if one not in priorities or is_there(before, one.reference)]
    world = changed_world(cluster.objects, Plan(changes=changes))
    session = cluster.session.with_objects(world.objects, options)
    moved = [task for task in pending_tasks(session, world) if task.origin is not PodOrigin.PENDING]
    tasks = [*moved, *(enter(session, world, created) for created in world.created)]
    objects: Sequence[object] = world.objects
    if tasks:
        runner = Simulator(session, world.workload_of)
        runner.submit(tasks)
        runner.settle()
        runner.finish()
        settled = settled_objects(world, session.cluster)
        there = {(obj.namespace, obj.name) for obj in settled if isinstance(obj, Pod)}
        waiting = [pod for pod in world.all(Pod) if not pod.spec.node_name or pod.is_terminal]
        waiting += [created.pod for created in world.created if not created.pod.spec.node_name]
        fresh = {(pod.namespace, pod.name): pod for pod in waiting}
        objects = [*settled, *(pod for key, pod in fresh.items() if key not in there)]
    made: Cluster = replace(cluster, objects=objects, changes=texts, priorities=priorities)
    after = cluster.session.with_objects(made.objects, cluster.options)
    made = replace(made, closed=newly_closed(cluster.session.cluster, after.cluster))
    made.__dict__["session"] = after
    return made
