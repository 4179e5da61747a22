"""The workflows to start from do what they say, where kschedctl is installed."""

import glob
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def commands_in(name: str) -> list[str]:
    """The shell commands of a workflow."""
    workflow = yaml.safe_load((ROOT / "fixtures/ci" / name).read_text())
    if "jobs" in workflow:
        return [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "run" in step]
    return list(workflow["scheduling"]["script"])


@pytest.mark.parametrize(
    ("name", "files"),
    [
        pytest.param("github.yml", ["gate.sarif", "gate.md"], id="GitHub"),
        pytest.param("gitlab.yml", ["gate.xml"], id="GitLab"),
    ],
)
def test_the_gate_of_a_workflow(run, tmp_path, monkeypatch, name, files):
    (tmp_path / "scenarios").mkdir()
    scenario = (ROOT / "fixtures/gate-release/room.yaml").read_text()
    scenario = scenario.replace("cluster: [../release-shop/cluster.yaml, csi-nodes.yaml]\n", "")
    (tmp_path / "scenarios/room.yaml").write_text(scenario.replace("../release-shop", ".."))
    shutil.copytree(ROOT / "fixtures/release-shop/manifests", tmp_path / "manifests")
    monkeypatch.chdir(tmp_path)
    cluster = ["-c", str(ROOT / "fixtures/release-shop/cluster.yaml")]
    assert run("snapshot", "convert", cluster[1], "-o", "prod.json.gz").code == 0

    (command,) = (text for text in commands_in(name) if text.startswith("kschedctl "))
    arguments = [path for part in shlex.split(command)[1:] for path in glob.glob(part) or [part]]

    assert run(*arguments).code == 0
    assert all((tmp_path / file).stat().st_size for file in files)


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_a_workflow_says_where_the_program_comes_from(name):
    assert commands_in(name)[0] == 'pip install "$KSCHEDCTL"'
    assert "KSCHEDCTL: git+https://" in (ROOT / "fixtures/ci" / name).read_text()
