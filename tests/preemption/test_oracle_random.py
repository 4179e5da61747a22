"""Small clusters of every kind: in lockstep, and one node at a time."""

from builders import HOST, ZONE, decide, node, pod, session
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from preemption_oracle import expected, found

from kschedctl.scheduling.decision import Outcome

APPS = ("a", "b", "c")
STARTS = (None, "2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "2026-01-02T00:00:00.5Z")
PREEMPTOR_PRIORITY = 50


def selected(app):
    return {"labelSelector": {"matchLabels": {"app": app}}}


def required(kind, app, key):
    term = {"topologyKey": key} | selected(app)
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def spread(app, key, skew):
    constraint = {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"} | selected(app)
    return {"topologySpreadConstraints": [constraint]}


def port(number):
    ports = [{"containerPort": number, "hostPort": number}]
    return {"containers": [{"name": "main", "image": "app", "ports": ports}]}


apps = st.sampled_from(APPS)
keys = st.sampled_from((HOST, ZONE))
anti = st.builds(lambda app, key: required("podAntiAffinity", app, key), apps, keys)
near = st.builds(lambda app, key: required("podAffinity", app, key), apps, keys)
spreads = st.builds(spread, apps, keys, st.integers(1, 2))
ports = st.builds(port, st.sampled_from((80, 81)))
plain = st.just({})
cpus = st.sampled_from(("500m", "1", "1500m", "2"))


@st.composite
def clusters(draw):
    """Nodes, running pods, budgets, and pending pods that are nominated to a node."""
    nodes = [f"n{i}" for i in range(draw(st.integers(1, 5)))]
    yield_nodes = [node(n, draw(st.sampled_from(("za", "zb", ""))), cpu=draw(cpus), pods="20") for n in nodes]
    most = draw(st.sampled_from((3, 8, 20)))
    pods = [
        pod(
            f"p{i}",
            draw(st.sampled_from(nodes)),
            labels=draw(st.sampled_from(({}, *({"app": app} for app in APPS)))),
            priority=draw(st.sampled_from((0, 0, 10, 50, 90))),
            start=draw(st.sampled_from(STARTS)),
            terminating=draw(st.integers(0, 9)) == 0,
            **({"cpu": "100m"} | draw(st.one_of(plain, plain, plain, anti, ports))),
        )
        for i in range(draw(st.integers(1, most)))
    ]
    budgets = [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"b{i}", "namespace": draw(st.sampled_from(("default", "other")))},
            "spec": draw(
                st.sampled_from(
                    ({}, {"selector": {}}, *({"selector": {"matchLabels": {"app": a}}} for a in APPS))
                )
            ),
            "status": {
                "disruptionsAllowed": draw(st.integers(0, 2)),
                "disruptedPods": {"p0": "2026-01-01T00:00:00Z"} if draw(st.booleans()) else {},
            },
        }
        for i in range(draw(st.integers(0, 3)))
    ]
    waiting = [
        pod(
            f"w{i}",
            nominated=draw(st.sampled_from(nodes)),
            cpu=draw(cpus),
            priority=draw(st.sampled_from((0, 50, 99))),
        )
        for i in range(draw(st.integers(0, 2)))
    ]
    return [*yield_nodes, *pods, *budgets, *waiting]


preemptors = st.builds(
    lambda app, spec: pod("vip", labels={"app": app}, priority=PREEMPTOR_PRIORITY, **spec),
    apps,
    st.one_of(
        st.builds(lambda cpu: {"cpu": cpu}, cpus),
        st.builds(lambda cpu, more: {"cpu": cpu} | more, cpus, st.one_of(anti, near, spreads)),
        ports,
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(clusters(), preemptors)
def test_lockstep_finds_what_one_node_at_a_time_finds(objects, preemptor):
    decision = decide(session(objects), preemptor)
    assume(decision.outcome is Outcome.UNSCHEDULABLE)
    assert found(decision) == expected(decision)
