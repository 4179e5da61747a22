import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.objects.quantity import (
    FORMAT_ERROR,
    NUMERIC_ERROR,
    SUFFIX_ERROR,
    ZERO,
    Quantity,
    QuantityError,
    parse,
)

NANO = 10**9


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        ("0", 0),
        ("000", 0),
        ("-", 0),
        ("+", 0),
        (".", 0),
        ("m", 0),
        ("Ki", 0),
        ("1.", NANO),
        ("1.G", 10**9 * NANO),
        (".5", NANO // 2),
        ("1n", 1),
        ("1u", 1000),
        ("1m", 10**6),
        ("1k", 1000 * NANO),
        ("1M", 10**6 * NANO),
        ("1T", 10**12 * NANO),
        ("1P", 10**15 * NANO),
        ("1E", 10**18 * NANO),
        ("1Ki", 1024 * NANO),
        ("1Ti", 2**40 * NANO),
        ("1Pi", 2**50 * NANO),
        ("1e3", 1000 * NANO),
        ("1E-3", 10**6),
        ("1.3E+6", 1_300_000 * NANO),
        ("1.5Gi", 1610612736 * NANO),
        ("100.035Ki", 102435840000000),
        ("12E", 12 * 10**18 * NANO),
        ("-1.5", -NANO * 3 // 2),
    ],
)
def test_value(text: str, nano: int) -> None:
    assert parse(text).nano == nano


@pytest.mark.parametrize(
    ("text", "nano"),
    [
        ("3.001n", 4),
        ("0.1n", 1),
        ("-0.1n", -1),
        ("1e-100", 1),
        ("0e-100", 0),
        ("1e2147483648", 1),  # the exponent is cut to 32 bits and so becomes negative
    ],
)
def test_what_is_finer_than_nano_rounds_away_from_zero(text: str, nano: int) -> None:
    assert parse(text).nano == nano


@pytest.mark.parametrize("text", ["8Ei", "9Ei", "9223372036854775807Ki"])
def test_binary_values_are_capped(text: str) -> None:
    assert parse(text).nano == (2**63 - 1) * NANO


def test_an_absurd_exponent_is_just_too_large() -> None:
    huge = parse("1e2147483647")
    assert huge > parse("1e900")
    assert huge.value() == huge.milli_value() == 0


def test_more_digits_than_python_converts() -> None:
    assert parse("9" * 5000).nano == (10**5000 - 1) * NANO
    assert parse("0." + "0" * 5000 + "1").nano == 1


@pytest.mark.parametrize("first", ["1Ki", "1", "1e3"])
def test_sums_of_more_digits_than_python_converts_are_written(first: str) -> None:
    assert re.fullmatch(r"[0-9]{5990,}(e3)?", str(parse(first) + parse("1" * 6000)))


@pytest.mark.parametrize(
    ("error", "texts"),
    [
        (FORMAT_ERROR, ["", "   ", "1.5.5", "aoeu", "0x10", "1.1.M", "0.1am", "1KI", "1_000", "1 Gi", "१"]),
        (
            SUFFIX_ERROR,
            ["1K", "1ki", "1i", "0.1mi", "1e", "1ee3", "1+1", "-3.01e-", "1e99999999999999999999"],
        ),
        (NUMERIC_ERROR, ["Pi", "-Pi", "Ei", ".Pi"]),
    ],
)
def test_errors(error: str, texts: list[str]) -> None:
    for text in texts:
        with pytest.raises(QuantityError) as caught:
            parse(text)
        assert str(caught.value) == error, text


@pytest.mark.parametrize(
    ("raw", "text"), [(5, "5"), (0.5, "500m"), (1e3, "1k"), (1e16, "10P"), (0.00001, "10u"), ("  2 ", "2")]
)
def test_numbers_stand_for_their_text(raw: str | float, text: str) -> None:
    assert str(parse(raw)) == text


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_float_that_is_no_number_is_no_quantity(number: float) -> None:
    with pytest.raises(QuantityError):
        parse(number)


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("1.5", 2, 1500),
        ("100m", 1, 100),
        ("0.1Ki", 103, 102400),
        ("0.0005", 1, 1),
        ("0.1m", 1, 1),
        ("1.2345", 2, 1235),
        ("-1.5", -2, -1500),
        ("-0.1Ki", -101, -102400),  # the big representation is off by one on negative numbers
        ("-1.5Pi", -(3 * 2**49), -(3 * 2**49 * 1000)),
        ("123456789012345678", 123456789012345678, -5670419503621183312),
        ("1E", 10**18, 0),
        ("10E", 0, 0),
        ("1e19", 0, 0),
        ("1e100", 0, 0),
        ("9Ei", 2**63 - 1, -1000),
        ("9223372036854775808", -(2**63), 0),
    ],
)
def test_integers(text: str, value: int, milli: int) -> None:
    quantity = parse(text)
    assert (quantity.value(), quantity.milli_value()) == (value, milli)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1.5", "1500m"),
        ("0.5k", "500"),
        ("50000", "50k"),
        ("5e4", "50e3"),
        ("1e0", "1e0"),
        ("1000e0", "1e3"),
        ("0.0001Ki", "102400u"),
        ("1536Mi", "1536Mi"),
        ("1.5Gi", "1536Mi"),
        ("1025Ki", "1025Ki"),
        ("1024Ki", "1Mi"),
        ("8Ki", "8Ki"),
        ("0Gi", "0"),
        ("+5", "+5"),
        ("05", "05"),
        ("1.500", "1.500"),
        ("1023Ki", "1023Ki"),
        ("01Ki", "01Ki"),
        ("+1Ki", "+1Ki"),
        ("1e-100", "1e-9"),
        ("-1536Mi", "-1536Mi"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        ("1Gi", "1", "1073741825"),
        ("0", "1Gi", "1Gi"),
        ("500m", "1", "1500m"),
        ("1k", "1Ki", "2024"),
        ("9223372036854775807", "1", "9223372036854775808"),
    ],
)
def test_sums(left: str, right: str, total: str) -> None:
    assert str(parse(left) + parse(right)) == total


def test_an_overflowing_sum_goes_on_exactly() -> None:
    total = parse("900000000000000000") + parse("1e30")
    assert total.nano == (900000000000000000 + 10**30) * NANO
    assert total.big


def test_rounding_is_applied_to_the_sum() -> None:
    assert (parse("0.1005") + parse("0.1005")).milli_value() == 201


@pytest.mark.parametrize(
    ("text", "milli"), [("100.5m", "101m"), ("-1u", "-1m"), ("1.2345", "1235m"), ("2Gi", "2Gi")]
)
def test_the_api_server_stores_whole_millis(text: str, milli: str) -> None:
    assert str(parse(text).rounded_up_to_milli()) == milli


def test_equality_and_order_are_those_of_the_value() -> None:
    assert parse("1024") == parse("1Ki")
    assert hash(parse("1024")) == hash(parse("1Ki"))
    assert parse("1M") < parse("1Mi")
    assert ZERO.is_zero
    assert parse("1") != 1


def _texts() -> st.SearchStrategy[str]:
    number = st.from_regex(r"[+-]?[0-9]{0,20}(\.[0-9]{0,12})?", fullmatch=True)
    suffix = st.sampled_from(["", "n", "u", "m", "k", "M", "G", "E", "Ki", "Mi", "Gi", "Ti", "e3", "E-2"])
    return st.builds(str.__add__, number, suffix)


def _parsed() -> st.SearchStrategy[Quantity]:
    return st.integers(-(10**12), 10**12).flatmap(
        lambda n: st.sampled_from(["n", "u", "m", "", "k", "Ki", "Mi", "e1"]).map(lambda s: parse(f"{n}{s}"))
    )


@given(st.text(alphabet="0123456789.+-eEinumkKMGTP \t", max_size=12) | _texts())
def test_any_text_is_a_quantity_or_refused_in_the_known_words(text: str) -> None:
    refusal = ""
    try:
        quantity = parse(text)
    except QuantityError as error:
        refusal = str(error)
    if refusal:
        assert refusal in (FORMAT_ERROR, SUFFIX_ERROR, NUMERIC_ERROR)
    else:
        assert parse(str(quantity)) == quantity


@given(_parsed(), _parsed())
def test_arithmetic_is_exact(a: Quantity, b: Quantity) -> None:
    assert (a + b).nano == a.nano + b.nano
    assert (a - b).nano == a.nano - b.nano
    assert (a < b) == (a.nano < b.nano)
    assert (a <= b, a > b, a >= b) == (a.nano <= b.nano, a.nano > b.nano, a.nano >= b.nano)


@given(_parsed().filter(lambda q: q.nano >= 0))
def test_sane_integers_are_rounded_up(quantity: Quantity) -> None:
    exact = Fraction(quantity.nano, NANO)
    assert 0 <= quantity.value() - exact < 1
    if exact < 2**53:
        assert 0 <= quantity.milli_value() - exact * 1000 < 1
