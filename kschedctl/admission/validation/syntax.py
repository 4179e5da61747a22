"""Syntax that fields of a pod share: ports, paths, addresses, names of variables and keys, signers."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address

from kschedctl.admission.validation.field import Field, Problems, in_range
from kschedctl.objects.names import dns_label_problems, dns_subdomain_problems, size, too_long

MAX_ID = 2**31 - 1
"""Highest user and group id."""

_UNDERSCORED_LABEL = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_UNDERSCORED = rf"{_UNDERSCORED_LABEL}(\.{_UNDERSCORED_LABEL})*"
_MODE = "must be a number between 0 and 0777 (octal), both inclusive"
_NOT_AN_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"


def dns_label(field: Field) -> Problems:
    """An RFC 1123 label."""
    yield from field.invalid_each(dns_label_problems(field.text))


def dns_subdomain(field: Field) -> Problems:
    """An RFC 1123 subdomain, which is what names of most objects are."""
    yield from field.invalid_each(dns_subdomain_problems(field.text))


def without_dash_at_end(prefix: str) -> str:
    """A prefix of names as it is checked: what follows a dash at its end makes a name of it."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def dns_search(field: Field) -> Problems:
    """A domain of a search list: a subdomain with underscores, or `.` alone."""
    if field.text == ".":
        return
    name = field.text.removesuffix(".")
    at = Field(field.path, name)
    if size(name) > 253:
        yield at.invalid(too_long(253))
    if not re.fullmatch(_UNDERSCORED, name):
        yield at.invalid(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
            "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
            f"validation is '{_UNDERSCORED}')"
        )


def port_number(field: Field) -> Problems:
    """A port by number."""
    yield from in_range(Field(field.path, field.number), 1, 65535)


def port_number_or_name(field: Field) -> Problems:
    """A port by number or by name."""
    if isinstance(field.value, str):
        yield from field.invalid_each(port_name_problems(field.value))
    else:
        yield from port_number(field)


def port_name_problems(name: str) -> list[str]:
    """What keeps a text from being the name of a port."""
    problems = [too_long(15)] if size(name) > 15 else []
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def variable_name(field: Field) -> Problems:
    """The name of an environment variable."""
    if not field.text:
        yield field.invalid_as("", "environment variable name must be non-empty")
    if any(not " " <= character <= "~" or character == "=" for character in field.text):
        yield field.invalid(
            "a valid environment variable name must consist only of printable ASCII characters other than '='"
        )


def config_key(field: Field) -> Problems:
    """A key of a ConfigMap or a Secret."""
    key = field.text
    if size(key) > 253:
        yield field.invalid(too_long(253))
    if not re.fullmatch(r"[-._a-zA-Z0-9]+", key):
        yield field.invalid(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
            "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
        )
    if key in (".", ".."):
        yield field.invalid(f"must not be '{key}'")
    elif key.startswith(".."):
        yield field.invalid("must not start with '..'")


def header_name(field: Field, name: str) -> Problems:
    """The name of an HTTP header, told at the list of them."""
    if not re.fullmatch("[-A-Za-z0-9]+", name):
        yield field.invalid_as(
            name,
            "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used "
            "for validation is '[-A-Za-z0-9]+')",
        )


def no_backsteps(field: Field) -> Problems:
    """A path without `..`."""
    if ".." in field.text.split("/"):
        yield field.invalid("must not contain '..'")


def descending_path(field: Field) -> Problems:
    """A relative path that stays below where it starts."""
    if field.text.startswith("/"):
        yield field.invalid("must be a relative path")
    yield from no_backsteps(field)


def projected_path(field: Field) -> Problems:
    """A relative path whose first name is not one that the kubelet keeps for itself."""
    yield from descending_path(field)
    if field.text.startswith("..") and not field.text.startswith("../"):
        yield field.invalid("must not start with '..'")


def file_mode(field: Field) -> Problems:
    """The permission bits of a file."""
    if field.is_set and not 0 <= field.number <= 0o777:
        yield field.invalid(_MODE)


def ip_address(field: Field, *, strict: bool) -> Problems:
    """An IP address; a strict check takes no leading zeros and no IPv4 address in an IPv6 one."""
    if ":" in field.text:
        try:
            # A zone is part of an address for Python, and not for the API server.
            address = IPv6Address(field.text.replace("%", "."))
        except AddressValueError:
            yield field.invalid_as(field.text, _NOT_AN_ADDRESS)
            return
        if strict and address.ipv4_mapped is not None:
            yield field.invalid("must not be an IPv4-mapped IPv6 address")
        return
    parts = field.text.split(".")
    try:
        IPv4Address(".".join(part.lstrip("0") or part[-1:] for part in parts))
    except AddressValueError:
        yield field.invalid_as(field.text, _NOT_AN_ADDRESS)
        return
    if strict and any(len(part) > 1 and part.startswith("0") for part in parts):
        yield field.invalid("must not have leading 0s")


def signer_name(field: Field) -> Problems:
    """The name of a signer: a domain and a path."""
    name = field.text
    if not name:
        yield field.required()
        return
    parts = name.split("/")
    if len(parts) != 2:
        yield field.invalid("must be a fully qualified domain and path of the form 'example.com/signer-name'")
        return
    domain, path = parts
    if size(domain) > 253:
        yield field.too_long(253)
    labels = domain.split(".")
    for label in labels:
        if problems := dns_label_problems(label):
            for problem in problems:
                yield field.invalid_as(domain, f'validating label "{label}": {problem}')
            break
    if len(labels) < 2:
        yield field.invalid_as(domain, "should be a domain with at least two segments separated by dots")
    for label in path.split("."):
        if problems := dns_subdomain_problems(label):
            for problem in problems:
                yield field.invalid_as(path, f'validating label "{label}": {problem}')
            break
    if size(name) > 253 + 1 + 253 + 1 + 63:
        yield field.too_long(253 + 1 + 253 + 1 + 63)


def bundle_name_problems(name: str) -> tuple[str, ...]:
    """What keeps a text from being the name of a ClusterTrustBundle, which starts with that of its signer."""
    signer, colon, rest = name.rpartition(":")
    if colon and not signer:
        return ('ClusterTrustBundle without signer name must not have ":" in its name',)
    return dns_subdomain_problems(rest)
