import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.objects.go import div, parse_int, quote, round_half_away, wrap_int64


@pytest.mark.parametrize(
    ("a", "b", "quotient"),
    [(7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (0, -5, 0), (-300, 7, -42)],
)
def test_division_truncates_toward_zero(a: int, b: int, quotient: int) -> None:
    assert div(a, b) == quotient


@given(st.integers(), st.integers().filter(bool))
def test_division_leaves_a_remainder_with_the_sign_of_the_dividend(a: int, b: int) -> None:
    remainder = a - div(a, b) * b
    assert abs(remainder) < abs(b)
    assert remainder == 0 or (remainder < 0) == (a < 0)


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        div(1, 0)


@pytest.mark.parametrize(
    ("x", "rounded"),
    [
        (0.5, 1),
        (-0.5, -1),
        (2.5, 3),
        (0.49999999999999994, 0),
        (1.2, 1),
        (-1.7, -2),
        (4503599627370497.0, 4503599627370497),
    ],
)
def test_halves_go_away_from_zero(x: float, rounded: int) -> None:
    assert round_half_away(x) == rounded


@given(st.floats(-1e15, 1e15))
def test_rounding_is_never_off_by_more_than_a_half(x: float) -> None:
    assert math.fabs(round_half_away(x) - x) <= 0.5


@pytest.mark.parametrize(
    ("x", "wrapped"), [(2**63, -(2**63)), (2**64, 0), (-(2**63) - 1, 2**63 - 1), (2**63 - 1, 2**63 - 1)]
)
def test_int64_wraps(x: int, wrapped: int) -> None:
    assert wrap_int64(x) == wrapped


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        ("a\tb\n", '"a\\tb\\n"'),
        ("é", '"é"'),
        ("\x00", '"\\x00"'),
        ("\u200b", '"\\u200b"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("text", "bits", "number"),
    [
        pytest.param("0", 64, 0, id="nothing"),
        pytest.param("+7", 64, 7, id="plus"),
        pytest.param("-007", 64, -7, id="zeros in front"),
        pytest.param("9223372036854775807", 64, 2**63 - 1, id="largest"),
        pytest.param("9223372036854775808", 64, None, id="one too large"),
        pytest.param("-9223372036854775808", 64, -(2**63), id="smallest"),
        pytest.param("2147483648", 32, None, id="too large for 32 bits"),
        pytest.param("-2147483648", 32, -(2**31), id="smallest of 32 bits"),
        pytest.param("9" * 5_000, 64, None, id="many digits"),
        pytest.param("0" * 5_000 + "1", 64, 1, id="many zeros"),
        pytest.param("", 64, None, id="empty"),
        pytest.param("1_0", 64, None, id="as Python writes it"),
        pytest.param("\u0661", 64, None, id="another digit"),
        pytest.param("1.0", 64, None, id="a fraction"),
    ],
)
def test_numbers_are_read_as_go_reads_them(text, bits, number):
    assert parse_int(text, bits) == number
