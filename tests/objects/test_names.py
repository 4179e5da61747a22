import pytest

from kschedctl.objects.names import (
    dns_label_problems,
    dns_subdomain_problems,
    label_key_problems,
    label_value_problems,
)

NAME_SYNTAX = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


@pytest.mark.parametrize("key", ["app", "a.b_c-D", "example.com/App", "x" * 63, "legacy/capacityType"])
def test_good_keys(key: str) -> None:
    assert label_key_problems(key) == ()


@pytest.mark.parametrize(
    ("key", "problems"),
    [
        ("", ["name part must be non-empty", f"name part {NAME_SYNTAX}"]),
        ("bad key", [f"name part {NAME_SYNTAX}"]),
        ("x" * 64, ["name part must be no more than 63 bytes"]),
        ("-a", [f"name part {NAME_SYNTAX}"]),
        ("/a", ["prefix part must be non-empty"]),
        (
            "A/a",
            [
                "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
                "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
                "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ],
        ),
        (
            "a/b/c",
            [
                f"a valid label key {NAME_SYNTAX} with an optional DNS subdomain prefix and '/' "
                "(e.g. 'example.com/MyName')"
            ],
        ),
    ],
)
def test_bad_keys(key: str, problems: list[str]) -> None:
    assert list(label_key_problems(key)) == problems


@pytest.mark.parametrize(
    ("value", "count"),
    [("", 0), ("a", 0), ("A.b_c-1", 0), ("x" * 63, 0), ("x" * 64, 1), ("a b", 1), ("-", 1), ("a\n", 1)],
)
def test_label_values(value: str, count: int) -> None:
    assert len(label_value_problems(value)) == count


@pytest.mark.parametrize(
    ("name", "label", "subdomain"),
    [
        ("web-1", True, True),
        ("a.b", False, True),
        ("A", False, False),
        ("x" * 64, False, True),
        ("x" * 254, False, False),
        ("", False, False),
    ],
)
def test_dns_names(name: str, label: bool, subdomain: bool) -> None:
    assert (not dns_label_problems(name), not dns_subdomain_problems(name)) == (label, subdomain)
