import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins

from kschedctl.framework.configuration import inconsistencies
from kschedctl.plugins.registry import IN_TREE


@pytest.mark.parametrize(
    ("points", "sentences"),
    [
        pytest.param({}, [], id="the default profile is whole"),
        pytest.param(
            {"preFilter": plugin_set(off="NodePorts")},
            [
                "NodePorts is enabled at filter but not at preFilter: a pod that reaches it fails with an error"
            ],
            id="filter without its preparation",
        ),
        pytest.param(
            {"multiPoint": plugin_set(off="TaintToleration"), "score": plugin_set("TaintToleration")},
            [
                "TaintToleration is enabled at score but not at preScore: a pod that reaches it fails with an error"
            ],
            id="score without its preparation",
        ),
        pytest.param(
            {
                "preFilter": plugin_set(off="NodeAffinity VolumeZone"),
                "preScore": plugin_set(off="NodeAffinity"),
            },
            [],
            id="plugins that work by halves",
        ),
        pytest.param(
            {"preFilter": plugin_set(off="NodePorts"), "filter": plugin_set(off="NodePorts")},
            [],
            id="both halves off",
        ),
        pytest.param({"score": plugin_set(off="TaintToleration")}, [], id="preparation alone does no harm"),
    ],
)
def test_a_plugin_that_lacks_its_preparation_is_told(points: Data, sentences: list[str]) -> None:
    assert list(inconsistencies(load(configuration(plugins(**points))).profiles[0], IN_TREE)) == sentences
