"""All kinds of reports by name: where their type is, and the formats that each has."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import Struct

from kschedctl.writers.formats import Format
from kschedctl.writers.kinds import Writers, writers

if TYPE_CHECKING:
    from kschedctl.reports.model import ReportObject


class KindOfReport(Struct, frozen=True):
    """A kind of report.

    Attributes:
        place: `module:class` of its type.
        writers: format -> how to get what writes such reports in it.
    """

    place: str
    writers: Writers[Any]

    def type(self) -> type[ReportObject]:
        """Its type, imported when it is wanted."""
        module, _, name = self.place.partition(":")
        return cast("type[ReportObject]", getattr(import_module(module), name))


_GATE: Final = MappingProxyType(
    {
        Format.JUNIT: "kschedctl.writers.junit:junit_pieces",
        Format.SARIF: "kschedctl.writers.sarif:sarif_pieces",
        Format.GITHUB: "kschedctl.writers.github:github_pieces",
    }
)
_SNAPSHOT: Final = "kschedctl.reports.snapshot.document"


def _in_folder(folder: str, name: str) -> KindOfReport:
    """A kind with a folder of its own that has every format."""
    module = f"kschedctl.reports.{folder}"
    return KindOfReport(f"{module}.model:{name}", writers(f"{module}.document"))


CATALOGUE: Final[Mapping[str, KindOfReport]] = MappingProxyType(
    {
        "Explanation": _in_folder("explain", "Explanation"),
        "ExplanationVersions": _in_folder("versions", "ExplanationVersions"),
        "Preemption": _in_folder("preempt", "Preemption"),
        "Simulation": _in_folder("simulate", "Simulation"),
        "SimulationVersions": _in_folder("versions", "SimulationVersions"),
        "Drain": _in_folder("drain", "Drain"),
        "Capacity": _in_folder("capacity", "Capacity"),
        "NodePlan": _in_folder("plan", "NodePlan"),
        "Consolidation": _in_folder("consolidation", "Consolidation"),
        "SweepReport": _in_folder("sweep", "SweepReport"),
        "SideBySide": _in_folder("compare", "SideBySide"),
        "Gate": KindOfReport(
            "kschedctl.reports.gate.model:Gate",
            writers("kschedctl.reports.gate.document", wide=False, names=False, own=_GATE),
        ),
        "SnapshotInfo": KindOfReport(
            "kschedctl.reports.snapshot.info:SnapshotInfo", writers(_SNAPSHOT, wide=False, names=False)
        ),
        "SnapshotDiff": KindOfReport(
            "kschedctl.reports.snapshot.diff:SnapshotDiff",
            writers(_SNAPSHOT, documents="diff_documents", wide=False, names=False),
        ),
        "ConfigurationVerdict": KindOfReport(
            "kschedctl.reports.config.model:ConfigurationVerdict",
            writers("kschedctl.reports.config.document", wide=False, names=False),
        ),
        "ConformanceReport": KindOfReport(
            "kschedctl.conformance.model:ConformanceReport",
            writers(None, own={Format.TABLE: "kschedctl.conformance.table:table_pieces"}),
        ),
    }
)
"""`kind` of a report -> what there is to know of it."""
