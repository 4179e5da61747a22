"""The versions of kube-scheduler whose decisions are verified, and their feature gates (spec 01 §13)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final

from kschedctl.errors import UnsupportedError, UsageError


class Version(StrEnum):
    """A minor version of kube-scheduler that the golden decisions cover."""

    V1_34 = "1.34"
    V1_36 = "1.36"


SUPPORTED: Final = tuple(Version)
NEWEST: Final = SUPPORTED[-1]

_VERSION = re.compile(r"v?(\d+\.\d+)(?:[.+-].*)?")


def parse_version(text: str) -> Version:
    """The version named by a text such as `1.36`, `v1.36.2` or `v1.34.1-eks-1`; the patch is not looked at.

    Raises:
        UnsupportedError: decisions of that version are not verified, or the text names none.
    """
    match = _VERSION.fullmatch(text.strip())
    if match and match[1] in SUPPORTED:
        return Version(match[1])
    raise UnsupportedError(
        f"Kubernetes version {text!r} is not verified",
        hint=f"The verified versions are {' and '.join(SUPPORTED)}.",
    )


class Stage(Enum):
    """How far a gate has come."""

    ALPHA = "alpha"
    BETA = "beta"
    GA = "ga"


@dataclass(frozen=True, slots=True)
class Gate:
    """One feature gate in one version."""

    default: bool
    stage: Stage
    locked: bool = False
    """Whether the default cannot be changed."""


_OFF_ALPHA: Final = Gate(False, Stage.ALPHA)
_OFF_BETA: Final = Gate(False, Stage.BETA)
_ON_BETA: Final = Gate(True, Stage.BETA)
_ON_GA: Final = Gate(True, Stage.GA)
_LOCKED: Final = Gate(True, Stage.GA, locked=True)

# Gate: 1.34, 1.36; None where the version does not know it.
_TABLE: Final[Mapping[str, tuple[Gate | None, Gate | None]]] = {
    "CSIMigrationPortworx": (_LOCKED, None),
    "ClearingNominatedNodeNameAfterBinding": (_OFF_ALPHA, _ON_BETA),
    "DRAAdminAccess": (_ON_BETA, _LOCKED),
    "DRAConsumableCapacity": (_OFF_ALPHA, _ON_BETA),
    "DRADeviceBindingConditions": (_OFF_ALPHA, _ON_BETA),
    "DRADeviceTaintRules": (None, _OFF_BETA),
    "DRADeviceTaints": (_OFF_ALPHA, _ON_BETA),
    "DRAExtendedResource": (_OFF_ALPHA, _ON_BETA),
    "DRAListTypeAttributes": (None, _OFF_ALPHA),
    "DRANodeAllocatableResources": (None, _OFF_ALPHA),
    "DRAPartitionableDevices": (_OFF_ALPHA, _ON_BETA),
    "DRAPrioritizedList": (_ON_BETA, _ON_GA),
    "DRAResourceClaimDeviceStatus": (_ON_BETA, _ON_BETA),
    "DRASchedulerFilterTimeout": (_ON_BETA, _ON_BETA),
    "DRAWorkloadResourceClaims": (None, _OFF_ALPHA),
    "DynamicResourceAllocation": (_ON_GA, _LOCKED),
    "GangScheduling": (None, _OFF_ALPHA),
    "GenericWorkload": (None, _OFF_ALPHA),
    "InPlacePodLevelResourcesVerticalScaling": (None, _ON_BETA),
    "InPlacePodVerticalScaling": (_ON_BETA, _LOCKED),
    "MatchLabelKeysInPodAffinity": (_LOCKED, _LOCKED),
    "MatchLabelKeysInPodTopologySpread": (_ON_BETA, _ON_BETA),
    "MatchLabelKeysInPodTopologySpreadSelectorMerge": (_ON_BETA, _ON_BETA),
    "MutableCSINodeAllocatableCount": (_OFF_BETA, _LOCKED),
    "NodeDeclaredFeatures": (None, _ON_BETA),
    "NodeInclusionPolicyInPodTopologySpread": (_LOCKED, _LOCKED),
    "NominatedNodeNameForExpectation": (_OFF_ALPHA, _ON_BETA),
    "OpportunisticBatching": (None, _ON_BETA),
    "PodLevelResources": (_ON_BETA, _ON_BETA),
    "PodSchedulingReadiness": (_LOCKED, _LOCKED),
    "SchedulerAsyncAPICalls": (_ON_BETA, _OFF_BETA),
    "SchedulerAsyncPreemption": (_ON_BETA, _ON_BETA),
    "SchedulerPopFromBackoffQ": (_ON_BETA, _ON_BETA),
    "SchedulerQueueingHints": (_LOCKED, _LOCKED),
    "SidecarContainers": (_LOCKED, _LOCKED),
    "StorageCapacityScoring": (_OFF_ALPHA, _OFF_ALPHA),
    "TaintTolerationComparisonOperators": (None, _OFF_ALPHA),
    "TopologyAwareWorkloadScheduling": (None, _OFF_ALPHA),
    "UserNamespacesHostNetworkSupport": (None, _OFF_ALPHA),
    "VolumeAttributesClass": (_ON_GA, _LOCKED),
    "VolumeLimitScaling": (None, _OFF_ALPHA),
    "WorkloadAwarePreemption": (None, _OFF_ALPHA),
}

GATES: Final[Mapping[Version, Mapping[str, Gate]]] = MappingProxyType(
    {
        version: MappingProxyType({name: gate for name, row in _TABLE.items() if (gate := row[column])})
        for column, version in enumerate(SUPPORTED)
    }
)
"""The gates that each version knows, of those that can touch a decision."""

_NEEDS: Final[Mapping[str, str]] = {
    "DRAWorkloadResourceClaims": "GenericWorkload",
    "GangScheduling": "GenericWorkload",
    "MatchLabelKeysInPodTopologySpreadSelectorMerge": "MatchLabelKeysInPodTopologySpread",
    "TopologyAwareWorkloadScheduling": "GenericWorkload",
    "WorkloadAwarePreemption": "GangScheduling",
}


@dataclass(frozen=True, slots=True)
class FeatureGates(Mapping[str, bool]):
    """What every gate of one version is set to; hashable, equal for equal settings.

    `gates[name]` fails for a gate that the version does not know; `enabled(name)` says False for it.
    """

    version: Version
    on: frozenset[str]

    def __getitem__(self, name: str) -> bool:
        if name not in GATES[self.version]:
            raise KeyError(name)
        return name in self.on

    def __iter__(self) -> Iterator[str]:
        return iter(GATES[self.version])

    def __len__(self) -> int:
        return len(GATES[self.version])

    def enabled(self, name: str) -> bool:
        """Whether a gate is on; a gate that only the other version knows is off.

        Raises:
            KeyError: no version knows the gate.
        """
        if name not in _TABLE:
            raise KeyError(name)
        return name in self.on

    @property
    def changed(self) -> dict[str, bool]:
        """The gates that differ from the defaults of the version."""
        return {name: self[name] for name, gate in GATES[self.version].items() if self[name] != gate.default}


def feature_gates(version: Version, overrides: Mapping[str, bool] = MappingProxyType({})) -> FeatureGates:
    """The gates of a version: its defaults, changed by `overrides`.

    Raises:
        UsageError: the version does not know a gate, a gate is locked, or one is switched on without
            another one that it needs.
    """
    known = GATES[version]
    for name, value in overrides.items():
        _check_change(version, name, value)
    on = frozenset(name for name, gate in known.items() if overrides.get(name, gate.default))
    for name, needed in _NEEDS.items():
        if overrides.get(name) and needed not in on:
            raise UsageError(f"feature gate {name} needs {needed}", hint=f"Set {needed}=true as well.")
    return FeatureGates(version, on)


def parse_feature_gates(text: str) -> dict[str, bool]:
    """The changes written as `A=true,B=false`, the form of kube-scheduler's own flag; the last one counts.

    Raises:
        UsageError: an entry is not of the form `Name=true` or `Name=false`.
    """
    changes = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not name or not equals or value.lower() not in ("true", "false"):
            raise UsageError(
                f"feature gate {entry!r} is not of the form Name=true or Name=false",
                hint="Write several gates with commas between them: A=true,B=false.",
            )
        changes[name] = value.lower() == "true"
    return changes


def _check_change(version: Version, name: str, value: bool) -> None:
    gate = GATES[version].get(name)
    if gate is None:
        raise UsageError(_unknown(version, name), hint=f"The known ones are {_listing(GATES[version])}.")
    if gate.locked and value != gate.default:
        state = "on" if gate.default else "off"
        raise UsageError(f"feature gate {name} is locked: it is always {state} in kube-scheduler {version}")


def _unknown(version: Version, name: str) -> str:
    if name in _TABLE:
        return f"feature gate {name} does not exist in kube-scheduler {version}"
    return f"feature gate {name!r} is unknown, or none that a scheduling decision depends on"


def _listing(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
