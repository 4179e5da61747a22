"""Rules for the names that a pod resolves and has."""

from __future__ import annotations

from kschedctl.admission.gates import AdmissionGates
from kschedctl.admission.validation.field import Field, Problems
from kschedctl.admission.validation.syntax import dns_search, dns_subdomain, ip_address

_MAX_NAMESERVERS = 3
_MAX_SEARCHES = 32
_MAX_SEARCH_LIST = 2048
_MAX_HOSTNAME = 64


def validate_dns_config(config: Field, policy: str, gates: AdmissionGates) -> Problems:
    """Name servers, search list and options; `dnsPolicy: None` needs them."""
    servers, searches = config["nameservers"], config["searches"]
    if policy == "None":
        if not config.is_set:
            yield config.required("must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not servers.items:
            yield servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None")
            return
    if len(servers.items) > _MAX_NAMESERVERS:
        yield servers.invalid(f"must not have more than {_MAX_NAMESERVERS} nameservers")
    for server in servers.items:
        yield from ip_address(server, strict=gates.strict_addresses)
    if len(searches.items) > _MAX_SEARCHES:
        yield searches.invalid(f"must not have more than {_MAX_SEARCHES} search paths")
    if len(" ".join(searches.texts).encode()) > _MAX_SEARCH_LIST:
        yield searches.invalid(
            f"must not have more than {_MAX_SEARCH_LIST} characters (including spaces) in the search list"
        )
    for search in searches.items:
        yield from dns_search(search)
    for option in config["options"].items:
        if not option["name"].text:
            yield option.required("must not be empty")


def validate_host_aliases(aliases: Field, gates: AdmissionGates) -> Problems:
    """Entries of the pod's hosts file."""
    for alias in aliases.items:
        yield from ip_address(alias["ip"], strict=gates.strict_addresses)
        for name in alias["hostnames"].items:
            yield from dns_subdomain(name)


def validate_hostname_override(spec: Field) -> Problems:
    """The host name that stands in for all others."""
    override = spec["hostnameOverride"]
    if not override.is_set:
        return
    for name in ("setHostnameAsFQDN", "hostNetwork"):
        if spec[name].is_true:
            yield override.forbidden(f"may not be specified when {name} is true")
    if len(override.text.encode()) > _MAX_HOSTNAME:
        yield override.too_long(_MAX_HOSTNAME)
    yield from dns_subdomain(override)
