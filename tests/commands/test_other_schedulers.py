"""Pods that another scheduler places are not said to stay pending, whatever is asked."""

from __future__ import annotations

import pytest

_CASE = "fixtures/cases/11-victim-of-other-scheduler"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(
            ("simulate", f"{_CASE}/pod.yaml"),
            [
                "1 left to another scheduler",
                "another scheduler places them (most-allocated)",
                "most-allocated places it",
            ],
            id="a victim",
        ),
        pytest.param(
            ("drain", "n1"),
            ["n1 can be emptied, and 3 pods are left to another scheduler", "not known:3"],
            id="pods that a drain evicts",
        ),
        pytest.param(("drain", "n1", "-o", "wide"), ["not known"], id="the same, pod by pod"),
        pytest.param(
            ("explain", "pod/batch-r1-2"),
            ["is handled by no profile: another scheduler places it, if it runs"],
            id="a candidate",
        ),
        pytest.param(
            ("simulate", "--scale", "deployment/batch=9"), ["left to another scheduler"], id="more of them"
        ),
    ],
)
def test_pods_of_other_schedulers(run, in_the_root, arguments, told):
    done = run(*arguments, "-c", f"{_CASE}/cluster.yaml")
    text = " ".join(done.out.split())
    assert done.code == 1
    assert [fact for fact in told if fact not in text] == []
    assert "stay pending" not in text
