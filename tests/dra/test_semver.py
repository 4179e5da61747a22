"""Semantic versions: the strict grammar, normalisation and precedence."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kschedctl.dra.semver import SemverError, parse


def test_precedence_is_that_of_the_standard() -> None:
    texts = (
        "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.10.0"
    )
    versions = [parse(text) for text in texts.split()]
    assert all(a < b for a, b in pairwise(versions))
    assert all(a <= b and a <= a and not b <= a for a, b in pairwise(versions))


def test_build_metadata_does_not_count() -> None:
    assert parse("1.2.3+a") == parse("1.2.3+b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("v1", "1.0.0"), ("1.2", "1.2.0"), ("v01.02.03", "1.2.3"), ("1.2.3-rc.1", "1.2.3-rc.1")],
)
def test_normalize(text: str, expected: str) -> None:
    assert str(parse(text, normalize=True)) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("v1.2.3", 'Invalid character(s) found in major number "v1"'),
        ("1.02.3", 'Minor number must not contain leading zeroes "02"'),
    ],
)
def test_strict(text: str, problem: str) -> None:
    with pytest.raises(SemverError) as failure:
        parse(text)
    assert str(failure.value) == problem


@pytest.mark.parametrize("number", ["18446744073709551616", "9" * 5_000])
@pytest.mark.parametrize("version", ["{}.0.0", "1.2.{}", "1.0.0-rc.{}"])
def test_numbers_have_64_bits(number: str, version: str) -> None:
    assert parse(version.format(2**64 - 1)) > parse("1.0.0-alpha")
    with pytest.raises(SemverError, match=r"^strconv\.ParseUint: parsing .* value out of range$"):
        parse(version.format(number))


@pytest.mark.parametrize("text", ["1.2-rc", "1+b"])
def test_short_versions_with_more_are_refused(text: str) -> None:
    with pytest.raises(SemverError):
        parse(text, normalize=True)
