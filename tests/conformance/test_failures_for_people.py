"""Asking every filter of every node, for people, changes no decision."""

from dataclasses import replace

import pytest

from kschedctl.admission.invalid import Invalid
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.run import GOLDEN
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.session import Session

FILES = [file for file in golden_files([]) if "dra" in file.category]


def events(scenario, *, every_failure):
    """What is said of each candidate; errors are left out, which end the asking where they are met."""
    gates = feature_gates(scenario.version, scenario.gates)
    configuration = load_configuration(scenario.config, scenario.version, gates)
    session = Session(scenario.objects, configuration, replace(GOLDEN, every_failure=every_failure))
    entered = [session.enter(pod) for pod in scenario.pods]
    decisions = [session.scheduler.decide(e, session.cluster) for e in entered if not isinstance(e, Invalid)]
    return [(d.outcome, d.event) for d in decisions if d.outcome is not Outcome.ERROR]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.category)
def test_events_are_the_same(file):
    for case in file.cases():
        alone = events(case.scenario, every_failure=False)
        assert events(case.scenario, every_failure=True) == alone, case.scenario.name
