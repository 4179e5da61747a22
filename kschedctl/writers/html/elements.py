"""Elements of a page; text of inputs is escaped here and nowhere else."""

from __future__ import annotations

from html import escape

from kschedctl.safe_text import safe_text


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(content: str) -> Markup:
    """Text as it is."""
    return Markup(escape(safe_text(content)))


def element(name: str, /, *content: str, **attributes: str | int | None) -> Markup:
    """An element.

    Args:
        name: its name.
        content: what is in it; what is no `Markup` is text.
        attributes: by name, `class_` for class and `_` for a hyphen; those that are None are left out.
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = "".join(part if isinstance(part, Markup) else text(part) for part in content)
    return Markup(f"<{name}{told}>{inner}</{name}>")


def void(name: str, /, **attributes: str | int | None) -> Markup:
    """An element that holds nothing."""
    return Markup(element(name, **attributes).removesuffix(f"</{name}>"))
