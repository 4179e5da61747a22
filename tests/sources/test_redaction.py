"""The same decisions under other names."""

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from kschedctl.conformance.run import replay
from kschedctl.conformance.scenario import GoldenCase, GoldenScenario
from kschedctl.objects.pod import Pod
from kschedctl.sources.redaction import redact_names
from kschedctl.sources.reduction import reduced
from kschedctl.sources.snapshot import Header, Snapshot

from .golden import CATEGORIES, some_cases

NO_NAMES = re.compile(r'"(?:apiVersion|uid)":"[^"]*"')
"""Fields that hold no names, but may hold what is also a name: `v1`."""


def redacted_scenario(scenario: GoldenScenario) -> tuple[GoldenScenario, Mapping[str, str]]:
    """The scenario with cluster and candidates under other names, cut down to what a snapshot holds."""
    kept = map(reduced, (*scenario.objects, *scenario.pods))
    redacted = redact_names(Snapshot(Header(), list(kept)))
    objects = redacted.snapshot.objects
    count = len(objects) - len(scenario.pods)
    pods = tuple(obj for obj in objects[count:] if isinstance(obj, Pod))
    replaced = {name: token for token, name in redacted.originals.items() if token.startswith("text")}
    config = None if scenario.config is None else with_schedulers(scenario.config, replaced)
    return replace(scenario, objects=tuple(objects[:count]), pods=pods, config=config), redacted.originals


def with_schedulers(config: Mapping[str, Any], replaced: Mapping[str, str]) -> Mapping[str, Any]:
    """The configuration, which is no part of a snapshot, with the schedulers that pods name under their new names."""
    profiles = [
        profile | {"schedulerName": replaced.get(name, name)}
        for profile in config.get("profiles") or ()
        for name in [profile.get("schedulerName", "default-scheduler")]
    ]
    return {**config, "profiles": profiles} if profiles else config


def with_originals(results: Any, originals: Mapping[str, str]) -> Any:
    if not originals:
        return results
    longest_first = sorted(originals, key=len, reverse=True)
    tokens = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")
    return json.loads(tokens.sub(lambda match: originals[match[0]], json.dumps(results)))


def is_about_names(case: GoldenCase) -> bool:
    """Whether a case depends on something outside the cluster."""
    return bool(case.scenario.extender_replies or case.scenario.time) or any(
        word in str(case.scenario.config) for word in ("addedAffinity", "labelSelector")
    )


def names_come_from_outside(category: str) -> bool:
    """Whether a timeline or the replies of extenders name objects of the cluster."""
    scenario = next(some_cases(category, 1)).scenario
    return scenario is None or scenario.time is not None or bool(scenario.extender_replies)


WITHIN = [category for category in CATEGORIES if not names_come_from_outside(category)]


@pytest.mark.parametrize("category", WITHIN)
def test_decisions_are_the_same(category):
    compared = 0
    for case in some_cases(category, 40):
        if is_about_names(case):
            continue
        other, originals = redacted_scenario(case.scenario)
        assert with_originals(replay(other), originals) == json.loads(json.dumps(replay(case.scenario))), (
            case.scenario.name
        )
        compared += 1
    assert compared >= (1 if category == "bigseq" else 5)  # of which a few large ones are at hand


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_name_is_left(category):
    for case in some_cases(category, 10):
        other, originals = redacted_scenario(case.scenario)
        text = " ".join(msgspec.json.encode(obj).decode() for obj in (*other.objects, *other.pods))
        text = NO_NAMES.sub("", text)
        for obj in (*case.scenario.objects, *case.scenario.pods):
            if obj.kind in ("Node", "Pod", "PersistentVolume"):
                assert f'"{obj.name}"' not in text, case.scenario.name
        assert originals
