"""Renderers are named by place: every place must hold a function."""

from __future__ import annotations

import pytest

from kschedctl.reports.render import capacity, drain, gate, simulation

KINDS = {m.__name__.rsplit(".", 1)[1]: m.RENDERERS for m in (capacity, drain, gate, simulation)}


@pytest.mark.parametrize(
    "load",
    [
        pytest.param(load, id=f"{kind}-{form}")
        for kind, by_form in KINDS.items()
        for form, load in by_form.items()
    ],
)
def test_every_format_has_its_renderer(load):
    assert callable(load())
