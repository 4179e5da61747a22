"""A ClusterRole as text and as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def role_json(role: Mapping[str, Any]) -> str:
    """The role as JSON."""
    return json.dumps(role, indent=2)


def role_yaml(role: Mapping[str, Any]) -> str:
    """The role as YAML, for `kubectl apply -f -`."""
    import yaml

    return str(yaml.safe_dump(dict(role), sort_keys=False, default_flow_style=None)).rstrip("\n")


def role_table(role: Mapping[str, Any]) -> str:
    """A line for each resource: verbs and `plural.group`."""
    return "\n".join(
        f"{','.join(rule['verbs'])}  {resource}{'.' + group if group else ''}"
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    )
