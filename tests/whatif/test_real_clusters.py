"""Releases and drains that real control planes carried out: what runs at the end, and what waits.

Which of equal nodes, and which of equal replicas a controller removes, is chance there: nodes are compared as counts.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from builders import session

from kschedctl.framework.versions import version_of
from kschedctl.objects.pod import Pod
from kschedctl.scheduling.options import Sampling, SchedulingOptions, TieBreak
from kschedctl.sources.load import load
from kschedctl.whatif.disruption.drain import drain
from kschedctl.whatif.queue.task import Task
from kschedctl.whatif.session import Session
from kschedctl.whatif.simulate import Plan, simulate
from kschedctl.whatif.world.change_forms import RolloutMode

SHARED = Path(__file__).parents[3] / "shared"
FOLDERS: Final = {"controllers": "1.36", "controllers-1.37": "1.37"}
OPTIONS = SchedulingOptions(tie_break=TieBreak.UPSTREAM, sampling=Sampling.UPSTREAM)
CASES = [
    pytest.param(path, version, id=f"{version} {path.name}")
    for folder, version in FOLDERS.items()
    for path in sorted((SHARED / folder).glob("*"))
    if path.is_dir()
]
BY_CHANCE: Final = {
    "1.36 ds_surge": "which node gets its new daemon first, of which only some have room",
    "1.37 ds_surge": "the same",
    "1.37 drain_job": "how many pods of the job had ended; it differs from run to run",
    "1.37 preempt_scale": "which of equal nodes a preemptor chooses",
}
"""What ends otherwise, and why."""

Ends = dict[str, tuple[int, int, Counter[str], list[int]]]
"""App -> pods placed, pods pending, image/cpu -> pods, how many pods the nodes have, most first."""


def really(after: Any) -> Ends:
    return {
        app: (
            found["placed"],
            found["pending"],
            Counter(found["imgs"]),
            sorted(found["nodes"].values(), reverse=True),
        )
        for app, found in after.items()
    }


def image(pod: Pod) -> str:
    (container, *_) = pod.spec.containers
    return f"{container.image}/{container.resources.requests['cpu']}"


def ends(tasks: Sequence[Task], at_end: Session) -> Ends:
    cluster = at_end.cluster
    placed = [record for record in cluster.pods.records if cluster.pods.node[record.id] >= 0]
    waiting = [task.pod for task in tasks if task.pending]
    apps = {record.pod.labels["app"] for record in placed} | {pod.metadata.labels["app"] for pod in waiting}
    found: Ends = {}
    for app in sorted(apps):
        on = [record for record in placed if record.pod.labels["app"] == app]
        off = [pod for pod in waiting if pod.metadata.labels["app"] == app]
        pods = [Pod("v1", "Pod", record.pod.metadata, record.pod.spec, record.pod.status) for record in on]
        nodes = Counter(int(cluster.pods.node[record.id]) for record in on)
        counts = sorted(nodes.values(), reverse=True)
        found[app] = (len(on), len(off), Counter(map(image, [*pods, *off])), counts)
    return found


@pytest.mark.skipif(not CASES, reason="what real clusters did is not at hand")
@pytest.mark.parametrize(("path", "version"), CASES)
def test_what_a_real_cluster_did(path, version):
    real = json.loads((path / "real.json").read_text())
    loaded = session(load([str(path / "cluster.json")]).objects, version=version_of(version))
    if "drained" in real:
        plan = drain(loaded, OPTIONS, real["drained"])
        found = ends(plan.tasks, plan.session)
    else:
        release = load([str(path / "release.json")]).objects
        result = simulate(loaded, OPTIONS, Plan(release, RolloutMode.ROLLING))
        found = ends(result.tasks, result.session)
    assert (found == really(real["after"])) == (f"{version} {path.name}" not in BY_CHANCE)
