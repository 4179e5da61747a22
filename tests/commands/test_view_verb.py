"""`kschedctl view`: what was saved says the same in every format."""

import json
import webbrowser

import pytest
from hostile_builders import write_hostile_inputs

RELEASE = "fixtures/release-shop"
QUICK = "fixtures/quickstart"
VERBS = {
    "explain": (f"{QUICK}/pod.yaml", "-c", f"{QUICK}/cluster.yaml"),
    "explain of several": (f"{QUICK}/pod.yaml", f"{QUICK}/trainer.yaml", "-c", f"{QUICK}/cluster.yaml"),
    "preempt": ("fixtures/preempt-cascade/pod.yaml", "-c", "fixtures/preempt-cascade/cluster.yaml"),
    "simulate": ("-f", f"{RELEASE}/manifests", "-c", f"{RELEASE}/cluster.yaml"),
    "drain": ("w3", "w4", "-c", f"{RELEASE}/cluster.yaml"),
    "capacity": ("deploy/web", "-n", "shop", "-c", f"{RELEASE}/cluster.yaml"),
    "gate": ("fixtures/gate-release/tight.yaml",),
}
FORMATS = {"gate": ("table", "markdown", "html", "junit", "github")}

pytestmark = pytest.mark.usefixtures("in_the_root")


@pytest.mark.parametrize("saved", ["json", "yaml", "html"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_saved_report_says_the_same(run, verb, saved):
    command = (verb.split()[0], *VERBS[verb])
    report = run(*command, "-o", saved).out.encode()
    for form in FORMATS.get(verb, ("table", "wide", "name", "markdown", "html", "json")):
        viewed = run("view", "-", "-o", form, stdin=report)
        assert (viewed.code, viewed.err) == (0, "")
        assert viewed.out == run(*command, "-o", form).out, form


def test_without_a_format_it_is_a_page(run):
    report = run("explain", *VERBS["explain"], "-o", "json").out.encode()
    assert run("view", "-", stdin=report).out.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("{}", "it is no report of kschedctl.dev/v1alpha1", id="nothing"),
        pytest.param("[1, 2]", "it is no report of", id="a list"),
        pytest.param("apiVersion: v1\nkind: Pod\n", "it is no report of", id="an object of Kubernetes"),
        pytest.param(
            '{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Snapshot"}', "its kind is none of", id="kind"
        ),
        pytest.param(
            '{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "List", "items": 1}', "its kind", id="items"
        ),
        pytest.param(
            '{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "List", "items": []}', "its kind", id="empty"
        ),
        pytest.param(
            '{"apiVersion": "kschedctl.dev/v1alpha1", "kind": "Drain"}',
            "it is not as reports of this version are: Object missing required field `scheduler`",
            id="half of one",
        ),
        pytest.param("{", "error: stdin, line 1", id="broken"),
        pytest.param("<!doctype html><p>news</p>", "its kind is none of", id="another page"),
        pytest.param(
            '<!doctype html><script type="application/json" class="report">{</script>',
            "its kind",
            id="broken page",
        ),
        pytest.param(
            '<!doctype html><script type="application/json" class="report">{"a": "\udcff"}</script>',
            "its kind",
            id="page that is no text",
        ),
        pytest.param(
            '<!doctype html><script type="application/json" class="report">{}</script>',
            "the page holds no report of",
            id="page of something else",
        ),
    ],
)
def test_what_is_no_report_is_refused(run, text, told):
    done = run("view", "-", stdin=text.encode(errors="surrogateescape"))
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def _emptied(report):
    report["versions"] = report["versions"][:1]


def _without_pods(report):
    report["pending"][0]["pods"] = []


def _odd_kind(report):
    report["kind"] = {"a": 1}


def _odd_time(report):
    report["snapshots"] = [{**report["snapshots"][0], "takenAt": "yesterday"}]


@pytest.mark.parametrize(
    ("command", "damage", "told"),
    [
        pytest.param(
            ("snapshot", "info", "fixtures/snapshots/shop.json"), _odd_time, "hold together", id="time"
        ),
        pytest.param(
            ("explain", *VERBS["explain"], "--kubernetes-version", "1.35,1.37"),
            _emptied,
            "hold together",
            id="a version",
        ),
        pytest.param(("explain", *VERBS["explain"]), _odd_kind, "its kind is none of", id="the kind"),
        pytest.param(("simulate", *VERBS["simulate"]), _without_pods, "hold together", id="pods of a group"),
    ],
)
def test_a_report_that_was_changed_is_refused(run, command, damage, told):
    report = json.loads(run(*command, "-o", "json").out)
    damage(report)
    done = run("view", "-", "-o", "table", stdin=json.dumps(report).encode())
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "internal error" not in done.err


def test_reports_of_several_kinds_are_refused(run):
    kinds = [json.loads(run(verb, *VERBS[verb], "-o", "json").out) for verb in ("drain", "capacity")]
    text = json.dumps({"apiVersion": "kschedctl.dev/v1alpha1", "kind": "List", "items": kinds})
    assert run("view", "-", stdin=text.encode()).code == 2


def test_a_page_says_the_same_whatever_is_in_its_names(run, tmp_path, monkeypatch):
    """What could end the element with the report in it does not."""
    write_hostile_inputs(tmp_path, "</script><!-- \u2028 &lt; \\u003c")
    monkeypatch.chdir(tmp_path)
    command = ("explain", "-A", "-c", "cluster.json")
    page = run(*command, "-o", "html").out.encode()
    assert run("view", "-", "-o", "json", stdin=page).out == run(*command, "-o", "json").out


@pytest.mark.parametrize("opens", [True, False])
@pytest.mark.parametrize("verb", ["view", "drain"])
def test_a_page_is_opened_in_the_browser(run, monkeypatch, tmp_path, verb, opens):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = []

    def open_page(url):
        opened.append(url)
        return opens

    monkeypatch.setattr(webbrowser, "open", open_page)
    report = run("drain", *VERBS["drain"], "-o", "json").out.encode()
    command = ("drain", *VERBS["drain"]) if verb == "drain" else ("view", "-")
    done = run(*command, "--open", stdin=report)
    (page,) = tmp_path.iterdir()
    assert opened == [page.as_uri()]
    assert page.read_text().startswith("<!doctype html>")
    assert (done.code, done.out) == ((1 if verb == "drain" else 0) if opens else 2, "")
    assert str(page) in done.err


@pytest.mark.parametrize(
    "command", [("view", "-", "-o", "table"), ("drain", *VERBS["drain"], "-o", "json")], ids=["view", "drain"]
)
def test_only_a_page_is_opened(run, command):
    report = run("explain", *VERBS["explain"], "-o", "json").out.encode()
    done = run(*command, "--open", stdin=report)
    assert (done.code, done.out) == (2, "")
    assert "--open is for -o html" in done.err
