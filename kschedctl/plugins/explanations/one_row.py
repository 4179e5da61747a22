"""One row out of many, so that what is said of a row costs nothing for the others."""

from __future__ import annotations

import numpy as np

from kschedctl.cluster.rows import HypotheticalRows, Rows


def only(rows: Rows, row: int) -> Rows:
    """The row alone, in its own world where it is hypothetical."""
    if isinstance(rows, HypotheticalRows):
        return rows.take(np.array([row]))
    return Rows(rows.cluster, rows.index[[row]])
