import pytest

from kschedctl.objects.int_or_percent import scaled


@pytest.mark.parametrize(
    ("value", "total", "up", "expected"),
    [
        (3, 10, True, 3),
        ("25%", 10, True, 3),
        ("25%", 10, False, 2),
        ("0%", 10, True, 0),
        ("100%", 4, False, 4),
    ],
)
def test_percentages_are_rounded_away_from_harm(value, total, up, expected):
    assert scaled(value, total, up=up) == expected
