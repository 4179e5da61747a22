"""For authors of plugins: a small cluster to try one on, and a check that it keeps to the contract.

    from kschedctl.testing import check_plugin, node, pod, try_plugin

    def test_it_keeps_to_the_contract():
        check_plugin(QuietHours)

    def test_quiet_nodes_are_rejected():
        answer = try_plugin(QuietHours, [node("a"), node("b", labels={"quiet": "yes"})], pod("p"))
        assert answer.rejected == {"b": "node(s) had quiet hours"}

Whatever breaks the contract is told at once, as one AssertionError.
"""

from kschedctl.testing.cluster import CANDIDATES, SAMPLE, Data, node, pod
from kschedctl.testing.contract import check_plugin
from kschedctl.testing.trial import PluginAnswer, try_plugin

__all__ = ["CANDIDATES", "SAMPLE", "Data", "PluginAnswer", "check_plugin", "node", "pod", "try_plugin"]
