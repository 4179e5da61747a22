"""Versions as data: which one a text means, what patches change, and one that this test makes up."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from builders import decide, node, pod, session
from msgspec.structs import replace

import kschedctl
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


@pytest.mark.parametrize(
    ("text", "shown", "asked"),
    [
        pytest.param("v1.37.2 emulating 1.36", "1.37.2 emulating 1.36", "", id="an older one"),
        pytest.param("1.37 emulating 1.37", "1.37", "", id="itself"),
        pytest.param(
            "1.36 emulating 1.33", "1.36 emulating 1.34", "1.36 emulating 1.33", id="an unknown one"
        ),
        pytest.param("1.38.1 emulating 1.37", "1.37", "1.38 emulating 1.37", id="in an unknown one"),
    ],
)
def test_a_version_may_emulate_another_one(text: str, shown: str, asked: str) -> None:
    found = parse_version(text)
    assert (str(found), found.asked) == (shown, asked)


def test_an_emulating_version_has_code_of_its_own_and_gates_of_the_other_one() -> None:
    found = parse_version("1.37 emulating 1.36")
    assert found.facts == V1_37.facts
    assert not found.gates["StorageCapacityScoring"].default
    assert "GangScheduling" not in found.gates, "1.37 has forgotten it"
    assert "CompositePodGroup" not in found.gates, "1.36 did not know it"
    assert found != V1_37


@pytest.mark.parametrize("binary", SUPPORTED, ids=str)
@pytest.mark.parametrize("older", SUPPORTED, ids=str)
def test_every_emulation_starts_with_its_defaults(binary: Version, older: Version) -> None:
    if binary.minor > older.minor:
        assert feature_gates(binary.emulating(older)).changed == {}


def test_none_emulates_a_newer_one() -> None:
    with pytest.raises(UnsupportedError, match=r"1\.36 cannot emulate 1\.37, which is newer"):
        parse_version("1.36.1 emulating 1.37")


@pytest.mark.parametrize(
    ("decides", "runs", "same"),
    [
        ("1.37.2", "1.37.0", True),
        ("1.37", "1.37 emulating 1.36", False),
        ("1.37 emulating 1.36", "v1.37.2 emulating 1.36", True),
        ("1.39", "1.39", True),
        ("1.37", "1.39", False),
        ("1.36", "1.37", False),
    ],
)
def test_a_version_answers_for_clusters_that_run_it(decides: str, runs: str, same: bool) -> None:
    assert parse_version(decides).answers_for(parse_version(runs)) is same


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


NEXT = """
from .v1_37 import VERSION as V1_37

VERSION = V1_37.successor("1.38", taint_reason_names_the_taint=True)
"""
ASK_IT = """
from kschedctl.framework.versions import DEFAULT, SUPPORTED, parse_version
print(DEFAULT, len(SUPPORTED), parse_version("v1.38.1").facts.taint_reason_names_the_taint)
"""


def test_the_next_version_is_one_file(tmp_path: Path) -> None:
    """Copied into a tree of its own, where nothing else is touched."""
    package = Path(kschedctl.__file__).parent
    copied = tmp_path / package.name
    shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__", "golden"))
    (copied / "framework/versions/v1_38.py").write_text(NEXT)
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    asked = subprocess.run(
        [sys.executable, "-c", ASK_IT],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert asked.stdout.split() == ["1.38", str(len(SUPPORTED) + 1), "True"]


def test_facts_of_a_version_do_not_leak_into_others() -> None:
    assert V1_34.facts.ties_are_random
    assert not V1_36.facts.ties_are_random
    assert replace(V1_36.facts, ties_are_random=True) != V1_36.facts
