import pytest

from kschedctl.errors import UsageError
from kschedctl.framework.versions import Version, feature_gates, parse_feature_gates
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37


@pytest.mark.parametrize(
    ("gate", "in_1_34", "in_1_36"),
    [
        ("DRAExtendedResource", False, True),
        ("DRADeviceTaintRules", False, False),
        ("DynamicResourceAllocation", True, True),
        ("GangScheduling", False, False),
        ("InPlacePodLevelResourcesVerticalScaling", False, True),
        ("NodeDeclaredFeatures", False, True),
        ("SchedulerAsyncAPICalls", False, False),
        ("StorageCapacityScoring", False, False),
        ("CSIMigrationPortworx", True, False),
    ],
)
def test_each_version_has_its_own_defaults(gate: str, in_1_34: bool, in_1_36: bool) -> None:
    assert feature_gates(V1_34).enabled(gate) is in_1_34
    assert feature_gates(V1_36).enabled(gate) is in_1_36


def test_an_override_is_the_only_change() -> None:
    gates = feature_gates(V1_36, {"StorageCapacityScoring": True, "PodLevelResources": True})
    assert gates.changed == {"StorageCapacityScoring": True}
    assert len(gates) == len(V1_36.gates)


def test_gates_are_a_value() -> None:
    once, again = (feature_gates(V1_36, {"DRASchedulerFilterTimeout": False}) for _ in range(2))
    assert once == again
    assert hash(once) == hash(again)
    assert once != feature_gates(V1_36)


def test_a_misspelt_name_in_the_code_is_no_silent_off() -> None:
    with pytest.raises(KeyError):
        feature_gates(V1_36).enabled("StorageCapacityScorin")
    with pytest.raises(KeyError):
        feature_gates(V1_34)["NodeDeclaredFeatures"]


@pytest.mark.parametrize(
    ("version", "overrides", "message"),
    [
        pytest.param(
            V1_36,
            {"Nonsense": True},
            "feature gate 'Nonsense' is unknown, or none that a scheduling decision depends on",
            id="unknown",
        ),
        pytest.param(
            V1_34,
            {"GangScheduling": True},
            "feature gate GangScheduling does not exist in kube-scheduler 1.34",
            id="only in the other version",
        ),
        pytest.param(
            V1_36,
            {"DynamicResourceAllocation": False},
            "feature gate DynamicResourceAllocation is locked: it is always on in kube-scheduler 1.36",
            id="locked",
        ),
        pytest.param(
            V1_36,
            {"GangScheduling": True},
            "GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]",
            id="needs another one",
        ),
        pytest.param(
            V1_36,
            {"DRAResourceClaimDeviceStatus": False, "DRAResourceClaimGranularStatusAuthorization": False},
            "DRADeviceBindingConditions is enabled, but depends on features that are disabled: "
            "[DRAResourceClaimDeviceStatus]",
            id="one that is on by default loses what it needs",
        ),
        pytest.param(
            V1_36,
            {"MatchLabelKeysInPodTopologySpread": False, "DRAPrioritizedList": False, "ImageVolume": True}
            | {"GenericWorkload": True, "WorkloadAwarePreemption": True},
            "[MatchLabelKeysInPodTopologySpreadSelectorMerge is enabled, but depends on features that are "
            "disabled: [MatchLabelKeysInPodTopologySpread], WorkloadAwarePreemption is enabled, but depends on "
            "features that are disabled: [GangScheduling]]",
            id="several",
        ),
        pytest.param(
            V1_37,
            {"DRADeviceTaints": False},
            "DRADeviceTaintRules is enabled, but depends on features that are disabled: [DRADeviceTaints]",
            id="only in the newest",
        ),
    ],
)
def test_a_change_that_cannot_be_is_refused(
    version: Version, overrides: dict[str, bool], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        feature_gates(version, overrides)
    assert caught.value.message == message


def test_the_oldest_version_looks_at_no_needs() -> None:
    gates = feature_gates(V1_34, {"MatchLabelKeysInPodTopologySpread": False})
    assert gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge")


def test_a_locked_gate_may_be_set_to_what_it_is() -> None:
    gates = feature_gates(V1_36, {"DynamicResourceAllocation": True})
    assert gates == feature_gates(V1_36)


def test_a_gate_that_is_not_locked_in_the_older_version_can_be_changed_there() -> None:
    gates = feature_gates(V1_34, {"DynamicResourceAllocation": False})
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


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("StorageCapacityScorng", "Did you mean StorageCapacityScoring?", id="misspelt"),
        pytest.param("Nonsense", "The known ones are AtomicWriteVolumeUserFields, ", id="unlike any"),
    ],
)
def test_a_gate_that_was_probably_meant(name, hint):
    with pytest.raises(UsageError) as caught:
        feature_gates(V1_37, {name: True})
    assert (caught.value.hint or "").startswith(hint)
