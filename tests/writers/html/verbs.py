"""A question of every kind, over the fixtures: what each page is looked at with."""

from pathlib import Path

ROOT = Path(__file__).parents[3]
SHOP = "fixtures/release-shop/cluster.yaml"
QUICK = "fixtures/quickstart"
VERBS = {
    "explain": (f"{QUICK}/pod.yaml", f"{QUICK}/trainer.yaml", "-c", f"{QUICK}/cluster.yaml"),
    "explain --node": (f"{QUICK}/pod.yaml", "--node", "gpu-1", "-c", f"{QUICK}/cluster.yaml"),
    "explain spread": ("fixtures/spread-zones/hard.yaml", "-c", "fixtures/spread-zones/cluster.yaml"),
    "explain group": ("fixtures/gang/too-big.yaml", "-c", "fixtures/gang/cluster.yaml"),
    "explain racks": (
        "fixtures/gang/racks.yaml",
        "-c",
        "fixtures/gang/cluster.yaml",
        "--feature-gates",
        "TopologyAwareWorkloadScheduling=true",
    ),
    "explain refused": ("fixtures/explain-invalid/pod.yaml", "-c", f"{QUICK}/cluster.yaml"),
    "explain versions": (
        "fixtures/explain-tie/pod.yaml",
        "-c",
        "fixtures/explain-tie/cluster.yaml",
        "--kubernetes-version",
        "1.35,1.37",
    ),
    "preempt": ("fixtures/preempt-cascade/pod.yaml", "-c", "fixtures/preempt-cascade/cluster.yaml"),
    "simulate": ("-f", "fixtures/release-shop/manifests", "-c", SHOP, "--drain", "w1"),
    "simulate timeline": (
        "-f",
        "fixtures/in-flight/release.yaml",
        "-c",
        "fixtures/in-flight/cluster.yaml",
        "--timeline",
    ),
    "simulate queue": ("-f", "fixtures/release-shop/manifests", "-c", SHOP, "--queue", "replay"),
    "simulate group": ("-f", "fixtures/gang/fits.yaml", "-c", "fixtures/gang/cluster.yaml"),
    "drain": ("w3", "w4", "-c", SHOP, "--timeline"),
    "capacity": ("deploy/web", "-n", "shop", "-c", SHOP),
    "plan": (
        "fixtures/plan/release.yaml",
        "--catalogue",
        "fixtures/plan/catalogue.yaml",
        "-c",
        "fixtures/plan/cluster.yaml",
    ),
    "plan --shrink": (
        "--shrink",
        "-c",
        "fixtures/plan-shrink/cluster.yaml",
        "--catalogue",
        "fixtures/plan-shrink/prices.yaml",
    ),
    "sweep": ("fixtures/sweep/sweep.yaml",),
    "compare": ("fixtures/release-shop/manifests", "-c", SHOP, "--drain", "w1"),
    "gate": ("fixtures/gate-release/tight.yaml",),
    "snapshot info": ("fixtures/snapshots/shop.json",),
    "snapshot diff": ("fixtures/snapshots/shop.json", SHOP),
    "config validate": (),
}
"""Name, which begins with the verb -> arguments."""

_OF_TWO_WORDS = ("snapshot", "config")


def arguments(name):
    """The command line of a question, as a page."""
    words = name.split()
    verb = words[:2] if words[0] in _OF_TWO_WORDS else words[:1]
    return (*verb, *VERBS[name], "-o", "html")
