import pytest

from kschedctl.errors import UnsupportedError, UsageError
from kschedctl.framework.versions import (
    GATES,
    NEWEST,
    SUPPORTED,
    Version,
    feature_gates,
    parse_feature_gates,
    parse_version,
)


@pytest.mark.parametrize("text", ["1.36", "v1.36", "1.36.2", "v1.36.2-eks-1", "1.36+", " 1.36 "])
def test_a_version_is_known_by_its_minor(text: str) -> None:
    assert parse_version(text) is Version.V1_36


@pytest.mark.parametrize("text", ["1.35", "1.3", "1.360", "latest", "", "1"])
def test_a_version_that_is_not_verified_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        parse_version(text)
    assert text in caught.value.message
    assert caught.value.hint == "The verified versions are 1.34 and 1.36."


def test_the_newest_version_is_the_default() -> None:
    assert NEWEST is Version.V1_36
    assert SUPPORTED == (Version.V1_34, Version.V1_36)


@pytest.mark.parametrize(
    ("gate", "in_1_34", "in_1_36"),
    [
        ("DRAExtendedResource", False, True),
        ("DRADeviceTaintRules", False, False),
        ("DynamicResourceAllocation", True, True),
        ("GangScheduling", False, False),
        ("InPlacePodLevelResourcesVerticalScaling", False, True),
        ("NodeDeclaredFeatures", False, True),
        ("SchedulerAsyncAPICalls", True, False),
        ("StorageCapacityScoring", False, False),
        ("CSIMigrationPortworx", True, False),
    ],
)
def test_each_version_has_its_own_defaults(gate: str, in_1_34: bool, in_1_36: bool) -> None:
    assert feature_gates(Version.V1_34).enabled(gate) is in_1_34
    assert feature_gates(Version.V1_36).enabled(gate) is in_1_36


def test_an_override_is_the_only_change() -> None:
    gates = feature_gates(Version.V1_36, {"StorageCapacityScoring": True, "PodLevelResources": True})
    assert gates.changed == {"StorageCapacityScoring": True}
    assert len(gates) == len(GATES[Version.V1_36])


def test_gates_are_a_value() -> None:
    once, again = (feature_gates(Version.V1_36, {"PodLevelResources": False}) for _ in range(2))
    assert once == again
    assert hash(once) == hash(again)
    assert once != feature_gates(Version.V1_36)


def test_a_misspelt_name_in_the_code_is_no_silent_off() -> None:
    with pytest.raises(KeyError):
        feature_gates(Version.V1_36).enabled("StorageCapacityScorin")
    with pytest.raises(KeyError):
        feature_gates(Version.V1_34)["NodeDeclaredFeatures"]


@pytest.mark.parametrize(
    ("version", "overrides", "message"),
    [
        pytest.param(
            Version.V1_36,
            {"Nonsense": True},
            "feature gate 'Nonsense' is unknown, or none that a scheduling decision depends on",
            id="unknown",
        ),
        pytest.param(
            Version.V1_34,
            {"GangScheduling": True},
            "feature gate GangScheduling does not exist in kube-scheduler 1.34",
            id="only in the other version",
        ),
        pytest.param(
            Version.V1_36,
            {"DynamicResourceAllocation": False},
            "feature gate DynamicResourceAllocation is locked: it is always on in kube-scheduler 1.36",
            id="locked",
        ),
        pytest.param(
            Version.V1_36,
            {"GangScheduling": True},
            "feature gate GangScheduling needs GenericWorkload",
            id="needs another one",
        ),
        pytest.param(
            Version.V1_36,
            {"GenericWorkload": True, "WorkloadAwarePreemption": True},
            "feature gate WorkloadAwarePreemption needs GangScheduling",
            id="needs one in the middle",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    version: Version, overrides: dict[str, bool], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        feature_gates(version, overrides)
    assert caught.value.message == message


def test_a_locked_gate_may_be_set_to_what_it_is() -> None:
    gates = feature_gates(Version.V1_36, {"DynamicResourceAllocation": True})
    assert gates == feature_gates(Version.V1_36)


def test_a_gate_that_is_not_locked_in_the_older_version_can_be_changed_there() -> None:
    gates = feature_gates(Version.V1_34, {"DynamicResourceAllocation": False})
    assert not gates.enabled("DynamicResourceAllocation")


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("", {}),
        ("A=true", {"A": True}),
        ("A=true,B=False", {"A": True, "B": False}),
        (" A = true , ", {"A": True}),
        ("A=true,A=false", {"A": False}),
    ],
)
def test_gates_are_written_as_for_kube_scheduler(text: str, changes: dict[str, bool]) -> None:
    assert parse_feature_gates(text) == changes


@pytest.mark.parametrize("text", ["A", "A=", "=true", "A=1", "A=yes", "A=true=false"])
def test_a_badly_written_gate_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not of the form"):
        parse_feature_gates(text)
