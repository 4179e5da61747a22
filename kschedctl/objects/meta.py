"""What every Kubernetes object carries, and the base of all typed objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

RawQuantity = str | Int64 | float
"""A quantity as written; `objects.quantity.parse` gives its value. Numbers stand for their decimal text, and an
integer of more than 64 bits is that text: nothing else that is kept of an object is without bound."""

ResourceList = dict[str, RawQuantity]


class KubeObject(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """Base of every typed object: immutable, camelCase on the wire, unknown fields ignored.

    Only the fields that scheduling reads are declared. `null` means absent (the reader drops it). A field is
    `| None` only where absent and empty differ. Structs take no part in garbage collection: they hold trees.
    """


class OwnerReference(KubeObject, frozen=True):
    """The object that owns another one."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(KubeObject, frozen=True):
    """`metadata` of an object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """The controlling owner: the first reference with `controller: true`."""
        return next((ref for ref in self.owner_references if ref.controller), None)

    def first_label(self, keys: Sequence[str]) -> str | None:
        """The value of the first of some labels that the object has."""
        return next((self.labels[key] for key in keys if key in self.labels), None)


class LabelSelectorRequirement(KubeObject, frozen=True):
    """One entry of `matchExpressions` of a label selector; the operator is checked where it is used."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(KubeObject, frozen=True):
    """A metav1.LabelSelector. An absent selector (None) matches nothing, an empty one everything."""

    match_labels: dict[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is no requirement at all."""
        return not self.match_labels and not self.match_expressions


class NodeSelectorRequirement(KubeObject, frozen=True):
    """One entry of `matchExpressions` or `matchFields` of a node selector term."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(KubeObject, frozen=True):
    """Requirements that are ANDed; a term without any matches nothing."""

    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()


class NodeSelector(KubeObject, frozen=True):
    """Terms that are ORed."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class Condition(KubeObject, frozen=True):
    """A condition of a status."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


Scope = Literal["Namespaced", "Cluster"]


class TopLevel(KubeObject, frozen=True):
    """An object with a kind of its own."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """`metadata.namespace`, `default` where none is written. Meaningless for cluster-scoped kinds."""
        return self.metadata.namespace or "default"

    @property
    def full_name(self) -> str:
        """`namespace/name`, the way the scheduler prints a namespaced object."""
        return f"{self.namespace}/{self.name}"
