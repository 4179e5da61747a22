"""Rounds of a real control plane, replayed: where its pods are at the end, who was preempted, and what it said."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from builders import session

from kschedctl.framework.versions import version_of
from kschedctl.run.run import Run
from kschedctl.run.story import Happening
from kschedctl.scheduling.options import Sampling, TieBreak
from kschedctl.sources.load import load

LIVE = Path(__file__).parents[3] / "shared" / "live"
FILES: Final = {"rounds": "1.36", "rounds-1.35": "1.35", "rounds-1.37": "1.37"}

SLOW: Final = {
    "1.35 crowd-3",
    "1.36 crowd-2",
    "1.36 crowd-43",
    "1.37 crowd-3",
    "1.37 crowd-40",
    "1.37 gang-crowd-3",
    "1.37 tight-5",
}
"""Rounds in which victims were gone only once nothing else was left to be decided, and not at once."""
END_OTHERWISE: Final = {
    "1.35 crowd-1": "some victims were gone at once, others later",
    "1.36 crowd-6": "the same",
    "1.36 mixed-24-rtcr": "the same",
    "1.36 tight-52": "the same",
    "1.37 gang-victimall-1": "one of several equal candidates for preemption is drawn",
    "1.37 topo-preempt-1": "one of several equal placements is drawn",
    "1.37 topo-zone-1": "the same",
    "1.36 deploys-13-nospreadpack": "decided as without OpportunisticBatching, nobody knows why",
}
SAY_OTHERWISE: Final = {"1.37 crowd-5", "1.37 tight-51"}
"""The same, and all pods end alike."""
GRACE: Final = '"terminationGracePeriodSeconds": '


def rounds() -> Iterator[Any]:
    for name, version in FILES.items():
        path = LIVE / f"{name}.jsonl.gz"
        if path.is_file():
            with gzip.open(path, "rt") as lines:
                for data in map(json.loads, lines):
                    yield pytest.param(version, data, id=f"{version} {data['name']}")


def replayed(version: str, data: Any, tmp_path: Path) -> Run:
    path = tmp_path / "cluster.json"
    text = json.dumps(data["cluster"])
    slow = f"{version} {data['name']}" in SLOW
    path.write_text(text.replace(f"{GRACE}0", f"{GRACE}1") if slow else text)
    found = session(
        load([str(path)]).objects,
        config=data["config"],
        version=version_of(version),
        gates=data.get("featureGates"),
        tie_break=TieBreak.UPSTREAM,
        sampling=Sampling.UPSTREAM,
        score_single=False,
    )
    run = Run(found.cluster, found.scheduler)
    run.run()
    return run


def first_failures(run: Run) -> dict[str, str]:
    failures: dict[str, str] = {}
    for event in run.story.events:
        if event.happening is Happening.FAILED:
            failures.setdefault(event.pod, event.message)
    return failures


@pytest.mark.skipif(not LIVE.is_dir(), reason="the rounds are not at hand")
@pytest.mark.parametrize(("version", "data"), list(rounds()))
def test_pods_end_where_they_did(version, data, tmp_path):
    run, real = replayed(version, data, tmp_path), data["real"]
    name = f"{version} {data['name']}"
    at_end = {key: pod.node_name or None for key, pod in run.api.pods.items()}
    assert (at_end == {key: pod["node"] for key, pod in real["pods"].items()}) == (name not in END_OTHERWISE)
    told = {
        key: next((text for kind, text in events if kind == "FailedScheduling"), None)
        for key, events in real["events"].items()
    }
    said = first_failures(run)
    otherwise = any(told[key] != said.get(key) for key in told.keys() & real["pods"].keys() if told[key])
    assert name in END_OTHERWISE or otherwise == (name in SAY_OTHERWISE)
