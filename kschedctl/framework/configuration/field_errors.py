"""Field errors with their path in front: `<path>: <Kind>[: <value>][: <detail>]`."""

from __future__ import annotations

from collections.abc import Sequence

from kschedctl.objects import field_errors as texts
from kschedctl.objects.names import label_key_problems


def invalid(path: str, value: object, detail: str) -> str:
    """The text of an `Invalid value` error."""
    return f"{path}: {texts.invalid_value(value, detail)}"


def unsupported(path: str, value: str, supported: Sequence[str]) -> str:
    """The text of an `Unsupported value` error."""
    return f"{path}: {texts.unsupported_value(value, supported)}"


def required(path: str, detail: str = "") -> str:
    """The text of a `Required value` error."""
    return f"{path}: {texts.required_value(detail)}"


def duplicate(path: str, value: str) -> str:
    """The text of a `Duplicate value` error."""
    return f"{path}: {texts.duplicate_value(value)}"


def forbidden(path: str, detail: str) -> str:
    """The text of a `Forbidden` error."""
    return f"{path}: {texts.forbidden(detail)}"


def label_name(path: str, value: str) -> list[str]:
    """The texts for a value that must be a label key, one for each rule it breaks."""
    return [invalid(path, value, problem) for problem in label_key_problems(value)]
