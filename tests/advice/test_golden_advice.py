"""Suggestions for every pod of the shipped cases that fits nowhere: how many get one, and that all of them hold."""

from __future__ import annotations

import gzip
import json
from importlib.resources import files

import msgspec
import pytest
from advice_scratch import holds, typed

from kschedctl.admission.invalid import Invalid
from kschedctl.advice.search import suggestions
from kschedctl.conformance.run import RECORDED_AT
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.framework.versions.v1_36 import VERSION
from kschedctl.objects.pod import Pod
from kschedctl.objects.written import with_written
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Outcome
from kschedctl.scheduling.options import SchedulingOptions
from kschedctl.whatif.judgement.explain import judging
from kschedctl.whatif.session import Session

_FILES = ("node", "resources", "topology", "affinity", "volumes", "limits", "dra")
_SHARE = 0.95


def _scenarios(name):
    data = files("kschedctl.conformance").joinpath("golden", f"{name}.jsonl.gz").read_bytes()
    for line in gzip.decompress(data).splitlines():
        scenario = json.loads(line)["scenario"]
        if not scenario.get("simulate"):
            yield scenario


def _session(scenario):
    gates = feature_gates(VERSION, scenario.get("featureGates") or {})
    configuration = load_configuration(scenario.get("config"), VERSION, gates, IN_TREE)
    options = SchedulingOptions(every_failure=True)
    objects = [typed(obj) for obj in scenario["objects"]]
    return Session(objects, configuration, options, missing_classes_refuse=False, looked_at=RECORDED_AT)


@pytest.fixture(scope="module")
def suggested():
    """`(scenario, pod, suggestions)` for every candidate that fits nowhere, by file."""
    found = {}
    for name in _FILES:
        found[name] = []
        for scenario in _scenarios(name):
            session = _session(scenario)
            for data in scenario["pods"]:
                pod = with_written(msgspec.convert(data, Pod), data)
                with judging(session, pod) as decision:
                    if not isinstance(decision, Invalid) and decision.outcome is Outcome.UNSCHEDULABLE:
                        made = suggestions(session, pod, decision)
                        found[name].append((scenario, data, session, made))
    return found


@pytest.mark.parametrize("name", _FILES)
def test_every_suggestion_holds_when_it_is_made_in_the_manifests(suggested, name):
    broken = [
        f"{scenario['name']} {pod['metadata']['name']}: {one.text}"
        for scenario, pod, session, made in suggested[name]
        for one in made
        if not holds(scenario["objects"], pod, one, session)
    ]
    assert not broken
    assert any(made for *_, made in suggested[name])


@pytest.mark.parametrize("name", _FILES)
def test_nearly_every_pod_gets_one(suggested, name):
    pods = [made for *_, made in suggested[name]]
    assert sum(map(bool, pods)) >= _SHARE * len(pods)
