"""API versions that the API server of a Kubernetes version has."""

from __future__ import annotations

from kschedctl.framework.versions.version import Version


def served_problem(kind: str, api_version: str, version: Version) -> str:
    """What keeps an object from being taken for the API version that it is written in; empty: nothing known."""
    group, _, written = api_version.rpartition("/")
    there = version.facts.api_versions.get(kind)
    if there is None or written in there:
        return ""
    if not there:
        return "there is no such kind"
    return f"{api_version} is not there, {group}/{there[0]} is"
