"""Groups of options: a verb takes a struct, the command line gets an option for each of its fields.

The first line of its docstring is the heading under which `--help` lists them. A verb that has an option of its own
for a field says so beside the type: `Annotated[ReportOptions, {"output": Annotated[...]}]`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from copy import copy
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, structs


def grouped(verb: Callable[..., int]) -> Callable[..., int]:
    """Let each parameter of `verb` that is typed as a struct stand for one option per field."""
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: _bare(hint) for name, hint in hints.items() if _is_group(_bare(hint))}
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
            values[name] = group(**{field: values.pop(field) for field in group.__struct_fields__})
        return verb(**values)

    call.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    del call.__wrapped__
    call.__annotations__ = {p.name: p.annotation for p in parameters}
    return call


def _is_group(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


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
        for field in structs.fields(group)
    ]


def _under(heading: str, hint: Any) -> Any:
    """The option of a field, listed under a heading."""
    kind, option, *rest = get_args(hint)
    option = copy(option)
    option.rich_help_panel = heading
    return Annotated[kind, option, *rest]


def _default(field: structs.FieldInfo) -> Any:
    return inspect.Parameter.empty if field.default is NODEFAULT else field.default
