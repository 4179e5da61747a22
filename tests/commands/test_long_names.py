"""Names of nodes as clouds give them: in tables for people no two look the same, and none is broken."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parent / "golden"
POOL = "gke-prod-cluster-europe-west1-pool-highmem-1-3f2a9c1d"
NAMES = {
    "w1": "ip-10-0-12-34.eu-west-1.compute.internal",
    "w2": "ip-10-0-12-35.eu-west-1.compute.internal",
    "w3": "ip-10-0-12-134.eu-west-1.compute.internal",
    "w4": f"{POOL}-x7k2",
    "w5": f"{POOL}-x7k3",
    "w6": f"{POOL}-b9zq",
}
VERBS = {
    "simulate": ("simulate", "manifests"),
    "drain": ("drain", NAMES["w3"], NAMES["w4"]),
    "capacity": ("capacity", "deployment/web", "-n", "shop"),
}


@pytest.fixture(autouse=True)
def renamed(monkeypatch, tmp_path):
    shop = ROOT / "fixtures/release-shop"
    text = re.sub(r"\bw[1-6]\b", lambda match: NAMES[match[0]], (shop / "cluster.yaml").read_text())
    (tmp_path / "cluster.yaml").write_text(text)
    (tmp_path / "manifests").symlink_to(shop / "manifests")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_printed(run, golden, verb):
    golden(STORED / f"long-names-{verb}.txt", run(*VERBS[verb], "-c", "cluster.yaml").out)


@pytest.mark.parametrize("width", [70, 80, 100, 120, 160])
@pytest.mark.parametrize("output", ["table", "wide"])
@pytest.mark.parametrize("verb", VERBS)
def test_names_are_whole_or_cut_in_the_middle(run, monkeypatch, verb, output, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = run(*VERBS[verb], "-c", "cluster.yaml", "-o", output).out

    assert max(map(len, out.splitlines())) <= width
    joined = re.sub(r"(\(gke-\S+-)\n +(\S+-new-1\))", r"\1\2", out)  # longer than the line of its sentence
    words = {
        word.partition(":")[0].removesuffix("-new-1") for word in re.findall(r"(?:gke|ip)-[^\s;,)]+", joined)
    }
    cut = {word for word in words if "…" in word}
    assert words - cut <= set(NAMES.values())
    for word in cut:
        head, _, tail = word.partition("…")
        matching = [name for name in NAMES.values() if name.startswith(head) and name.endswith(tail)]
        assert len(matching) == 1
