"""What is told to people beside the decision: it changes no decision, and explains what was decided."""

import numpy as np
import pytest
from msgspec.structs import replace

from kschedctl.admission.invalid import Invalid
from kschedctl.conformance.golden_files import golden_files
from kschedctl.conformance.run import GOLDEN
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.versions import feature_gates
from kschedctl.plugins.registry import IN_TREE
from kschedctl.scheduling.decision import Outcome
from kschedctl.whatif.session import Session

FILES = golden_files([])
WITH_DEVICES = [file for file in FILES if "dra" in file.category]


def decisions(scenario, *, every_failure):
    """The decision for each candidate alone; errors are left out, which end the asking where they are met."""
    gates = feature_gates(scenario.version, scenario.gates)
    configuration = load_configuration(scenario.config, scenario.version, gates, IN_TREE)
    session = Session(scenario.objects, configuration, replace(GOLDEN, every_failure=every_failure))
    entered = [session.enter(pod) for pod in scenario.pods]
    made = [session.scheduler.decide(e, session.cluster) for e in entered if not isinstance(e, Invalid)]
    return [decision for decision in made if decision.outcome is not Outcome.ERROR]


def decided(file):
    """The cases in which kube-scheduler decides: not those in which it does not start or ends in a panic."""
    return [case for case in file.cases() if case.expected is not None]


def events(scenario, *, every_failure):
    return [(d.outcome, d.event) for d in decisions(scenario, every_failure=every_failure)]


@pytest.mark.parametrize("file", WITH_DEVICES, ids=lambda file: file.category)
def test_events_are_the_same_whoever_is_asked(file):
    for case in decided(file):
        alone = events(case.scenario, every_failure=False)
        assert events(case.scenario, every_failure=True) == alone, case.scenario.name


STOPS_AT_ITS_FIRST_REASON = {"InterPodAffinity", "PodTopologySpread"}
"""They give one reason and details of what else is against a node."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.category)
def test_details_explain_the_reasons_that_were_given_and_no_others(file):
    for case in decided(file):
        for decision in decisions(case.scenario, every_failure=True):
            if decision.examined is None:
                continue
            for row in np.flatnonzero(decision.examined):
                given = {(f.plugin, reason) for f in decision.failures_of(row) for reason in f.reasons}
                told = {(detail.plugin, detail.reason) for detail in decision.details_of(row)}
                assert given <= told, case.scenario.name
                more = {plugin for plugin, _ in told - given}
                assert more <= STOPS_AT_ITS_FIRST_REASON & {plugin for plugin, _ in given}, case.scenario.name
