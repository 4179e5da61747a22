"""Options in the ways in which kubectl takes them."""

import pytest

POD = ("explain", "fixtures/explain-tie/pod.yaml", "-c", "fixtures/explain-tie/cluster.yaml")
EVICTION = ("preempt", "fixtures/quickstart/trainer.yaml", "-c", "fixtures/quickstart/cluster.yaml", "-q")


@pytest.mark.parametrize("spelt", [("-o=name",), ("-oname",), ("-o", "name"), ("--output=name",)])
def test_values_of_short_options(run, spelt):
    assert run(*POD, *spelt) == run(*POD, "--output", "name")


@pytest.mark.parametrize(
    ("spelt", "plain"),
    [
        (("--quiet=true",), ("--quiet",)),
        (("-q=true",), ("--quiet",)),
        (("--quiet=false",), ()),
        (("-q", "--quiet=false"), ("-q",)),
    ],
)
def test_flags_with_a_truth_value(run, spelt, plain):
    assert run(*POD, *spelt) == run(*POD, *plain)


@pytest.mark.parametrize("value", ["--preemption=false", "--no-preemption=true"])
def test_flags_with_two_names(run, value):
    simulation = ("simulate", "-c", "fixtures/release-shop/cluster.yaml", "-q")
    release = "fixtures/release-shop/manifests"
    assert run(*simulation, release, value) == run(*simulation, release, "--no-preemption")


@pytest.mark.parametrize("spelt", ["--dry-run", "--dry-run=client", "--dry-run=server", "--dry-run=true"])
def test_every_dry_run_is_the_same(run, spelt):
    assert run(*EVICTION, spelt) == run(*EVICTION)


@pytest.mark.parametrize(
    ("spelt", "message"),
    [
        pytest.param("--dry-run=none", "nothing is ever written to a cluster", id="a wet run"),
        pytest.param("--dry-run=sever", "takes no value but client, server, true", id="a misspelt run"),
        pytest.param("--quiet=maybe", "--quiet takes no value but true, false", id="no truth value"),
    ],
)
def test_other_values_of_flags_are_refused(run, spelt, message):
    done = run(*EVICTION, spelt)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_what_follows_two_dashes_is_no_option(run):
    done = run("explain", "-c", "fixtures/explain-tie/cluster.yaml", "--", "-o=json")
    assert "-o=json: there is no such file or directory" in done.err
