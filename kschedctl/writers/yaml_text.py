"""YAML of data that somebody else wrote: it says the same, and no line of it does harm."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import msgspec

from kschedctl.safe_text import gives_commands, is_safe_json, safe_command

_ONE_LINE: Final = 2**20
"""Texts are not folded: each piece would begin a line."""


def yaml_text(data: Any) -> str:
    """Plain data as YAML; texts that mislead, or that a CI system would obey, are quoted and escaped."""
    import yaml

    safe = is_safe_json(msgspec.json.encode(data).decode("utf-8", "surrogatepass"))
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    if safe:
        text = str(yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, width=_ONE_LINE))
        if not gives_commands(text):
            return text
    text = str(yaml.dump(data, Dumper=_quoting(dumper), sort_keys=False, width=_ONE_LINE))
    return safe_command(text, r"\x23")


@cache
def _quoting(dumper: Any) -> Any:
    """A dumper that puts texts into double quotes, in which a line break and a mark can be escaped."""

    class Quoting(dumper):  # type: ignore[misc]
        pass

    def quoted(self: Any, text: str) -> Any:
        style = '"' if gives_commands(text) else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Quoting.add_representer(str, quoted)
    return Quoting
