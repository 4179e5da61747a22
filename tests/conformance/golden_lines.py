"""Lines of golden files for tests."""

import gzip
import json


def case(name="c1", *, results=None, pods=("p0",), **scenario):
    """A case on one empty node; by default every candidate is expected to be scheduled there."""
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
    }
    listed = [
        {"metadata": {"name": p}, "spec": {"containers": [{"name": "main", "image": "app"}]}} for p in pods
    ]
    data = {"scenario": {"name": name, "objects": [node], "pods": listed} | scenario}
    if results is not None:
        data["expected"] = {"name": name, "results": results}
    return data


def write(path, *cases):
    """Write cases to a file, zipped where its name says so."""
    text = "".join(json.dumps(c) + "\n" for c in cases).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path
