"""The namespace of the command line: for objects that state none, and a check of those that do."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kschedctl.errors import InputError
from kschedctl.objects.kinds import BY_TYPE
from kschedctl.objects.meta import TopLevel
from kschedctl.sources.load import Loaded


def in_namespace(obj: TopLevel, namespace: str | None) -> TopLevel:
    """The object in a namespace, where it is of a kind that has one and states none itself."""
    if not namespace or obj.metadata.namespace or not BY_TYPE[type(obj)].namespaced:
        return obj
    return replace(obj, metadata=replace(obj.metadata, namespace=namespace))


def other_namespaces(loaded: Loaded, namespace: str | None) -> Iterator[InputError]:
    """Kubectl refuses an object that states another namespace than the command line: one error for each."""
    if not namespace:
        return
    for i, obj in enumerate(loaded.objects):
        if BY_TYPE[type(obj)].namespaced and obj.metadata.namespace not in ("", namespace):
            yield InputError(
                f"{obj.kind} {obj.full_name} states a namespace other than that of -n {namespace}",
                place=loaded.place_of(i),
            )
