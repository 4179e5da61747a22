"""Groups of options are values for verbs and single options on the command line."""

import inspect
from typing import Annotated

import typer
from msgspec import Struct

from commands.option_groups import grouped


class Pair(Struct, frozen=True):
    left: Annotated[int, typer.Option("--left")]
    right: Annotated[int, typer.Option("--right")] = 2


def verb(pair: Pair, name: str = "x") -> int:
    """What it is for."""
    return pair.left * 10 + pair.right + len(name)


def test_each_field_is_a_parameter():
    parameters = inspect.signature(grouped(verb)).parameters
    assert list(parameters) == ["left", "right", "name"]
    assert parameters["left"].default is inspect.Parameter.empty
    assert parameters["right"].default == 2


def test_the_verb_gets_the_group_as_one_value():
    assert grouped(verb)(left=1, right=3, name="ab") == 15


def test_the_help_text_stays():
    assert grouped(verb).__doc__ == "What it is for."
