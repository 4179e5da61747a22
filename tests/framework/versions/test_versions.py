"""Versions as data: which one a text means, what patches change, and one that this test makes up."""

import pickle
from dataclasses import replace

import pytest
from builders import decide, node, pod, session

from kschedctl.errors import UnsupportedError
from kschedctl.framework.configuration import load_configuration
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.versions import SUPPORTED, DefaultPlugin, Version, feature_gates, parse_version
from kschedctl.framework.versions.gates import OFF_ALPHA, ON_BETA
from kschedctl.framework.versions.v1_34 import VERSION as V1_34
from kschedctl.framework.versions.v1_36 import VERSION as V1_36
from kschedctl.framework.versions.v1_37 import VERSION as V1_37
from kschedctl.plugins.registry import IN_TREE


@pytest.mark.parametrize(
    ("text", "minor", "patch"),
    [
        pytest.param("1.36", "1.36", None, id="minor"),
        pytest.param(" v1.36 ", "1.36", None, id="spaces and v"),
        pytest.param("1.36+", "1.36", None, id="a plus, as some providers write the minor"),
        pytest.param("v1.36.1+k3s1", "1.36", 1, id="build metadata"),
        pytest.param("1.35.4-eks-1a2b3c", "1.35", 4, id="a provider's suffix"),
        pytest.param(
            "Client Version: v1.30.1\nKustomize Version: v5.0.4\nServer Version: v1.37.2",
            "1.37",
            2,
            id="kubectl",
        ),
    ],
)
def test_a_version_is_read_as_people_write_it(text: str, minor: str, patch: int | None) -> None:
    found = parse_version(text)
    assert (found.minor, found.patch, found.asked) == (minor, patch, "")


@pytest.mark.parametrize(("text", "minor"), [("1.33", "1.34"), ("v1.38.0", "1.37"), ("1.360", "1.37")])
def test_the_nearest_version_stands_in_for_an_unknown_one(text: str, minor: str) -> None:
    found = parse_version(text)
    assert found.minor == minor
    assert found.asked == ".".join(text.removeprefix("v").split(".")[:2])


@pytest.mark.parametrize("text", ["latest", "", "1", "2.0", "1.x"])
def test_what_is_no_version_is_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        parse_version(text)
    assert text in caught.value.message
    assert "1.34, 1.35, 1.36, 1.37" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "named"),
    [("1.34.0", True), ("1.34.1", True), ("1.34.2", False), ("1.34", False), ("1.35.0", False)],
)
def test_the_first_patches_of_1_34_name_the_taint(text: str, named: bool) -> None:
    assert parse_version(text).facts.taint_reason_names_the_taint is named


def test_gates_move_between_patches_too() -> None:
    assert feature_gates(parse_version("1.35.0")).enabled("SchedulerAsyncAPICalls")
    assert not feature_gates(parse_version("1.35.1")).enabled("SchedulerAsyncAPICalls")


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_a_version_is_a_value(version: Version) -> None:
    again = pickle.loads(pickle.dumps(version))
    assert again == version
    assert hash(again) == hash(version)
    assert again.at_patch(0) != version


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_every_default_plugin_exists_and_does_something(version: Version) -> None:
    registry = version.points(IN_TREE.points)
    assert all(registry[plugin.name] for plugin in version.default_plugins(feature_gates(version).enabled))


def test_a_new_version_is_one_value() -> None:
    """Added without touching another file: one fact, one gate and one default plugin differ."""
    made_up = V1_37.successor(
        "1.99",
        gates={"Imagined": ON_BETA, "StorageCapacityScoring": OFF_ALPHA},
        plugins=lambda before: (
            *(plugin for plugin in before if plugin.name != "ImageLocality"),
            DefaultPlugin("ImageLocality", 7, gate="Imagined"),
        ),
        taint_reason_names_the_taint=True,
    )

    def reasons(version: Version) -> list[str]:
        decision = decide(session(node("n1", taints=["k=v:NoSchedule"]), version=version), pod("p"))
        status = decision.status_of(0)
        assert status is not None
        return list(status.reasons)

    assert reasons(made_up) == ["node(s) had untolerated taint {k: v}"]
    assert reasons(V1_37) == ["node(s) had untolerated taint(s)"]
    profile = load_configuration(None, made_up, feature_gates(made_up), IN_TREE).profiles[0]
    assert profile.weight("ImageLocality") == 7
    assert profile.plugins(ExtensionPoint.SCORE)[-1] == "ImageLocality"
    off = load_configuration(None, made_up, feature_gates(made_up, {"Imagined": False}), IN_TREE).profiles[0]
    assert "ImageLocality" not in off.plugins(ExtensionPoint.SCORE)


def test_facts_of_a_version_do_not_leak_into_others() -> None:
    assert V1_34.facts.ties_are_random
    assert not V1_36.facts.ties_are_random
    assert replace(V1_36.facts, ties_are_random=True) != V1_36.facts
