"""The evictions as a graph: who evicts whom, from where, and where everybody goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kschedctl.errors import UsageError
from kschedctl.reports.preempt.model import Displaced, Preemption
from kschedctl.reports.sentences import subject
from kschedctl.safe_text import with_safe_text
from kschedctl.sources.atomic import replacing

if TYPE_CHECKING:
    import networkx as nx


Passing = Callable[[Iterable[Preemption]], Iterator[Preemption]]
"""Passes answers on."""


@contextmanager
def graph_of_answers(path: str) -> Iterator[Passing]:
    """A function that passes answers on; the evictions of all are written when the block ends well.

    Each answer is looked at on its way, so that nobody is asked twice and none is kept.

    Args:
        path: the file; its suffix tells DOT or GraphML.

    Raises:
        UsageError: the suffix is another one.
        InputError: the file cannot be written.
    """
    import networkx as nx

    writers = {".dot": dot, ".gv": dot, ".graphml": graphml}
    writer = writers.get(Path(path).suffix.lower())
    if writer is None:
        raise UsageError(
            f"{path}: the format of a graph is told by its suffix", hint="Use .dot (or .gv) or .graphml."
        )
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()

    def passed(answers: Iterable[Preemption]) -> Iterator[Preemption]:
        for answer in answers:
            _add_answer(graph, with_safe_text(answer))
            yield answer

    with replacing(path) as file:
        yield passed
        file.write(writer(graph).encode())


def _add_answer(graph: nx.MultiDiGraph[str], answer: Preemption) -> None:
    """Add pods and nodes, and who evicts whom.

    Nodes have `kind` (pod or node) and `label`; pods also `priority`, and `fate` where they are evicted. Edges
    have `kind` (evicts, from or to) and `preemptor`, the pod that the answer is about: the answers are what-ifs
    of their own, and stand side by side.
    """
    asked = answer.pod.full_name
    _add_pod(graph, asked, answer.pod.priority or 0, "Places" if answer.selected_node else answer.outcome)
    if answer.pod.equal_pods:
        graph.nodes[f"pod/{asked}"]["label"] = subject(answer.pod)
    target = answer.selected_node or (answer.aftermath and answer.aftermath.placed_on)
    if target:
        _add_move(graph, asked, target, "to", asked)
    if answer.aftermath is not None:
        _add_victims(graph, asked, answer.aftermath.victims, asked)


def _add_victims(graph: Any, by: str, victims: Sequence[Displaced], asked: str) -> None:
    for victim in victims:
        _add_pod(graph, victim.full_name, victim.priority, victim.fate)
        graph.add_edge(
            f"pod/{by}",
            f"pod/{victim.full_name}",
            kind="evicts",
            breaks_budget=victim.breaks_budget,
            preemptor=asked,
        )
        _add_move(graph, victim.full_name, victim.evicted_from, "from", asked)
        if victim.node is not None:
            _add_move(graph, victim.full_name, victim.node, "to", asked)
        _add_victims(graph, victim.full_name, victim.victims, asked)


def _add_pod(graph: Any, name: str, priority: int, fate: str) -> None:
    graph.add_node(f"pod/{name}", kind="pod", label=name, priority=priority, fate=fate)


def _add_move(graph: Any, pod: str, node: str, kind: str, asked: str) -> None:
    graph.add_node(f"node/{node}", kind="node", label=node)
    graph.add_edge(f"pod/{pod}", f"node/{node}", kind=kind, preemptor=asked)


def graphml(graph: nx.MultiDiGraph[str]) -> str:
    """The graph as GraphML."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph)) + "\n"


def dot(graph: nx.MultiDiGraph[str]) -> str:
    """The graph as DOT, as Graphviz draws it: nodes are boxes, pods are ovals, evictions are bold."""
    lines = ["digraph evictions {", "  rankdir=LR;"]
    for name, facts in graph.nodes(data=True):
        shape = "box" if facts["kind"] == "node" else "oval"
        lines.append(f"  {_quoted(name)} [{_attributes({**facts, 'shape': shape})}];")
    for source, target, facts in graph.edges(data=True):
        style = {"evicts": "bold", "from": "dotted", "to": "solid"}[facts["kind"]]
        shown = {**facts, "label": facts["kind"], "style": style}
        lines.append(f"  {_quoted(source)} -> {_quoted(target)} [{_attributes(shown)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _attributes(facts: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={_quoted(_text(value))}" for key, value in facts.items())


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
