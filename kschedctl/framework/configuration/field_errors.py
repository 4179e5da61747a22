"""Texts of field errors beyond those that selectors need: `<path>: <Kind>[: <value>][: <detail>]`."""

from __future__ import annotations

from kschedctl.objects.go import quote
from kschedctl.objects.names import label_key_problems
from kschedctl.objects.selectors import aggregate, invalid, join, unsupported

__all__ = ["aggregate", "duplicate", "forbidden", "invalid", "join", "label_name", "required", "unsupported"]


def required(path: str, detail: str = "") -> str:
    """The text of a `Required value` error."""
    return f"{path}: Required value" + (f": {detail}" if detail else "")


def duplicate(path: str, value: str) -> str:
    """The text of a `Duplicate value` error."""
    return f"{path}: Duplicate value: {quote(value)}"


def forbidden(path: str, detail: str) -> str:
    """The text of a `Forbidden` error."""
    return f"{path}: Forbidden: {detail}"


def label_name(path: str, value: str) -> list[str]:
    """The texts for a value that must be a label key, one for each rule it breaks."""
    return [invalid(path, value, problem) for problem in label_key_problems(value)]
