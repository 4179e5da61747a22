import msgspec
import pytest

from kschedctl.objects.constraints import PreferredSchedulingTerm
from kschedctl.objects.meta import LabelSelector, NodeSelector, NodeSelectorTerm
from kschedctl.objects.selectors import (
    NodeTerm,
    Requirement,
    Selector,
    SelectorError,
    aggregate,
    lenient_node_terms,
    parse_label_selector,
    parse_node_selector,
    parse_node_selector_term,
    parse_preferred_terms,
)

VALUE_SYNTAX = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
    "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def expression(key: str, operator: str, *values: str) -> dict[str, object]:
    return {"key": key, "operator": operator, "values": list(values)}


def term(*expressions: dict[str, object], fields: tuple[dict[str, object], ...] = ()) -> NodeSelectorTerm:
    return msgspec.convert({"matchExpressions": expressions, "matchFields": fields}, NodeSelectorTerm)


@pytest.mark.parametrize(
    ("operator", "values", "accepted", "refused"),
    [
        ("In", ("a", "b"), ["a", "b"], ["c", "", None]),
        ("NotIn", ("a", "b"), ["c", "", None], ["a"]),
        ("Exists", (), ["a", ""], [None]),
        ("DoesNotExist", (), [None], ["", "a"]),
        (
            "Gt",
            ("5",),
            ["010", "6", "9223372036854775807"],
            ["5", "4", "5.5", "", None, "9223372036854775808", "1_0"],
        ),
        ("Lt", ("5",), ["4", "-7", "+4"], ["5", "5.5", None]),
        ("Gt", ("five",), [], ["6"]),
        ("Gt", (), [], ["6", "", None]),
        ("Lt", (), [], ["6", "", None]),
    ],
)
def test_requirement(
    operator: str, values: tuple[str, ...], accepted: list[str | None], refused: list[str | None]
) -> None:
    requirement = Requirement("k", operator, values)
    assert [v for v in [*accepted, *refused] if requirement.accepts(v)] == accepted


def test_an_absent_selector_matches_nothing_and_an_empty_one_everything() -> None:
    assert not parse_label_selector(None).matches({"a": "b"})
    empty = parse_label_selector(LabelSelector())
    assert empty.matches({})
    assert empty.everything
    assert not parse_label_selector(None).everything


def test_labels_and_expressions_are_anded() -> None:
    selector = msgspec.convert(
        {"matchLabels": {"b": "2", "a": "1"}, "matchExpressions": [expression("c", "NotIn", "3")]},
        LabelSelector,
    )
    parsed = parse_label_selector(selector)
    assert parsed == Selector(
        (Requirement("a", "In", ("1",)), Requirement("b", "In", ("2",)), Requirement("c", "NotIn", ("3",)))
    )
    assert parsed.matches({"a": "1", "b": "2"})
    assert not parsed.matches({"a": "1", "b": "2", "c": "3"})
    assert not parsed.matches({"a": "1"})


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({"matchExpressions": [expression("k", "Gt", "1")]}, '"Gt" is not a valid label selector operator'),
        (
            {"matchExpressions": [expression("k", "In")]},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"matchExpressions": [expression("k", "Exists", "v")]},
            'values: Invalid value: ["v"]: values set must be empty for exists and does not exist',
        ),
        ({"matchLabels": {"k": "a b"}}, f'values[0][k]: Invalid value: "a b": {VALUE_SYNTAX}'),
    ],
)
def test_label_selector_errors(selector: dict[str, object], text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_label_selector(msgspec.convert(selector, LabelSelector))
    assert str(caught.value) == text


def test_a_term_matches_labels_and_name() -> None:
    parsed = parse_node_selector_term(
        term(expression("zone", "In", "a"), fields=(expression("metadata.name", "NotIn", "n1"),))
    )
    assert parsed.matches({"zone": "a"}, "n2")
    assert not parsed.matches({"zone": "a"}, "n1")
    assert not parsed.matches({"zone": "b"}, "n2")


@pytest.mark.parametrize(
    ("field", "matches"),
    [
        (expression("metadata.name", "In", "n1"), True),
        (expression("spec.unschedulable", "In", "true"), False),
        (expression("spec.unschedulable", "In", ""), True),
        (expression("spec.unschedulable", "NotIn", "true"), True),
    ],
)
def test_an_unknown_field_reads_as_empty(field: dict[str, object], matches: bool) -> None:
    assert parse_node_selector_term(term(fields=(field,))).matches({}, "n1") is matches


def test_fields_are_not_asked_of_a_node_without_a_name() -> None:
    parsed = parse_node_selector_term(term(fields=(expression("metadata.name", "In", "n1"),)))
    assert parsed.matches({}, "")


@pytest.mark.parametrize(
    ("bad", "texts"),
    [
        (
            term(expression("k", "Near", "x")),
            ['[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", '
             '"Exists", "DoesNotExist", "Gt", "Lt"'],
        ),
        (
            term(expression("k", "Gt", "x")),
            ['[0].matchExpressions[0].values[0]: Invalid value: "x": for \'Gt\', \'Lt\' operators, the value must '
             "be an integer"],
        ),
        (
            term(expression("k", "Lt", "1", "2")),
            ['[0].matchExpressions[0].values: Invalid value: ["1","2"]: for \'Gt\', \'Lt\' operators, exactly one '
             "value is required"],
        ),
        (
            term(expression("k", "In", "bad value")),
            [f'[0].matchExpressions[0].values[0][k]: Invalid value: "bad value": {VALUE_SYNTAX}'],
        ),
        (
            term(fields=(expression("metadata.name", "In", "a", "b"), expression("metadata.name", "Exists"))),
            ['[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element',
             '[0].matchFields[1].operator: Unsupported value: "Exists": supported values: "In", "NotIn"'],
        ),
    ],
)  # fmt: skip
def test_term_errors_carry_paths(bad: NodeSelectorTerm, texts: list[str]) -> None:
    with pytest.raises(SelectorError) as caught:
        parse_node_selector_term(bad, "[0]")
    assert list(caught.value.problems) == texts


def test_strict_parsing_tells_the_problems_of_all_terms() -> None:
    selector = NodeSelector(
        node_selector_terms=(term(), term(expression("k", "X")), term(expression("k", "Exists", "v")))
    )
    with pytest.raises(SelectorError) as caught:
        parse_node_selector(selector)
    paths = [problem.partition(":")[0] for problem in caught.value.problems]
    assert paths == [
        "nodeSelectorTerms[1].matchExpressions[0].operator",
        "nodeSelectorTerms[2].matchExpressions[0].values",
    ]


def test_lenient_parsing_keeps_the_terms_that_can_match() -> None:
    good = term(expression("k", "Exists"))
    selector = NodeSelector(node_selector_terms=(term(), term(expression("k", "X")), good))
    assert lenient_node_terms(selector) == (NodeTerm((Requirement("k", "Exists"),)),)


def test_preferences_without_weight_or_content_are_not_looked_at() -> None:
    bad = term(expression("bad key", "Exists"))
    good = term(expression("k", "Exists"))
    preferred = [
        PreferredSchedulingTerm(weight=0, preference=bad),
        PreferredSchedulingTerm(weight=1, preference=term()),
        PreferredSchedulingTerm(weight=5, preference=good),
    ]
    assert parse_preferred_terms(preferred) == ((5, NodeTerm((Requirement("k", "Exists"),))),)
    with pytest.raises(SelectorError, match=r'^\[3\]\.matchExpressions\[0\]\.key: Invalid value: "bad key"'):
        parse_preferred_terms([*preferred, PreferredSchedulingTerm(weight=1, preference=bad)])


def test_aggregate() -> None:
    assert aggregate(["a"]) == "a"
    assert aggregate(["a", "b", "a"]) == "[a, b]"
    assert aggregate(["a", "a"]) == "a"
