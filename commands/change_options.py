"""The options that change a cluster before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

from kschedctl.whatif.world.change_forms import CHANGES, FailMode, RolloutMode

from .ordered import in_order

if TYPE_CHECKING:
    from kschedctl.questions.cluster import Cluster
    from kschedctl.whatif.world.change_context import ChangeContext
    from kschedctl.whatif.world.changes import Change

Texts = list[str] | None


def _option(kind: str) -> Any:
    known = CHANGES[kind]
    text = f"{known.help} Example: {known.quoted_example}"
    return typer.Option(f"--{kind}", metavar=known.form.strip("'"), help=text, show_default=False)


class ChangeOptions(Struct, frozen=True):
    """Changes, applied in the order in which they are given."""

    drain: Annotated[Texts, _option("drain")] = None
    remove_node: Annotated[Texts, _option("remove-node")] = None
    cordon: Annotated[Texts, _option("cordon")] = None
    uncordon: Annotated[Texts, _option("uncordon")] = None
    fail_domain: Annotated[Texts, _option("fail-domain")] = None
    add_node: Annotated[Texts, _option("add-node")] = None
    scale: Annotated[Texts, _option("scale")] = None
    priority: Annotated[Texts, _option("priority")] = None
    delete: Annotated[Texts, _option("delete")] = None
    taint: Annotated[Texts, _option("taint")] = None
    label: Annotated[Texts, _option("label")] = None
    patch: Annotated[Texts, _option("patch")] = None
    fail_mode: Annotated[
        FailMode,
        typer.Option("--fail-mode", help="Failed nodes are gone, or stay tainted as unreachable."),
    ] = FailMode.GONE
    rollout: Annotated[
        RolloutMode,
        typer.Option("--rollout", help="What happens to running pods of workloads that manifests replace."),
    ] = RolloutMode.RECREATE

    def texts(self, order: Sequence[str]) -> list[tuple[str, str]]:
        """Kind and text of each change, in the order of the options."""
        lists = {name: getattr(self, name) or [] for name in self.__struct_fields__ if _kind(name) in CHANGES}
        return [(_kind(name), text) for name, text in in_order(lists, order)]

    def parse(self, texts: Sequence[tuple[str, str]], namespace: str | None = None) -> list[Change]:
        """The changes that texts stand for; the namespace is that of objects that are named without one.

        Raises:
            UsageError: a text is malformed.
            InputError: a file that one names cannot be used.
        """
        from kschedctl.whatif.world.change_text import parse_change

        context = self._context(namespace)
        return [change for kind, text in texts for change in parse_change(kind, text, context)]

    def change_texts(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """The changes as a person would say them."""
        from kschedctl.whatif.world.change_text import told_change

        return [told_change(kind, text, self._context(None)) for kind, text in texts]

    def _context(self, namespace: str | None) -> ChangeContext:
        from kschedctl.whatif.world.change_context import ChangeContext

        return ChangeContext(fail_mode=self.fail_mode, rollout=self.rollout, namespace=namespace)


def _kind(field: str) -> str:
    return field.replace("_", "-")


class PreparedChanges(Struct, frozen=True):
    """Changes as they were given, to be made in a cluster before single pods are asked about.

    Attributes:
        options: the options.
        texts: kind and text of each, in order.
    """

    options: ChangeOptions
    texts: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, options: ChangeOptions, order: Sequence[str]) -> PreparedChanges:
        """The changes in the order of the options."""
        return cls(options, options.texts(order))

    def made_in(self, cluster: Cluster, namespace: str | None, *, candidates: bool = False) -> Cluster:
        """The cluster with them made.

        Args:
            cluster: as it is.
            namespace: of objects that are named without one.
            candidates: whether manifests follow, in which may be what is not in the cluster.

        Raises:
            UsageError: a text is malformed, or about something that is not there.
            InputError: a file that one names cannot be used.
        """
        if not self.texts:
            return cluster
        from kschedctl.questions.changed import changed

        made = self.options.parse(self.texts, namespace)
        return changed(cluster, made, self.options.change_texts(self.texts), candidates=candidates)
