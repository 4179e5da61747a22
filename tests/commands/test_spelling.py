"""Options in the ways in which kubectl takes them."""

import pytest

POD = ("explain", "fixtures/explain-tie/pod.yaml", "-c", "fixtures/explain-tie/cluster.yaml")
EVICTION = ("preempt", "fixtures/quickstart/trainer.yaml", "-c", "fixtures/quickstart/cluster.yaml", "-q")

pytestmark = pytest.mark.usefixtures("in_the_root")


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


SHOP = ("-n", "shop", "-c", "fixtures/release-shop/cluster.yaml")


@pytest.mark.parametrize("verb", ["explain", "preempt", "capacity"])
@pytest.mark.parametrize("words", [("deploy", "web"), ("Deployments", "web"), ("deployment.apps", "web")])
def test_kind_and_name_as_two_words(run, verb, words):
    assert run(verb, *words, *SHOP, "-q") == run(verb, "deployment/web", *SHOP, "-q")


@pytest.mark.parametrize("words", [("pods",), ("gadget", "web"), ("pod", "fixtures/explain-tie/pod.yaml")])
def test_other_words_are_files(run, words):
    assert f"there is no file {words[0]}\n" in run("explain", *words, *SHOP).err


@pytest.mark.parametrize("option", ["-A", "--all-namespaces"])
@pytest.mark.parametrize("verb", ["explain", "preempt"])
def test_pending_pods_of_all_namespaces(run, tmp_path, monkeypatch, verb, option):
    monkeypatch.chdir(tmp_path)
    pods = "".join(
        f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: {namespace}}}\n"
        "spec: {containers: [{name: c, image: i}]}\n"
        for namespace in ("here", "there")
    )
    (tmp_path / "cluster.yaml").write_text(pods)
    assert run(verb, option, "-c", "cluster.yaml", "-o", "name") == run(
        verb, "-c", "cluster.yaml", "-o", "name"
    )
    assert run(verb, "-n", "here", option, "-c", "cluster.yaml", "-o", "name").out.count("\n") == 2
    assert run(verb, "-n", "here", "-c", "cluster.yaml", "-o", "name").out.count("\n") == 1
