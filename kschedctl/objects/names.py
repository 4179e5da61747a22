"""Syntax of names, label keys and label values, with the texts of the API server."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_DNS_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN: Final = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_QUALIFIED})?"

_dns_label = re.compile(_DNS_LABEL)
_dns_subdomain = re.compile(_DNS_SUBDOMAIN)
_qualified = re.compile(_QUALIFIED)
_label_value = re.compile(_LABEL_VALUE)

_ENDS = "and must start and end with an alphanumeric character"
_QUALIFIED_TEXT: Final = (
    f"must consist of alphanumeric characters, '-', '_' or '.', {_ENDS} (e.g. 'MyName',  or 'my.name',  "
    f"or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
_LABEL_VALUE_TEXT: Final = (
    f"a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', {_ENDS} "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_LABEL_VALUE}')"
)
_DNS_LABEL_TEXT: Final = (
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', {_ENDS} "
    f"(e.g. 'my-name',  or '123-abc', regex used for validation is '{_DNS_LABEL}')"
)
_DNS_SUBDOMAIN_TEXT: Final = (
    f"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', {_ENDS} "
    f"(e.g. 'example.com', regex used for validation is '{_DNS_SUBDOMAIN}')"
)


def too_long(limit: int, unit: str = "characters") -> str:
    """What the API server says of a name that is longer; what it says in bytes depends on the field."""
    return f"must be no more than {limit} {unit}"


def size(text: str) -> int:
    """The length that limits are about, in bytes, whatever their texts say."""
    return len(text.encode(errors="surrogatepass"))


def dns_label_problems(name: str, unit: str = "characters") -> tuple[str, ...]:
    """What keeps a name from being an RFC 1123 label, as the API server says it."""
    problems = [too_long(63, unit)] if size(name) > 63 else []
    if not _dns_label.fullmatch(name):
        problems.append("must not contain dots" if _dns_subdomain.fullmatch(name) else _DNS_LABEL_TEXT)
    return tuple(problems)


def dns_subdomain_problems(name: str, unit: str = "characters") -> tuple[str, ...]:
    """What keeps a name from being an RFC 1123 subdomain, as the API server says it."""
    problems = [too_long(253, unit)] if size(name) > 253 else []
    if not _dns_subdomain.fullmatch(name):
        problems.append(_DNS_SUBDOMAIN_TEXT)
    return tuple(problems)


@lru_cache(maxsize=8192)
def label_key_problems(key: str, *, in_bytes: bool = True) -> tuple[str, ...]:
    """What keeps a text from being a label key, as the API server says it.

    Args:
        key: the text.
        in_bytes: newer API servers say limits of labels in bytes, and `label key` for `qualified name`.
    """
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        what = "a valid label key" if in_bytes else "a qualified name"
        return (
            f"{what} {_QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        )
    problems = []
    if slash:
        found = dns_subdomain_problems(prefix) if prefix else ("must be non-empty",)
        problems += [f"prefix part {_said(problem, in_bytes)}" for problem in found]
    if not name:
        problems.append("name part must be non-empty")
    elif size(name) > 63:
        problems.append(f"name part {_said(too_long(63), in_bytes)}")
    if not _qualified.fullmatch(name):
        problems.append(f"name part {_QUALIFIED_TEXT}")
    return tuple(problems)


@lru_cache(maxsize=8192)
def label_value_problems(value: str, *, in_bytes: bool = True) -> tuple[str, ...]:
    """What keeps a text from being a label value, as the API server says it; `in_bytes` as for keys."""
    problems = [_said(too_long(63), in_bytes)] if size(value) > 63 else []
    if not _label_value.fullmatch(value):
        problems.append(_LABEL_VALUE_TEXT)
    return tuple(problems)


def _said(limit: str, in_bytes: bool) -> str:
    return limit.replace("characters", "bytes") if in_bytes and limit.startswith("must be no more") else limit
