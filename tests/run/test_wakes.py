"""What is known of events that are alike: runs come out as if every kind of pods had been asked about each."""

import random
from itertools import count

import pytest
from builders import ZONE, enter, node, pod, session
from builders import made as made_object
from run_builders import Story

from kschedctl.framework.cluster_event import Action, ClusterEvent, Resource
from kschedctl.framework.extension_points import ExtensionPoint
from kschedctl.framework.plugin import Plugin
from kschedctl.framework.plugin_spec import PluginSpec
from kschedctl.run.wakes import PluginWakes

APPS = ("a", "b", "c")
HARD_DEFAULTS = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "profiles": [
        {
            "pluginConfig": [
                {
                    "name": "PodTopologySpread",
                    "args": {
                        "defaultingType": "List",
                        "defaultConstraints": [
                            {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
                        ],
                    },
                }
            ]
        }
    ],
}


def _selector(app):
    return {"matchLabels": {"app": app}}


def _service(app):
    spec = {"selector": {"app": app}, "ports": [{"port": 80}]}
    metadata = {"name": app, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def _affinity(kind, app):
    terms = [{"topologyKey": ZONE, "labelSelector": _selector(app)}]
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def _spread(app):
    constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    return {"topologySpreadConstraints": [constraint | {"labelSelector": _selector(app)}]}


def _ports(number):
    port = {"containerPort": number, "hostPort": number}
    return {"containers": [{"name": "c", "image": "i", "ports": [port]}]}


def _random_pod(draw, name):
    spec = draw.choice(
        [
            {"cpu": draw.choice(["1", "3"])},
            _spread(draw.choice(APPS)),
            _affinity("podAffinity", draw.choice(APPS)),
            _affinity("podAntiAffinity", draw.choice(APPS)),
            _ports(draw.choice([80, 81])),
        ]
    )
    namespace = draw.choice(["default", "default", "other"])
    return pod(name, labels={"app": draw.choice(APPS)}, namespace=namespace, **spec)


def random_story(seed):
    """Pods come and go on four nodes of three zones; labels change, and services come that have pods spread."""
    draw, names = random.Random(seed), count()
    nodes = [node(f"n{i}", cpu="4", labels={ZONE: f"z{i % 3}"}) for i in range(4)]
    story = Story(*nodes, config=HARD_DEFAULTS if seed % 2 else None)
    for app in draw.sample(APPS, 2):
        story.create(draw.uniform(0, 60), _service(app))
    for _ in range(40):
        name, born = f"p{next(names)}", draw.uniform(0, 60)
        data = _random_pod(draw, name)
        story.create(born, data)
        if data["metadata"]["namespace"] == "default":
            if draw.random() < 0.5:
                story.delete(born + draw.uniform(1, 60), "Pod", name, grace=0)
            elif draw.random() < 0.5:
                relabelled = {"metadata.labels": {"app": draw.choice(APPS)}}
                story.change(born + draw.uniform(1, 60), "Pod", name, relabelled)
    return story


@pytest.mark.parametrize("seed", range(12))
def test_a_run_is_as_if_each_kind_were_asked_about_each_event(seed, monkeypatch):
    asked = count()
    helps = PluginWakes.helps
    monkeypatch.setattr(PluginWakes, "helps", lambda *a: (next(asked), helps(*a))[1])
    kept = random_story(seed).play().told
    times = next(asked)
    monkeypatch.setattr(PluginWakes, "answers", lambda self, event: None)
    assert random_story(seed).play().told == kept
    assert times < next(asked) - times


class Bench:
    """The wakes of a cluster with a node and a service."""

    def __init__(self, *plugins):
        self.session = session(node("n"), plugins=plugins)
        frameworks, cluster = self.session.scheduler.frameworks, self.session.cluster
        self.wakes = PluginWakes(frameworks, cluster, taints_wake_whom_nodes_wake=False)

    def answers(self, old=None, new=None, action=Action.ADD, resource=Resource.ASSIGNED_POD):
        old, new = (None if data is None else enter(self.session, data) for data in (old, new))
        return self.wakes.answers(ClusterEvent(resource, action, old, new))


def on(name, **parts):
    return pod(name, on="n", **parts)


def test_equal_pods_that_come_are_alike():
    made = Bench()
    assert made.answers(new=on("a")) is made.answers(new=on("b"))


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"new": on("b", labels={"app": "x"})}, id="other labels"),
        pytest.param({"new": on("b", namespace="other")}, id="another namespace"),
        pytest.param({"new": pod("b")}, id="nominated alone"),
        pytest.param({"old": on("b"), "action": Action.DELETE}, id="it goes"),
        pytest.param({"old": on("b"), "new": on("b")}, id="it changes"),
    ],
)
def test_others_are_not(event):
    made = Bench()
    assert made.answers(new=on("a")) is not made.answers(**event)


def test_what_services_select_may_be_spread_from_now_on():
    made = Bench()
    before = made.answers(new=on("a"))
    made.session.set_objects(made.session.cluster.objects.with_object(made_object(_service("a"))))
    assert made.answers(new=on("b")) is not before


def test_nodes_are_like_no_others():
    made = Bench()
    assert made.wakes.answers(ClusterEvent(Resource.NODE, Action.ADD, new=node("m"))) is None


def test_nobody_knows_what_a_plugin_from_outside_looks_at():
    class Own(Plugin[None, None]):
        spec = PluginSpec(name="Own", points=frozenset({ExtensionPoint.FILTER}))

    assert Bench(Own).answers(new=on("a")) is None
