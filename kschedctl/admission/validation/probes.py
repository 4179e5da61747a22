"""Rules for probes, hooks of the lifecycle and stop signals."""

from __future__ import annotations

from collections.abc import Callable

from kschedctl.admission.validation.field import Field, Problems, not_negative, one_of, one_of_or_default
from kschedctl.admission.validation.syntax import header_name, port_number, port_number_or_name

_SCHEMES = ("HTTP", "HTTPS")
_COUNTS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")

_SIGNALS = tuple(
    sorted(
        f"SIG{name}"
        for name in (
            *("ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL", "INT", "IO", "IOT", "KILL"),
            *("PIPE", "POLL", "PROF", "PWR", "QUIT", "SEGV", "STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP"),
            *("TTIN", "TTOU", "URG", "USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ", "RTMIN", "RTMAX"),
            *(f"RTMIN+{i}" for i in range(1, 16)),
            *(f"RTMAX-{i}" for i in range(1, 15)),
        )
    )
)
_SIGNALS_OF = {"linux": _SIGNALS, "windows": ("SIGKILL", "SIGTERM")}

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def validate_life(container: Field, grace: int, os: Field) -> Problems:
    """Lifecycle and probes of a container that keeps running.

    Args:
        container: the container.
        grace: termination grace period of the pod in seconds.
        os: `spec.os`.
    """
    lifecycle = container["lifecycle"]
    for hook in (lifecycle["postStart"], lifecycle["preStop"]):
        if hook.is_set:
            yield from _validate_handler(hook, ("exec", "httpGet", "tcpSocket", "sleep"), grace)
    if lifecycle["stopSignal"].is_set:
        yield from _validate_signal(lifecycle["stopSignal"], os)
    for name in PROBES:
        if container[name].is_set:
            yield from _validate_probe(name, container[name], grace)


def _validate_probe(name: str, probe: Field, grace: int) -> Problems:
    yield from _validate_handler(probe, ("exec", "httpGet", "tcpSocket", "grpc"), grace)
    for count in _COUNTS:
        yield from not_negative(probe[count])
    own_grace, successes = probe["terminationGracePeriodSeconds"], probe["successThreshold"]
    if own_grace.is_set and own_grace.number <= 0:
        yield own_grace.invalid("must be greater than 0")
    if name == "readinessProbe":
        if own_grace.is_set:
            yield own_grace.invalid("must not be set for readinessProbes")
    elif successes.number not in (0, 1):
        yield successes.invalid("must be 1")


def _validate_handler(owner: Field, names: tuple[str, ...], grace: int) -> Problems:
    rules: dict[str, Callable[[Field], Problems]] = {
        "exec": _validate_exec,
        "httpGet": _validate_http,
        "tcpSocket": lambda action: port_number_or_name(action["port"]),
        "grpc": lambda action: port_number(action["port"]),
        "sleep": lambda action: _validate_sleep(action, grace),
    }
    given = [name for name in names if owner[name].is_set]
    for name in given[:1]:
        yield from rules[name](owner[name])
    for name in given[1:]:
        yield owner[name].forbidden("may not specify more than 1 handler type")
    if not given:
        yield owner.required("must specify a handler type")


def _validate_exec(action: Field) -> Problems:
    if not action["command"].items:
        yield action["command"].required()


def _validate_http(action: Field) -> Problems:
    yield from port_number_or_name(action["port"])
    yield from one_of_or_default(action["scheme"], _SCHEMES)
    for header in action["httpHeaders"].items:
        yield from header_name(action["httpHeaders"], header["name"].text)


def _validate_sleep(action: Field, grace: int) -> Problems:
    if not 0 <= action["seconds"].number <= grace:
        detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        yield action.invalid_as(action["seconds"].number, detail)


def _validate_signal(signal: Field, os: Field) -> Problems:
    if not os.is_set:
        yield signal.forbidden("may not be set for containers with empty `spec.os.name`")
    elif os["name"].text in _SIGNALS_OF:
        yield from one_of(signal, _SIGNALS_OF[os["name"].text])
