"""Plugins from packages, modules and files."""

import sys
from importlib.metadata import EntryPoint

import pytest
from builders import profile

from kschedctl.errors import PluginError
from kschedctl.framework.extension_points import ExtensionPoint as P
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.plugins.outside import GROUP, enabling, load_plugin, with_installed
from kschedctl.plugins.registry import IN_TREE

SOURCE = """
from kschedctl.plugin_api import ExtensionPoint, NodePlugin, PluginSpec

class Mine(NodePlugin):
    spec = PluginSpec(name="Mine", points=frozenset({ExtensionPoint.FILTER}))

class Unspecified(NodePlugin):
    pass

NUMBER = 5
"""


class Sorts(Plugin):
    """Sorts the queue."""

    spec = PluginSpec(name="Sorts", points=frozenset({P.QUEUE_SORT}))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("mine", "broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("1 / 0")
    return tmp_path


@pytest.mark.parametrize("reference", ["mine:Mine", "mine.py:Mine", "./mine.py:Mine"])
def test_a_plugin_beside_the_caller(folder, reference):
    assert load_plugin(reference).spec.name == "Mine"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("mine", "mine names no plugin"),
        ("mine:Mine()", "mine:Mine() names no plugin"),
        ("mine:Other", "mine:Other cannot be loaded: there is no such class"),
        ("mine:NUMBER", "mine:NUMBER is no plugin"),
        ("mine:Unspecified", "mine:Unspecified has no spec"),
        ("other.py:Mine", "there is no file other.py"),
        (
            "nowhere_at_all:Mine",
            "nowhere_at_all cannot be loaded: ModuleNotFoundError: No module named 'nowhere_at_all'",
        ),
        ("broken:Mine", "broken cannot be loaded: ZeroDivisionError: division by zero"),
        ("broken.py:Mine", "broken.py cannot be loaded: ZeroDivisionError: division by zero"),
    ],
)
def test_what_is_no_plugin(folder, reference, message):
    with pytest.raises(PluginError) as caught:
        load_plugin(reference)
    assert caught.value.message == message


@pytest.fixture
def announced(folder, monkeypatch):
    """Packages announce Mine and Broken; what was looked for is kept."""
    looked: list[str] = []

    def entry_points(group):
        looked.append(group)
        values = {"Mine": "mine:Mine", "Broken": "broken:Mine"}
        return [EntryPoint(name, value, group) for name, value in values.items()]

    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    return looked


def configured(*names):
    return profile(plugins={"multiPoint": {"enabled": [{"name": name} for name in names]}})


def test_a_plugin_that_a_package_announces(announced):
    found = with_installed(IN_TREE, configured("Mine", "Unheard"))
    assert set(found) - set(IN_TREE) == {"Mine"}
    assert announced == [GROUP]


@pytest.mark.parametrize(
    "data", [configured("ImageLocality"), {"profiles": 3}, {"profiles": [{"plugins": []}]}, None]
)
def test_packages_are_not_looked_for_in_vain(announced, data):
    assert with_installed(IN_TREE, data) is IN_TREE
    assert announced == []


def test_a_package_whose_plugin_cannot_be_loaded(announced):
    with pytest.raises(
        PluginError, match=r"^broken:Mine \(entry point Broken of kschedctl.plugins\) cannot be loaded"
    ):
        with_installed(IN_TREE, configured("Broken"))


def test_enabling_a_queue_sort_disables_the_other():
    assert enabling([Sorts])["profiles"][0]["plugins"]["multiPoint"] == {
        "enabled": [{"name": "Sorts"}],
        "disabled": [{"name": "PrioritySort"}],
    }
