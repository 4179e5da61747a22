"""For which nodes slices, devices and allocations are good (spec 05 §4.1, §4.11)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kschedctl.objects.meta import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.node import Node
from kschedctl.objects.selectors import NodeTerm, SelectorError, parse_node_selector


class NodeSelectionError(ValueError):
    """A node selector is bad; the text is that of the scheduler."""


class NodeMatcher(Struct, frozen=True):
    """One node, all nodes, or those that a selector selects; nothing set: none."""

    node_name: str = ""
    all_nodes: bool = False
    terms: tuple[NodeTerm, ...] = ()
    problem: str = ""
    """Why the selector cannot be used, empty where it can."""

    def matches(self, node: Node) -> bool:
        """Whether the node is one of them.

        Raises:
            NodeSelectionError: the selector is looked at and is bad.
        """
        if self.node_name:
            return self.node_name == node.name
        if self.all_nodes:
            return True
        if self.problem:
            raise NodeSelectionError(self.problem)
        return any(term.matches(node.metadata.labels, node.name) for term in self.terms)


def matcher(node_name: str | None, all_nodes: bool | None, selector: NodeSelector | None) -> NodeMatcher:
    """The matcher for the three fields in which slices and devices name their nodes."""
    terms: tuple[NodeTerm, ...] = ()
    problem = ""
    if selector is not None:
        try:
            terms = parse_node_selector(selector)
        except SelectorError as error:
            problem = f"failed to parse node selector {go_text(selector)}: {error}"
    return NodeMatcher(node_name or "", all_nodes is True, terms, problem)


def only_node(name: str) -> NodeSelector:
    """A selector for one node by name."""
    field = NodeSelectorRequirement(key="metadata.name", operator="In", values=(name,))
    return NodeSelector(node_selector_terms=(NodeSelectorTerm(match_fields=(field,)),))


def go_text(selector: NodeSelector) -> str:
    """The selector the way the generated code of the API prints it."""
    terms = "".join(
        "NodeSelectorTerm{"
        f"MatchExpressions:{_requirements(term.match_expressions)},"
        f"MatchFields:{_requirements(term.match_fields)},}},"
        for term in selector.node_selector_terms
    )
    return f"&NodeSelector{{NodeSelectorTerms:[]NodeSelectorTerm{{{terms}}},}}"


def _requirements(requirements: Iterable[NodeSelectorRequirement]) -> str:
    texts = "".join(
        f"NodeSelectorRequirement{{Key:{r.key},Operator:{r.operator},Values:[{' '.join(r.values)}],}},"
        for r in requirements
    )
    return f"[]NodeSelectorRequirement{{{texts}}}"
