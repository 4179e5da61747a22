"""The formats of reports about snapshots."""

from __future__ import annotations

from typing import Final

from kschedctl.reports.formats import Format
from kschedctl.reports.render.lazy import Renderers, renderers
from kschedctl.reports.snapshot.diff import SnapshotDiff
from kschedctl.reports.snapshot.info import SnapshotInfo

INFO_RENDERERS: Final[Renderers[SnapshotInfo]] = renderers(
    SnapshotInfo, {Format.TABLE: "kschedctl.reports.render.snapshot_table:info_text"}
)
DIFF_RENDERERS: Final[Renderers[SnapshotDiff]] = renderers(
    SnapshotDiff, {Format.TABLE: "kschedctl.reports.render.snapshot_table:diff_text"}
)
