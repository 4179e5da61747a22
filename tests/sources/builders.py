"""Small manifests for the tests of the reader."""

import json
from typing import Any

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n"
"""Four lines of a pod, to which a test adds the rest."""

NODE = "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n"


def pod(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def node(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def list_of(*items: Any, kind: str = "List", version: str = "v1") -> dict[str, Any]:
    """A List in the order of keys that kubectl prints."""
    return {"apiVersion": version, "items": list(items), "kind": kind, "metadata": {"resourceVersion": ""}}


def json_bytes(data: Any, indent: int | None = None) -> bytes:
    return json.dumps(data, indent=indent).encode()
