"""Paths as CI systems want them: relative to the root of the checkout, with slashes."""

from __future__ import annotations

from pathlib import Path


def relative_path(path: str, root: Path) -> str | None:
    """The path below a root with slashes, None where it is not below it.

    Args:
        path: as given, relative to the working directory or absolute.
        root: the directory that paths are to relate to, absolute.
    """
    try:
        return (root / path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return None
