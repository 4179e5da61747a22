"""Amounts as people write them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kschedctl.objects.units import amount_of, amount_text, amount_texts

KI, MI, GI = 2**10, 2**20, 2**30


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 0, "0"),
        ("cpu", 1, "0.001"),
        ("cpu", 100, "0.1"),
        ("cpu", 1200, "1.2"),
        ("cpu", 4000, "4"),
        ("cpu", 10000, "10"),
        ("cpu", -500, "-0.5"),
        ("cpu", 2**63 - 1, "9223372036854775.807"),
        ("memory", 0, "0"),
        ("memory", 1, "1 byte"),
        ("memory", 1023, "1023 bytes"),
        ("memory", -1, "-1 byte"),
        ("memory", 1024, "1Ki"),
        ("memory", 512 * 2**20, "512Mi"),
        ("memory", 7 * GI // 2, "3.5Gi"),
        ("memory", 10 * GI, "10Gi"),
        ("memory", 500_000_000, "476.8Mi"),
        ("memory", -GI, "-1Gi"),
        ("memory", 2**63 - 1, "8Ei"),
        ("ephemeral-storage", GI, "1Gi"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("example.com/gpu", 8, "8"),
        ("pods", 110, "110"),
        pytest.param("cpu", 10**400, "1.0e+400", id="cpu, more than a float has"),
        pytest.param("memory", -(10**5000), "-1.0e+5000", id="memory, more digits than Python converts"),
        pytest.param(
            "example.com/gpu", 10**5000, "1.0e+5000", id="a resource, more digits than Python converts"
        ),
    ],
)
def test_amounts_are_said_as_people_write_them(resource, amount, text):
    assert amount_text(resource, amount) == text


def test_rounding_up_to_the_next_unit_says_that_unit():
    assert amount_text("memory", GI - 1) == "1Gi"


@pytest.mark.parametrize(
    ("resource", "amounts", "texts"),
    [
        pytest.param("memory", [7 * GI, 3 * GI], ["7Gi", "3Gi"], id="different as they are"),
        pytest.param("memory", [7 * GI, 7 * GI], ["7Gi", "7Gi"], id="equal"),
        pytest.param("memory", [7 * GI, 7 * GI - MI], ["7168Mi", "7167Mi"], id="by Mi"),
        pytest.param("memory", [7 * GI, 7 * GI - KI], ["7340032Ki", "7340031Ki"], id="by Ki"),
        pytest.param("memory", [GI, GI - 1], ["1073741824 bytes", "1073741823 bytes"], id="by one byte"),
        pytest.param(
            "memory", [7 * GI, 7 * GI - MI, 64 * GI], ["7168Mi", "7167Mi", "64Gi"], id="the rest as ever"
        ),
        pytest.param("memory", [-GI, -GI - MI], ["-1024Mi", "-1025Mi"], id="below nothing"),
        pytest.param("cpu", [1000, 999], ["1", "0.999"], id="cpu is exact"),
        pytest.param("pods", [110, 109], ["110", "109"], id="and so are counts"),
        pytest.param("memory", [10**30, 10**30 + 1], ["1" + "0" * 30, "1" + "0" * 29 + "1"], id="absurd"),
    ],
)
def test_amounts_that_differ_are_told_with_enough_digits(resource, amounts, texts):
    assert amount_texts(resource, amounts) == texts


NEAR = st.builds(
    lambda unit, tenths, rest: max(-(2**63), min(2**63 - 1, unit * tenths // 10 + rest)),
    st.sampled_from([1, KI, MI, GI, 2**40, 2**50, 2**60]),
    st.integers(-10300, 10300),
    st.integers(-3, 3),
)
"""Where rounding changes its mind."""


@given(
    resource=st.sampled_from(["cpu", "memory", "hugepages-2Mi", "example.com/gpu"]),
    amounts=st.lists(NEAR | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=5),
)
@example(resource="memory", amounts=[7 * GI + GI // 20 - 1, 7 * GI + GI // 20, 7 * GI, 7 * GI + GI // 10])
@example(resource="memory", amounts=[2**63 - 1, 2**63 - 2])
def test_texts_are_equal_where_amounts_are_and_only_there(resource, amounts):
    texts = amount_texts(resource, amounts)
    for amount, text in zip(amounts, texts, strict=True):
        for other, its_text in zip(amounts, texts, strict=True):
            assert (amount == other) == (text == its_text)


@pytest.mark.parametrize(
    ("amount", "text"), [(1, "1 byte of memory"), (512, "512 bytes of memory"), (GI, "1Gi memory")]
)
def test_an_amount_is_told_with_its_unit(amount, text):
    assert amount_of("memory", amount_text("memory", amount)) == text
