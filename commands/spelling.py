"""Options as kubectl takes them: `-o=json`, `--force=true`, `--dry-run=server`."""

from __future__ import annotations

from collections.abc import Sequence

from typer.core import TyperOption

from kschedctl.errors import UsageError

_TRUTH = {"true": True, "false": False}
_DRY_RUN = "--dry-run"
_DRY_RUNS = ("client", "server")


def as_kubectl_spells(arguments: Sequence[str], options: Sequence[TyperOption]) -> list[str]:
    """The arguments as the parser takes them; what follows `--` stays.

    Raises:
        UsageError: a flag is given a value that has no meaning.
    """
    by_name = {name: option for option in options for name in (*option.opts, *option.secondary_opts)}
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    found: list[str] = []
    for argument in arguments[:end]:
        name, equals, value = argument.partition("=")
        option = by_name.get(name) if equals else None
        if option is None:
            found.append(argument)
        elif not option.is_flag:
            found += [name, value] if not name.startswith("--") else [argument]
        else:
            found += _flag(name, value, option)
    return [*found, *arguments[end:]]


def _flag(name: str, value: str, option: TyperOption) -> list[str]:
    """A flag with a value: set, turned round, or left out."""
    if name == _DRY_RUN and value in _DRY_RUNS:
        return [name]
    if name == _DRY_RUN and value in ("none", "false"):
        raise UsageError(
            f"--dry-run={value} is not possible: nothing is ever written to a cluster",
            hint="Leave it out, or write --dry-run; client and server mean the same here.",
        )
    if value not in _TRUTH:
        known = ", ".join((*_DRY_RUNS, "true") if name == _DRY_RUN else _TRUTH)
        raise UsageError(f"{name}={value}: {name} takes no value but {known}", hint=f"Write {name} alone.")
    if _TRUTH[value]:
        return [name]
    opposite = option.secondary_opts if name in option.opts else option.opts
    return opposite[:1]
