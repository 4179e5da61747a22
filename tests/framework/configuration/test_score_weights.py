import pytest
from configuration_builders import Data, configuration, load, plugin_set, plugins, refusal

START = "initializing profiles: creating profile for scheduler name default-scheduler: "
OVERFLOW = "total score of Score plugins could overflow"


def weight(name: str, **points: Data) -> int:
    return load(configuration(plugins(**points))).profiles[0].weight(name)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        pytest.param({}, 3, id="default"),
        pytest.param({"multiPoint": plugin_set("TaintToleration")}, 1, id="listed again without a weight"),
        pytest.param({"multiPoint": plugin_set("TaintToleration=0")}, 1, id="listed again with 0"),
        pytest.param({"multiPoint": plugin_set("TaintToleration=7")}, 7, id="listed again with a weight"),
        pytest.param({"score": plugin_set("TaintToleration")}, 1, id="at score, which hides the other"),
        pytest.param(
            {"score": plugin_set("TaintToleration=4"), "multiPoint": plugin_set("TaintToleration=9")},
            4,
            id="at both: that of score",
        ),
        pytest.param({"filter": plugin_set("TaintToleration=9")}, 3, id="at another point it has no effect"),
        pytest.param({"score": plugin_set(off="TaintToleration")}, 3, id="disabled at score"),
    ],
)
def test_the_weight_of_a_plugin(points: Data, expected: int) -> None:
    assert weight("TaintToleration", **points) == expected


def test_a_plugin_without_score_has_no_weight() -> None:
    with pytest.raises(KeyError):
        weight("NodeName")


@pytest.mark.parametrize(
    "points",
    [
        pytest.param({"multiPoint": plugin_set("ImageLocality=-1")}, id="negative, and the last"),
        pytest.param(
            {"score": plugin_set("NodeResourcesFit=5", "ImageLocality=-1")}, id="negative after enough"
        ),
        pytest.param({"score": plugin_set("ImageLocality=2147483647")}, id="the highest"),
        pytest.param({"score": plugin_set("NodeResourcesFit=1", "ImageLocality=-1")}, id="a sum of zero"),
    ],
)
def test_weights_that_are_accepted(points: Data) -> None:
    assert refusal(configuration(plugins(**points))) == ""


@pytest.mark.parametrize(
    "points",
    [
        pytest.param({"score": plugin_set("ImageLocality=-1")}, id="negative, and the first"),
        pytest.param(
            {"score": plugin_set("NodeResourcesFit=1", "ImageLocality=-2")}, id="a negative running sum"
        ),
        pytest.param({"multiPoint": plugin_set("TaintToleration=-1")}, id="a default made negative"),
    ],
)
@pytest.mark.parametrize(("version", "prefix"), [("1.34", ""), ("1.36", "score plugins: ")])
def test_a_negative_running_sum_counts_as_overflow(points: Data, version: str, prefix: str) -> None:
    assert refusal(configuration(plugins(**points)), version) == START + prefix + OVERFLOW


def test_placement_scores_have_weights_of_their_own() -> None:
    gates = {"GenericWorkload": True, "TopologyAwareWorkloadScheduling": True}
    points = plugins(placementScore=plugin_set("PodGroupPodsCount=3"))
    profile = load(configuration(points), gates=gates).profiles[0]
    assert profile.placement_weights == {"PodGroupPodsCount": 3, "NodeResourcesFit": 1}
    assert profile.weight("NodeResourcesFit") == 1


def test_placement_scores_are_tested_for_overflow_too() -> None:
    points = plugins(placementScore=plugin_set("PodGroupPodsCount=-3"))
    assert refusal(configuration(points)) == f"{START}placement score plugins: {OVERFLOW}"
