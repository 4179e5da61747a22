"""Amounts as people write them."""

import pytest

from kschedctl.objects.units import amount_text

GI = 2**30


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
        ("memory", 0, "0"),
        ("memory", 1023, "1023"),
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
    ],
)
def test_amounts_are_said_as_people_write_them(resource, amount, text):
    assert amount_text(resource, amount) == text


def test_rounding_up_to_the_next_unit_says_that_unit():
    assert amount_text("memory", GI - 1) == "1Gi"
