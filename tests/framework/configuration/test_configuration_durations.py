import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedctl.framework.configuration.duration import Duration, parse_duration

SECOND = 10**9


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        pytest.param("0", 0, id="zero needs no unit"),
        pytest.param("-0", 0, id="nor does a signed zero"),
        pytest.param("10s", 10 * SECOND, id="seconds"),
        pytest.param("+1m30s", 90 * SECOND, id="several parts"),
        pytest.param("-1h", -3600 * SECOND, id="negative"),
        pytest.param("1.5s", 1_500_000_000, id="fraction"),
        pytest.param(".5s", 500_000_000, id="no digit before the point"),
        pytest.param("5.s", 5 * SECOND, id="no digit after the point"),
        pytest.param("0.9ns", 0, id="below a nanosecond is cut off"),
        pytest.param("100us1µs1μs", 102_000, id="three ways to write micro"),
    ],
)
def test_a_duration_is_read_as_go_reads_it(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", 'time: invalid duration ""', id="empty"),
        pytest.param("-", 'time: invalid duration "-"', id="only a sign"),
        pytest.param("s", 'time: invalid duration "s"', id="only a unit"),
        pytest.param(".s", 'time: invalid duration ".s"', id="only a point"),
        pytest.param("5", 'time: missing unit in duration "5"', id="no unit"),
        pytest.param("5d", 'time: unknown unit "d" in duration "5d"', id="unknown unit"),
        pytest.param("1 s", 'time: unknown unit " s" in duration "1 s"', id="space"),
        pytest.param("9999999h", 'time: invalid duration "9999999h"', id="too long for an int64"),
    ],
)
def test_what_is_no_duration_is_refused_in_gos_words(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^time:") as caught:
        parse_duration(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [
        (0, "0s"),
        (1, "1ns"),
        (1_500, "1.5µs"),
        (100_000_000, "100ms"),
        (SECOND, "1s"),
        (-1_500_000_000, "-1.5s"),
        (90 * SECOND, "1m30s"),
        (600 * SECOND, "10m0s"),
        (3600 * SECOND, "1h0m0s"),
    ],
)
def test_a_duration_prints_as_go_prints_it(nanoseconds: int, text: str) -> None:
    assert str(Duration(nanoseconds)) == text


@given(st.integers(-(2**62), 2**62))
def test_what_is_printed_reads_back(nanoseconds: int) -> None:
    assert parse_duration(str(Duration(nanoseconds))) == nanoseconds
