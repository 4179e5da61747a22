"""Mismatches in words, and nulls as Go reads them."""

import msgspec
import pytest
from msgspec import field

from kschedctl.objects.int_or_percent import IntOrPercent
from kschedctl.objects.kinds import KINDS, Kind
from kschedctl.objects.meta import Int32, KubeObject, RawQuantity
from kschedctl.sources.lines import path_text
from kschedctl.sources.shape import ShapeError, decode, decode_slowly


class Inner(KubeObject, frozen=True):
    name: str = ""


class Sample(KubeObject, frozen=True):
    text: str = ""
    whole: Int32 = 0
    maybe_whole: Int32 | None = None
    flag: bool = False
    share: IntOrPercent | None = None
    amount: RawQuantity | None = None
    labels: dict[str, str] = field(default_factory=dict)
    amounts: dict[str, RawQuantity] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    inner: Inner = Inner()
    inners: tuple[Inner, ...] = ()
    by_name: dict[str, Inner] = field(default_factory=dict)
    anything: dict[str, object] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"text": 5}, "text", "expected a string, got the number 5; put quotes around it"),
        ({"text": 1.5}, "text", "expected a string, got the number 1.5; put quotes around it"),
        ({"text": False}, "text", "expected a string, got the boolean false; put quotes around it"),
        ({"text": []}, "text", "expected a string, got a list"),
        ({"whole": "5"}, "whole", 'expected a whole number, got the string "5"; write it without quotes'),
        ({"whole": "x" * 50}, "whole", f'expected a whole number, got the string "{"x" * 40}…"'),
        ({"whole": True}, "whole", "expected a whole number, got the boolean true"),
        ({"whole": 1.0}, "whole", "expected a whole number, got the number 1.0"),
        ({"whole": 2**31}, "whole", "2147483648 is out of range: at most 2147483647"),
        ({"maybeWhole": -(2**31) - 1}, "maybeWhole", "-2147483649 is out of range: at least -2147483648"),
        (
            {"flag": "false"},
            "flag",
            'expected true or false, got the string "false"; write it without quotes',
        ),
        ({"flag": "no"}, "flag", 'expected true or false, got the string "no"'),
        ({"flag": 0}, "flag", "expected true or false, got the number 0"),
        ({"share": 1.5}, "share", "expected a whole number or a percentage such as 25%, got the number 1.5"),
        (
            {"share": "half"},
            "share",
            'expected a whole number or a percentage such as 25%, got the string "half"',
        ),
        (
            {"share": "12"},
            "share",
            'expected a whole number or a percentage such as 25%, got the string "12"; write it without quotes',
        ),
        ({"share": -1}, "share", "-1 is out of range: at least 0"),
        ({"amount": {}}, "amount", "expected a quantity such as 4, 500m or 2Gi, got a mapping"),
        ({"amount": True}, "amount", "expected a quantity such as 4, 500m or 2Gi, got the boolean true"),
        ({"labels": {"a": 1}}, "labels.a", "expected a string, got the number 1; put quotes around it"),
        ({"labels": [1]}, "labels", "expected a mapping, got a list"),
        (
            {"amounts": {"x.y/z": []}},
            "amounts[x.y/z]",
            "expected a quantity such as 4, 500m or 2Gi, got a list",
        ),
        ({"names": "a"}, "names", 'expected a list, got the string "a"'),
        ({"names": {"a": 1}}, "names", 'expected a list, got a mapping; start each item with "- "'),
        ({"names": ["a", 2]}, "names[1]", "expected a string, got the number 2; put quotes around it"),
        ({"inner": "a"}, "inner", 'expected a mapping, got the string "a"'),
        (
            {"inners": [{"name": 1}]},
            "inners[0].name",
            "expected a string, got the number 1; put quotes around it",
        ),
        ({"byName": {"k": {"name": []}}}, "byName.k.name", "expected a string, got a list"),
    ],
)
def test_mismatch(data, path, message):
    with pytest.raises(ShapeError) as caught:
        decode(data, Sample)
    assert [(path_text(m.path), m.message) for m in caught.value.mismatches] == [(path, message)]


def test_every_mismatch_in_the_order_of_the_fields():
    with pytest.raises(ShapeError) as caught:
        decode({"flag": 1, "text": 1, "labels": {"a": 1, "b": 2}, "unknown": object()}, Sample)
    assert [path_text(m.path) for m in caught.value.mismatches] == ["text", "flag", "labels.a", "labels.b"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"text": None, "inner": None, "names": None, "labels": None}, Sample()),
        ({"labels": {"a": None}}, Sample(labels={"a": ""})),
        ({"amounts": {"cpu": None}}, Sample(amounts={"cpu": 0})),
        ({"names": [None, "b"]}, Sample(names=("", "b"))),
        ({"inners": [None]}, Sample(inners=(Inner(),))),
        ({"byName": {"a": None}}, Sample(by_name={"a": Inner()})),
        ({"inner": {"name": None}, "anything": {"x": None}}, Sample(anything={"x": None})),
    ],
)
def test_null(data, expected):
    assert decode(data, Sample) == expected


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.kind)
def test_slow_way_agrees_with_msgspec_for_every_kind(kind: Kind):
    data = {
        "apiVersion": kind.api_versions[0],
        "kind": kind.kind,
        "metadata": {"name": "x", "labels": {"a": "b"}},
    }
    assert decode_slowly(data, kind.type) == msgspec.convert(data, kind.type)
