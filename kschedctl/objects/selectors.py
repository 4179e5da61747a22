"""Label and node selectors: parsing with the texts of the API machinery, and matching (spec 02 B)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from kschedctl.objects.constraints import PreferredSchedulingTerm
from kschedctl.objects.field_errors import invalid_value, unsupported_value
from kschedctl.objects.go import parse_int, quote
from kschedctl.objects.meta import LabelSelector, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedctl.objects.names import label_key_problems, label_value_problems

NODE_NAME_FIELD: Final = "metadata.name"

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
COMPARISONS = ("Gt", "Lt")
"""The operators of node selectors that compare integers."""
_NODE_OPERATORS = (*_LABEL_OPERATORS, *COMPARISONS)
_FIELD_OPERATORS = ("In", "NotIn")


class SelectorError(ValueError):
    """A selector cannot be parsed; the text is that of the API machinery.

    Attributes:
        problems: the single texts, which a caller may join with those of other selectors.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(aggregate(problems))
        self.problems = tuple(problems)


def aggregate(problems: Iterable[str]) -> str:
    """Several error texts as one: a single one stays bare, repeated ones are dropped."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


class Requirement(Struct, frozen=True):
    """One condition on the value of one key. An equality is `In` with one value."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def accepts(self, value: str | None) -> bool:
        """Whether a value, or the absence of the key (None), meets the condition."""
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        left = None if value is None else parse_int(value)
        right = parse_int(self.values[0]) if self.values else None
        if left is None or right is None:
            return False
        return left > right if self.operator == "Gt" else left < right


class Selector(Struct, frozen=True, cache_hash=True):
    """Requirements on labels that are ANDed; without any it matches everything, or nothing if so marked."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    @property
    def everything(self) -> bool:
        """Whether it is the selector written `{}`."""
        return not self.nothing and not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        return not self.nothing and all(r.accepts(labels.get(r.key)) for r in self.requirements)


NOTHING: Final = Selector(nothing=True)
EVERYTHING: Final = Selector()


class NodeTerm(Struct, frozen=True):
    """A term of a node selector: all its requirements on labels and on the node's name must hold."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Whether a node with these labels and this name is selected. A field we do not know reads as ""."""
        if not all(r.accepts(labels.get(r.key)) for r in self.expressions):
            return False
        return not name or all(r.accepts(name if r.key == NODE_NAME_FIELD else "") for r in self.fields)


def parse_label_selector(selector: LabelSelector | None) -> Selector:
    """The selector that a metav1.LabelSelector stands for: None selects nothing, an empty one everything.

    Raises:
        SelectorError: an operator, key or value is bad; the first problem only, as in the API machinery.
    """
    if selector is None:
        return NOTHING
    requirements = []
    for key, value in sorted(selector.match_labels.items()):
        requirements.append(_checked(Requirement(key, "In", (value,)), ""))
    for expression in selector.match_expressions:
        if expression.operator not in _LABEL_OPERATORS:
            raise SelectorError([f"{quote(expression.operator)} is not a valid label selector operator"])
        requirements.append(_checked(Requirement(expression.key, expression.operator, expression.values), ""))
    return Selector(tuple(requirements))


def parse_node_selector_term(term: NodeSelectorTerm, path: str = "") -> NodeTerm:
    """The parsed term; `path` is the field path that problems are told with.

    Raises:
        SelectorError: some requirements are bad; all problems.
    """
    problems: list[str] = []
    expressions = _parse_expressions(term.match_expressions, _join(path, "matchExpressions"), problems)
    fields = _parse_fields(term.match_fields, _join(path, "matchFields"), problems)
    if problems:
        raise SelectorError(problems)
    return NodeTerm(expressions, fields)


def parse_node_selector(selector: NodeSelector, path: str = "") -> tuple[NodeTerm, ...]:
    """The terms of a selector without the empty ones, which match nothing.

    Raises:
        SelectorError: any term that is not empty is bad; all problems of all terms.
    """
    terms: list[NodeTerm] = []
    problems: list[str] = []
    base = _join(path, "nodeSelectorTerms")
    for i, term in enumerate(selector.node_selector_terms):
        _parse_into(terms, problems, term, f"{base}[{i}]")
    if problems:
        raise SelectorError(problems)
    return tuple(terms)


def lenient_node_terms(selector: NodeSelector) -> tuple[NodeTerm, ...]:
    """The terms that can match at all: those that parse and are not empty."""
    terms: list[NodeTerm] = []
    for term in selector.node_selector_terms:
        _parse_into(terms, [], term, "")
    return tuple(terms)


def parse_preferred_terms(
    preferred: Sequence[PreferredSchedulingTerm], path: str = ""
) -> tuple[tuple[int, NodeTerm], ...]:
    """Weight and term of each preference; those of weight 0 and the empty ones are left out unparsed.

    Raises:
        SelectorError: any other term is bad; all problems of all terms.
    """
    weighted: list[tuple[int, NodeTerm]] = []
    problems: list[str] = []
    for i, preference in enumerate(preferred):
        terms: list[NodeTerm] = []
        if preference.weight:
            _parse_into(terms, problems, preference.preference, f"{path}[{i}]")
        weighted += [(preference.weight, term) for term in terms]
    if problems:
        raise SelectorError(problems)
    return tuple(weighted)


def _join(path: str, child: str) -> str:
    return f"{path}.{child}" if path else child


def _invalid(path: str, value: object, detail: str) -> str:
    return f"{path}: {invalid_value(value, detail)}"


def _unsupported(path: str, value: str, supported: Sequence[str]) -> str:
    return f"{path}: {unsupported_value(value, supported)}"


def _parse_into(terms: list[NodeTerm], problems: list[str], term: NodeSelectorTerm, path: str) -> None:
    """Append the parsed term, or its problems; an empty term is dropped."""
    if not term.match_expressions and not term.match_fields:
        return
    try:
        terms.append(parse_node_selector_term(term, path))
    except SelectorError as error:
        problems += error.problems


def _parse_expressions(
    expressions: Sequence[NodeSelectorRequirement], path: str, problems: list[str]
) -> tuple[Requirement, ...]:
    parsed = []
    for i, expression in enumerate(expressions):
        at = f"{path}[{i}]"
        if expression.operator not in _NODE_OPERATORS:
            problems.append(_unsupported(_join(at, "operator"), expression.operator, _NODE_OPERATORS))
            continue
        requirement = Requirement(expression.key, expression.operator, expression.values)
        problems += _requirement_problems(requirement, at)
        parsed.append(requirement)
    return tuple(parsed)


def _parse_fields(
    fields: Sequence[NodeSelectorRequirement], path: str, problems: list[str]
) -> tuple[Requirement, ...]:
    parsed = []
    for i, field in enumerate(fields):
        at = f"{path}[{i}]"
        if field.operator not in _FIELD_OPERATORS:
            problems.append(_unsupported(_join(at, "operator"), field.operator, _FIELD_OPERATORS))
        elif len(field.values) != 1:
            problems.append(_invalid(_join(at, "values"), field.values, "must have one element"))
        parsed.append(Requirement(field.key, field.operator, field.values))
    return tuple(parsed)


def _requirement_problems(requirement: Requirement, path: str) -> list[str]:
    """What is wrong with a requirement whose operator is known, each text with its field path."""
    values, operator = requirement.values, requirement.operator
    problems = []
    if key_problems := label_key_problems(requirement.key):
        problems.append(_invalid(_join(path, "key"), requirement.key, "; ".join(key_problems)))
    values_path = _join(path, "values")
    if operator in ("In", "NotIn") and not values:
        problems.append(
            _invalid(values_path, values, "for 'in', 'notin' operators, values set can't be empty")
        )
    elif operator in ("Exists", "DoesNotExist") and values:
        problems.append(
            _invalid(values_path, values, "values set must be empty for exists and does not exist")
        )
    elif operator in COMPARISONS:
        problems += _integer_problems(values, values_path)
    for i, value in enumerate(values):
        if value_problems := label_value_problems(value):
            at = f"{values_path}[{i}][{requirement.key}]"
            problems.append(_invalid(at, value, "; ".join(value_problems)))
    return problems


def _integer_problems(values: Sequence[str], path: str) -> list[str]:
    problems = []
    if len(values) != 1:
        detail = "for 'Gt', 'Lt' operators, exactly one value is required"
        problems.append(_invalid(path, tuple(values), detail))
    for i, value in enumerate(values):
        if parse_int(value) is None:
            detail = "for 'Gt', 'Lt' operators, the value must be an integer"
            problems.append(_invalid(f"{path}[{i}]", value, detail))
    return problems


def _checked(requirement: Requirement, path: str) -> Requirement:
    if problems := _requirement_problems(requirement, path):
        raise SelectorError(problems)
    return requirement
