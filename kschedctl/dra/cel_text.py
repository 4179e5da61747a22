"""CEL texts: expressions rewritten for our data, errors in the words of the scheduler (spec 05 §4.10)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from kschedctl.errors import UnsupportedError

_TOKEN = re.compile(
    r"""(?P<string>[rRbB]{0,2}(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    r"""|(?P<comment>//[^\n]*)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<space>\s+)|(?P<other>.)""",
    re.DOTALL,
)
_DOMAINS = ("attributes", "capacity")
LOOKUP = {name: f"device_{name}_by_domain" for name in _DOMAINS}
"""Map of domains -> the variable in which domains that the device lacks are empty maps."""

QUANTITY = "map(int, string)"
_SEMVER = re.compile(r"(?<=[(, ])bytes(?=[,)])")
"""The types that stand for quantities and versions; no other value of a selector has them."""

_MISSING = frozenset(
    {
        "all",
        "exists",
        "existsOne",
        "exists_one",
        "authorizer",
        "cidr",
        "containsCIDR",
        "containsIP",
        "family",
        "format",
        "getEscapedPath",
        "getHost",
        "getHostname",
        "getPort",
        "getQuery",
        "getScheme",
        "group",
        "ip",
        "isCIDR",
        "isGlobalUnicast",
        "isIP",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isLoopback",
        "isURL",
        "isUnspecified",
        "masked",
        "path",
        "prefixLength",
        "resource",
        "sortBy",
        "transformList",
        "transformMap",
        "transformMapEntry",
        "url",
        "validate",
    }
)
"""Functions of Kubernetes that are not there; the first four are known with one variable only."""

_UNDECLARED = re.compile(r"undeclared reference to '([^']+)'")
_NO_LIST_OVERLOAD = re.compile(r"no matching overload for '((?:last)?[iI]ndexOf)' applied to '\(list")
_NO_FIELD = re.compile(r"undeclared reference to 'device\.(\w+)' \(in container ''\)")
_NO_KEY = re.compile(r'Key not found in map : "?(.*?)"?$', re.DOTALL)
_NO_OVERLOAD = re.compile(
    r"No matching overloads found : (?:\((?P<target>\w+)\)\.)?(?P<name>[^(]+)(?:\((?P<args>.*)\))?$"
)
_PLAIN_STRING = re.compile(r""""[^"\\\n]+"|'[^'\\\n]+'""")
_PLAIN_FIELDS = ([".", "driver"], [".", "allowMultipleAllocations"])
_MISSING_KEY = "no such key: "
_FIELD_IS_THERE = re.compile(
    r"\bhas\(\s*device\s*\.\s*(?:driver|attributes|capacity|allowMultipleAllocations)\s*\)"
)
_INDEX = re.compile(r"Index error: index=(-?\d+) size=\d+")
_KINDS = {"int64": "int", "uint64": "uint", "map": "kubernetes.Quantity", "bytes": "kubernetes.Semver"}


class Read(NamedTuple):
    """An attribute or a capacity that is looked up by its full name."""

    kind: str
    """`attributes` or `capacity`."""
    domain: str
    name: str


class Rewritten(Struct, frozen=True):
    """An expression in terms of our variables."""

    text: str
    strings: tuple[str, ...]
    """String literals and selected names: the domains that it can ask for."""
    aliased: bool
    """Whether it hands a map of domains on, so that nobody sees what is looked up there."""
    reads: frozenset[Read] | None
    """All attributes and capacities on which the answer depends, None where that cannot be told."""


Token = tuple[str, str]
"""Kind (`string`, `comment`, `name`, `space`, `other`) and text; a token of kind `other` is one character."""


def tokens(expression: str) -> list[Token]:
    """An expression in pieces, none left out."""
    return [(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(expression)]


def rewrite(expression: str) -> Rewritten:
    """Let every look-up of a domain go to the variable that knows all the domains asked for."""
    found = tokens(expression)
    strings = [_unquoted(text) for kind, text in found if kind == "string"]
    solid = [i for i, (kind, _) in enumerate(found) if kind not in ("space", "comment")]
    texts = [text for _, text in found]
    aliased = False
    reads: set[Read | None] = set()

    def before(at: int) -> list[str]:
        return [found[j][1] for j in solid[max(0, at - 2) : at]]

    for at, i in enumerate(solid):
        following = [texts[j] for j in solid[at : at + 9]] + [""] * 9
        if following[0] == "device" and following[1:3] not in _PLAIN_FIELDS:
            reads.add(_read(following[2:]))
        if following[:2] != ["device", "."] or following[2] not in _DOMAINS:
            continue
        if before(at)[-1:] == ["."]:
            continue
        aliased |= not (_looks_up(following[3:]) or _is_walked(following[3:], before(at)))
        if _looks_up(following[3:]):
            texts[i] = LOOKUP[following[2]]
            texts[solid[at + 1]] = texts[solid[at + 2]] = ""
            strings += [name for name in following[4:6] if name.isidentifier()]
    told = None if None in reads else frozenset(read for read in reads if read is not None)
    return Rewritten("".join(texts), tuple(dict.fromkeys(strings)), aliased, told)


def _read(following: list[str]) -> Read | None:
    """What `attributes["domain"].name` or `attributes["domain"]["name"]` reads, None for all other forms."""
    kind, opened, domain, closed, *then = following
    if kind not in _DOMAINS or opened != "[" or closed != "]" or not _PLAIN_STRING.fullmatch(domain):
        return None
    if then[0] == "." and then[1].isidentifier() and then[2] != "(":
        return Read(kind, domain[1:-1], then[1])
    if then[0] == "[" and then[2] == "]" and _PLAIN_STRING.fullmatch(then[1]):
        return Read(kind, domain[1:-1], then[1][1:-1])
    return None


def _looks_up(following: list[str]) -> bool:
    """Whether the tokens after a map of domains index it or select from it."""
    if following[0] == "[":
        return True
    if following[0] != ".":
        return False
    rest = following[2:] if following[1] == "?" else following[1:]
    return rest[0].isidentifier() and rest[1] != "("


def _is_walked(following: list[str], preceding: list[str]) -> bool:
    """Whether a map of domains is only iterated, measured or searched for a key."""
    return following[:1] == ["."] or preceding[-1:] == ["in"] or preceding == ["size", "("]


def without_presence_tests(expression: str) -> str:
    """The expression with `true` for questions whether a device has the fields that every device has.

    Places stay what they were: errors name them.
    """
    return _FIELD_IS_THERE.sub(lambda found: "true".ljust(len(found[0])), expression)


def _unquoted(text: str) -> str:
    body = text.lstrip("rRbB")
    width = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    return body[width:-width]


def compile_problem(text: str) -> str:
    """The error text of a failed compilation.

    Raises:
        UnsupportedError: the expression uses a function of Kubernetes that is not there.
    """
    body = text.removeprefix("INVALID_ARGUMENT: ").removesuffix(" [INVALID_ARGUMENT]")
    missing = sorted(set(_UNDECLARED.findall(body)) & _MISSING) + _NO_LIST_OVERLOAD.findall(body)
    if missing:
        raise UnsupportedError(
            f"the CEL function {missing[0]} of a device selector is not evaluated",
            hint="write the selector without it",
        )
    body = _NO_FIELD.sub(r"undefined field '\1'", body)
    return "compilation failed: " + _SEMVER.sub(
        "kubernetes.Semver", body.replace(QUANTITY, "kubernetes.Quantity")
    )


def missing_key(text: str) -> str | None:
    """The key that the text of a runtime problem says is missing."""
    return text.removeprefix(_MISSING_KEY) if text.startswith(_MISSING_KEY) else None


def with_advice(text: str) -> str:
    """The error of a selector, with what kube-scheduler advises about keys that are not there."""
    if _MISSING_KEY not in text:
        return text
    chaining = "using CEL optional chaining (.? followed by orValue())"
    return f"{text}. consider {chaining} or guarding the check with has() for optional fields"


def runtime_problem(text: str) -> str:
    """The error text of a failed evaluation."""
    body = re.sub(r"^[A-Z_]+: ", "", text)
    if found := _NO_KEY.search(body):
        return f"{_MISSING_KEY}{found[1]}"
    if found := _NO_OVERLOAD.search(body):
        if not found["name"].isidentifier():
            return "no such overload"
        kinds = ", ".join(_overload_kinds(found["target"], found["args"]))
        return f"no such overload: {found['name'].removeprefix('k8s_')}({kinds})"
    if found := _INDEX.search(body):
        return f"index out of bounds: {found[1]}"
    return {"divide by zero": "division by zero"}.get(body, body)


def _overload_kinds(target: str | None, args: str) -> Iterator[str]:
    for kind in ([target] if target else []) + [a for a in args.split(", ") if a]:
        yield _KINDS.get(kind, kind)
