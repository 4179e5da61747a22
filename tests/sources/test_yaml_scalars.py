"""Plain scalars, named after what Go's reader really printed for them."""

import pytest

from kschedctl.sources.yaml_scalars import key_text, resolve, resolve_tagged


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(text, value, id=text or "empty")
        for text, value in [
            ("on", True),
            ("Off", False),
            ("yes", True),
            ("NO", False),
            ("y", True),
            ("n", False),
            ("true", True),
            ("False", False),
            ("tRue", "tRue"),
            ("", None),
            ("~", None),
            ("Null", None),
            ("0", 0),
            ("-12", -12),
            ("+1", 1),
            ("1_000", 1000),
            ("0777", 511),
            ("0o777", 511),
            ("08", 8),
            ("0x1F", 31),
            ("-0b11", -3),
            ("0b2", "0b2"),
            ("1e3", 1000),
            ("1.20", 1.2),
            ("1.", 1),
            (".5", 0.5),
            ("+.5", 0.5),
            (".", "."),
            ("-", "-"),
            ("._5", "._5"),
            ("1e-7", 1e-7),
            ("1e21", 1e21),
            ("1e-400", 0),
            ("33e5421234", "33e5421234"),
            ("18446744073709551615", 18446744073709551615),
            ("18446744073709551616", 18446744073709552000),
            ("-9223372036854775808", -9223372036854775808),
            ("1:30", "1:30"),
            ("2026-03-01", "2026-03-01"),
            ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
            ("=", "="),
            ("4 cores", "4 cores"),
            ("500m", "500m"),
            ("10.0.0.1", "10.0.0.1"),
        ]
    ],
)
def test_plain_scalar(text, value):
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("8080", "8080"),
        ("0x10", "16"),
        ("on", "true"),
        ("n", "false"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("1e6", "1e+06"),
        (".inf", ".inf"),
        ("cpu", "cpu"),
        ("2026-03-01", "2026-03-01"),
    ],
)
def test_key_becomes_text(text, key):
    assert key_text(text) == key


def test_null_is_no_key():
    with pytest.raises(ValueError, match="a key cannot be null"):
        key_text("~")


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("12", "tag:yaml.org,2002:str", "12"),
        ("12", "tag:yaml.org,2002:float", 12),
        ("12", "!unknown", "12"),
        ("aGk=", "tag:yaml.org,2002:binary", "hi"),
        ("2026-03-01", "tag:yaml.org,2002:timestamp", "2026-03-01"),
        ("yes", "tag:yaml.org,2002:bool", True),
    ],
)
def test_tagged_scalar(text, tag, value):
    assert resolve_tagged(text, tag) == value


@pytest.mark.parametrize(("text", "tag"), [("x", "int"), ("yes", "int"), ("1", "bool"), ("1", "null")])
def test_tag_must_fit(text, tag):
    with pytest.raises(ValueError, match=f'"{text}" is no {tag}'):
        resolve_tagged(text, f"tag:yaml.org,2002:{tag}")
