"""Device selectors: compiled once, evaluated once per distinct device (spec 05 §4.10)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from kschedctl.dra import semver
from kschedctl.dra.cel_budget import BUDGET, may_grow_beyond_memory
from kschedctl.dra.cel_derived import as_attribute, derived_type_problem
from kschedctl.dra.cel_operators import with_checked_operators
from kschedctl.dra.cel_text import (
    LOOKUP,
    Read,
    Rewritten,
    compile_problem,
    missing_key,
    rewrite,
    runtime_problem,
    without_presence_tests,
)
from kschedctl.dra.devices import DeviceFacts
from kschedctl.dra.problem import CelProblem
from kschedctl.errors import UnsupportedError
from kschedctl.objects.resource import DeviceAttribute

_Answer = TypeVar("_Answer")
_LONGEST_SHOWN = 200


class _Program:
    """An expression in two forms, each compiled when a device first needs it.

    Args:
        environment: what compiles.
        rewritten: the expression.

    Raises:
        UnsupportedError: it cannot be compiled.
    """

    def __init__(self, environment: Any, rewritten: Rewritten) -> None:
        self._environment = environment
        self.rewritten = rewritten

    @cached_property
    def _plain(self) -> Any:
        return self._compiled(self.rewritten.text)

    @cached_property
    def _checked(self) -> Any:
        """With comparisons that know what cannot be done with versions."""
        return self._compiled(with_checked_operators(self.rewritten.text))

    def _compiled(self, text: str) -> Any:
        try:
            return self._environment.compile(text)
        except RuntimeError as error:
            raise UnsupportedError(f"the device selector {text} is not evaluated") from error

    def on(self, device: DeviceFacts) -> Any:
        """The form that is right for a device; the checked one takes longer."""
        reads = self.rewritten.reads
        values = device.attributes.values() if reads is None else _values(device, reads)
        with_versions = "semver" in self.rewritten.text or any(map(_has_version, values))
        return self._checked if with_versions else self._plain


class DeviceSelectors:
    """Evaluates selectors and remembers the answers.

    The library behind it is loaded with the first selector.

    Args:
        lists: whether attributes may be lists.
    """

    def __init__(self, *, lists: bool = False) -> None:
        self._lists = lists
        self._environment: Any = None
        self._programs: dict[str, _Program | CelProblem] = {}
        self._answers: dict[tuple[str, DeviceFacts], bool | CelProblem] = {}
        self._alike: dict[Hashable, bool | CelProblem] = {}
        self._derived: dict[tuple[str, DeviceFacts], DeviceAttribute | CelProblem] = {}
        self._problems: dict[DeviceFacts, CelProblem | None] = {}

    def __reduce__(self) -> tuple[partial[DeviceSelectors], tuple[()]]:
        """What travels: what it is told. Compiled selectors stay where they are, and answers are found anew."""
        return partial(type(self), lists=self._lists), ()

    def matches(self, expression: str, device: DeviceFacts) -> bool | CelProblem:
        """Whether a selector selects a device.

        Raises:
            UnsupportedError: the selector needs something that is not there.
        """
        key = (expression, device)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._answers[key] = self._evaluate(expression, device)
        return answer

    def derived(self, expression: str, device: DeviceFacts) -> DeviceAttribute | CelProblem:
        """The attribute that an expression computes of a device (spec 06 §5.5).

        Raises:
            UnsupportedError: the expression needs something that is not there.
        """
        key = (expression, device)
        known = self._derived.get(key)
        if known is None:
            known = self._derived[key] = self._derive(expression, device)
        return known

    def _derive(self, expression: str, device: DeviceFacts) -> DeviceAttribute | CelProblem:
        key = f"derived {expression}"
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self._compile(expression, derived_type_problem)
        if isinstance(program, CelProblem):
            return program
        problem = _conversion_problem(device, lists=self._lists)
        return _answer(program, device, as_attribute) if problem is None else problem

    def _evaluate(self, expression: str, device: DeviceFacts) -> bool | CelProblem:
        program = self._programs.get(expression)
        if program is None:
            program = self._programs[expression] = self._compile(expression, _selector_type_problem)
        if isinstance(program, CelProblem):
            return program
        if device not in self._problems:
            self._problems[device] = _conversion_problem(device, lists=self._lists)
        problem = self._problems[device]
        if problem is not None:
            return problem
        if program.rewritten.reads is None:
            return _answer(program, device, _as_bool)
        key = (expression, *_values(device, program.rewritten.reads))
        if key not in self._alike:
            self._alike[key] = _answer(program, device, _as_bool)
        return self._alike[key]

    def _compile(self, expression: str, type_problem: Callable[[str], str]) -> _Program | CelProblem:
        """Check the expression as it is written, so that errors name its own places, and rewrite it then."""
        if self._environment is None:
            self._environment = _new_environment()
        expression = without_presence_tests(expression)
        if may_grow_beyond_memory(expression):
            raise too_costly(expression)
        try:
            checked = self._environment.compile(expression)
        except RuntimeError as error:
            if "recursion" in str(error):  # at a depth of 32, where kube-scheduler goes on to 250
                raise UnsupportedError(
                    f"a device selector is nested too deeply to be evaluated: {_shown(expression)}",
                    hint="write the selector with fewer levels, or join them by && and ||",
                ) from error
            return CelProblem("compile", compile_problem(str(error)))
        problem = type_problem(checked.return_type().name().lower())
        if problem:
            return CelProblem("compile", problem)
        return _Program(self._environment, rewrite(expression))


def _selector_type_problem(kind: str) -> str:
    return "" if kind in ("bool", "dyn") else f"must evaluate to bool or the unknown type, not {kind}"


def _answer(
    program: _Program, device: DeviceFacts, read: Callable[[Any], _Answer | CelProblem]
) -> _Answer | CelProblem:
    """What an expression gives for a device, as `read` understands the result."""
    data, expression = _device_data(device), program.on(device)
    domains = [*program.rewritten.strings, device.driver]
    while True:
        answer = read(_run(program, expression, data | _all_domains(data, domains)))
        missing = missing_key(answer.text) if isinstance(answer, CelProblem) else None
        if missing is None:
            return answer
        if program.rewritten.aliased:
            raise UnsupportedError(
                f"what a device selector looks up cannot be told: {program.rewritten.text}",
                hint="write device.attributes or device.capacity where a domain of them is looked up",
            )
        if missing in domains:
            return answer
        domains.append(missing)  # a domain that is computed; where it is no domain, nothing changes


def _values(device: DeviceFacts, reads: Iterable[Read]) -> Iterator[Hashable]:
    """All that a selector can see of a device which reads nothing else."""
    yield device.driver
    yield device.allow_multiple_allocations
    for kind, domain, name in reads:
        found: Mapping[str, Any] = device.attributes if kind == "attributes" else device.capacity
        yield found.get(f"{domain}/{name}")
        yield found.get(name) if domain == device.driver else None


def _has_version(value: Hashable) -> bool:
    if not isinstance(value, DeviceAttribute):
        return False
    return value.version_value is not None or value.version_values is not None


def _run(program: _Program, expression: Any, data: dict[str, Any]) -> Any:
    BUDGET.begin()
    failure: Exception | None = None
    result: Any = None
    try:
        result = expression.eval(data=data)
    except RuntimeError as error:  # more than 10,000 iterations
        failure = error
    try:
        BUDGET.end()
    except MemoryError as error:  # large values, or too much to do
        failure = error
    if failure is not None:
        raise too_costly(program.rewritten.text) from failure
    return result


def too_costly(expression: str) -> UnsupportedError:
    """The error of an expression that is not evaluated, though kube-scheduler may have an answer."""
    return UnsupportedError(
        f"a device selector is too costly to be evaluated: {_shown(expression)}",
        hint="write the selector without nested iterations and repeated replacements",
    )


def _shown(expression: str) -> str:
    return expression if len(expression) <= _LONGEST_SHOWN else f"{expression[:_LONGEST_SHOWN]}…"


def attribute_text(device: DeviceFacts, expression: str) -> str:
    """What a device has of all that an expression names, for people."""
    values: dict[str, object] = {name: _plain(value) for name, value in device.attributes.items()}
    values |= {name: str(quantity) for name, quantity in device.capacity.items()}
    named = {name: value for name, value in values.items() if name.rpartition("/")[2] in expression}
    if "device.driver" in expression or not named:
        named["driver"] = device.driver
    return ", ".join(f"{name}={value}" for name, value in named.items())


def _new_environment() -> Any:
    try:
        from cel_expr_python import cel
        from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings
    except ImportError as error:
        raise UnsupportedError(
            "device selectors are written in CEL, and the library that evaluates them is not installed",
            hint="pip install cel-expr-python",
        ) from error
    from kschedctl.dra.cel_library import declarations

    kinds = cel.Type
    attributes = kinds.Map(kinds.STRING, kinds.Map(kinds.STRING, kinds.DYN))
    capacity = kinds.Map(kinds.STRING, kinds.Map(kinds.STRING, kinds.Map(kinds.INT, kinds.STRING)))
    return cel.NewEnv(
        variables={
            "device.driver": kinds.STRING,
            "device.allowMultipleAllocations": kinds.BOOL,
            "device.attributes": attributes,
            "device.capacity": capacity,
            LOOKUP["attributes"]: attributes,
            LOOKUP["capacity"]: capacity,
        },
        extensions=[ext_strings.ExtStrings(2), ext_bindings.ExtBindings(), ext_optional.ExtOptional()],
        functions=declarations(),
    )


def _conversion_problem(device: DeviceFacts, *, lists: bool) -> CelProblem | None:
    """Why the first odd attribute of a device keeps every selector from being evaluated."""
    for name, attribute in device.attributes.items():
        try:
            value = _attribute_value(attribute, lists=lists)
        except semver.SemverError as error:
            return CelProblem("runtime", f"attribute {name}: parse semantic version: {error}")
        if value is None:
            return CelProblem("runtime", f"attribute {name}: unsupported attribute value")
    return None


def _device_data(device: DeviceFacts) -> dict[str, Any]:
    attributes: dict[str, dict[str, Any]] = {}
    for name, attribute in device.attributes.items():
        domain, short = _qualified(name, device.driver)
        attributes.setdefault(domain, {})[short] = _attribute_value(attribute, lists=True)
    capacity: dict[str, dict[str, Any]] = {}
    for name, quantity in device.capacity.items():
        domain, short = _qualified(name, device.driver)
        capacity.setdefault(domain, {})[short] = {0: str(quantity.nano)}
    return {
        "device.driver": device.driver,
        "device.allowMultipleAllocations": device.allow_multiple_allocations,
        "device.attributes": attributes,
        "device.capacity": capacity,
    }


def _all_domains(data: dict[str, Any], asked: Sequence[str]) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {domain: {} for domain in asked}
    return {variable: empty | data[f"device.{name}"] for name, variable in LOOKUP.items()}


def _qualified(name: str, driver: str) -> tuple[str, str]:
    domain, slash, short = name.partition("/")
    return (domain, short) if slash else (driver, name)


def _attribute_value(attribute: DeviceAttribute, *, lists: bool) -> Any:
    if lists:
        values = (attribute.int_values, attribute.bool_values, attribute.string_values)
        found = next((list(value) for value in values if value is not None), None)
        if found is not None:
            return found
        if attribute.version_values is not None:
            return [_version(text) for text in attribute.version_values]
    if attribute.version_value is not None:
        return _version(attribute.version_value)
    return next(
        (v for v in (attribute.int_value, attribute.bool_value, attribute.string_value) if v is not None),
        None,
    )


def _version(text: str) -> bytes:
    return str(semver.parse(text)).encode()


def _plain(attribute: DeviceAttribute) -> object:
    values = (attribute.int_value, attribute.bool_value, attribute.string_value, attribute.version_value)
    return next((v for v in values if v is not None), None)


def _as_bool(result: Any) -> bool | CelProblem:
    value = result.value()
    if isinstance(value, bool):
        return value
    kind = result.type().name().lower()
    if kind == "error":
        return CelProblem("runtime", runtime_problem(str(value)))
    conversion = f"unsupported type conversion from '{kind}' to bool"
    if stands_for := _stands_for(value):
        kind, conversion = f"kubernetes.{stands_for}", f"type conversion error from '{stands_for}' to 'bool'"
    text = f"CEL result of type {kind} could not be converted to bool: {conversion}"
    return CelProblem("runtime", text)


def _stands_for(value: Any) -> str | None:
    """The type of Kubernetes that a result stands for, None for a value of CEL itself."""
    if isinstance(value, bytes | bytearray):
        return "Semver"
    if isinstance(value, dict) and list(value) == [0]:
        return "Quantity"
    return None
