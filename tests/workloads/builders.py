"""Workloads from short texts of their wire form."""

from typing import Any, TypeVar

import msgspec
import yaml

from kschedctl.objects.kinds import BY_GVK
from kschedctl.objects.meta import TopLevel

T = TypeVar("T", bound=TopLevel)


def from_yaml(text: str) -> Any:
    """The one object that a YAML text describes."""
    data = yaml.safe_load(text)
    return msgspec.convert(data, BY_GVK[data["apiVersion"], data["kind"]].type)


def all_from_yaml(text: str) -> list[Any]:
    """The objects of a text with several documents."""
    return [
        msgspec.convert(data, BY_GVK[data["apiVersion"], data["kind"]].type)
        for data in yaml.safe_load_all(text)
        if data
    ]
