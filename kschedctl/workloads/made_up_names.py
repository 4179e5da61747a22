"""Names of manifests that leave them to the API server (`kubectl create` with generateName)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kschedctl.objects.meta import TopLevel
from kschedctl.objects.pod import Pod
from kschedctl.workloads.names import generated_names


def with_made_up_names(objects: Sequence[TopLevel]) -> Iterator[TopLevel]:
    """The objects, each with a name; pods get theirs when they are created, once it is known which are taken."""
    taken: defaultdict[tuple[type[TopLevel], str], set[str]] = defaultdict(set)
    for obj in objects:
        taken[type(obj), obj.namespace].add(obj.name)
    for obj in objects:
        prefix = obj.metadata.generate_name
        if obj.name or not prefix or isinstance(obj, Pod):
            yield obj
            continue
        names = taken[type(obj), obj.namespace]
        name = next(generated_names(prefix, names))
        names.add(name)
        yield replace(obj, metadata=replace(obj.metadata, name=name))
