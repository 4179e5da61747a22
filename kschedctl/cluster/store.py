"""The other objects of a cluster, by kind, namespace and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import TypeVar

from kschedctl.objects.kinds import object_key
from kschedctl.objects.meta import TopLevel

T = TypeVar("T", bound=TopLevel)


class ObjectStore:
    """Everything that is neither a node nor a pod, looked up by type and name."""

    def __init__(self, objects: Iterable[TopLevel] = ()) -> None:
        self._by_type: dict[type[TopLevel], dict[tuple[str, str], TopLevel]] = {}
        for item in objects:
            self._by_type.setdefault(type(item), {})[object_key(item)] = item

    def __iter__(self) -> Iterator[TopLevel]:
        """All objects, by kind in input order."""
        return chain.from_iterable(items.values() for items in self._by_type.values())

    def with_object(self, item: TopLevel) -> ObjectStore:
        """The same with one object more, or another version of one."""
        return self._changed(type(item), {**self._by_type.get(type(item), {}), object_key(item): item})

    def without(self, item: TopLevel) -> ObjectStore:
        """The same without an object."""
        gone = object_key(item)
        kept = {key: other for key, other in self._by_type.get(type(item), {}).items() if key != gone}
        return self._changed(type(item), kept)

    def _changed(self, kind: type[TopLevel], items: dict[tuple[str, str], TopLevel]) -> ObjectStore:
        store = ObjectStore()
        store._by_type = {**self._by_type, kind: items}
        return store

    def all(self, kind: type[T]) -> Mapping[tuple[str, str], T]:
        """`(namespace, name)` -> object, in input order; the namespace of cluster-scoped kinds is empty."""
        found: dict[tuple[str, str], T] = self._by_type.get(kind, {})  # type: ignore[assignment]
        return MappingProxyType(found)

    def find(self, kind: type[T], name: str, namespace: str = "") -> T | None:
        """One object, or None."""
        return self.all(kind).get((namespace, name))
