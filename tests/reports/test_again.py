"""Commands that a report proposes name the cluster that it is about."""

import pytest

from kschedctl.reports.again import ask_again
from kschedctl.reports.model import ClusterSummary


@pytest.mark.parametrize(
    ("source", "command"),
    [
        pytest.param(["prod.json.gz"], "kschedctl simulate -c prod.json.gz", id="a file"),
        pytest.param(["a b.yaml", "dir/"], "kschedctl simulate -c 'a b.yaml' -c dir/", id="several"),
        pytest.param(["-"], "kschedctl simulate", id="stdin"),
        pytest.param([], "kschedctl simulate", id="nothing is known"),
        pytest.param(
            ["context prod (https://prod:6443)"], "kschedctl simulate --context prod", id="a live cluster"
        ),
        pytest.param(
            ["nodes.yaml", "https://prod:6443"],
            "kschedctl simulate -c nodes.yaml",
            id="the live one by default",
        ),
    ],
)
def test_the_same_cluster_is_asked(source, command):
    cluster = ClusterSummary(source=source, taken_at=None, nodes=1, pods=0, pending=0, caveats=[])
    assert ask_again("simulate", cluster) == command
