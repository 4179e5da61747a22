"""Groups of options: a verb takes a dataclass, the command line gets an option for each of its fields.

The first line of its docstring is the heading under which `--help` lists them. A verb that has an option of its own
for a field says so beside the type: `Annotated[ReportOptions, {"output": Annotated[...]}]`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints


def grouped(verb: Callable[..., int]) -> Callable[..., int]:
    """Let each parameter of `verb` that is typed as a dataclass stand for one option per field."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: _bare(hint) for name, hint in hints.items() if is_dataclass(_bare(hint))}
    parameters = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            parameters += _parameters_of(groups[name], hints[name])
        else:
            keyword_only = inspect.Parameter.KEYWORD_ONLY
            parameters.append(parameter.replace(annotation=hints[name], kind=keyword_only))

    @functools.wraps(verb)
    def call(**values: Any) -> int:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        return verb(**values)

    call.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    del call.__wrapped__
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _parameters_of(group: Any, hint: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for own in get_args(hint)[1:]:
        assert isinstance(own, Mapping), "beside the type of a group stand its own options, by field"
        hints |= own
    heading = (inspect.getdoc(group) or "Options").splitlines()[0].rstrip(".")
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=_under(heading, hints[field.name]),
        )
        for field in fields(group)
    ]


def _under(heading: str, hint: Any) -> Any:
    """The option of a field, listed under a heading."""
    kind, option, *rest = get_args(hint)
    option = copy(option)
    option.rich_help_panel = heading
    return Annotated[kind, option, *rest]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
