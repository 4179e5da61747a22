"""Pages in a real browser: nothing fails, nothing leaves, and what they promise to do they do."""

from json import dumps
from pathlib import Path

import pytest
from browser import PROGRAM, Browser
from builders import node
from test_page import EVIL, ROOT, VERBS, everything

from commands import main
from kschedctl.writers.formats import Look
from kschedctl.writers.html.page import html_pieces

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs chromium")


@pytest.fixture(scope="module")
def browser():
    started = Browser()
    yield started
    started.close()


@pytest.fixture
def page(tmp_path, capsys, monkeypatch):
    """A function that writes the page of a command and returns its address."""
    monkeypatch.chdir(ROOT)

    def written(*arguments):
        with pytest.raises(SystemExit):
            main.run((*arguments, "-o", "html"))
        path = tmp_path / "page.html"
        path.write_text(capsys.readouterr().out)
        return path.as_uri()

    return written


def explain(page):
    return page("explain", *VERBS["explain"])


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_fails_and_nothing_leaves(browser, page, verb):
    url = page(*verb.split(), *VERBS[verb])
    browser.open(url)
    assert browser.run("document.querySelectorAll('h1').length") >= 1
    assert browser.faults == []
    assert browser.requests == [url]


def test_hostile_names_do_nothing(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text("".join(html_pieces([everything(EVIL.replace("alert(1)", "window.hacked=1"))], Look())))
    browser.open(path.as_uri())
    assert browser.run("window.hacked === undefined && document.images.length === 0")
    assert (browser.faults, browser.requests) == ([], [path.as_uri()])


def test_the_filter_leaves_rows_and_nodes_with_its_words(browser, page):
    browser.open(explain(page))
    browser.run("document.querySelector('#filter').focus()")
    browser.type("gpu-1 taint")
    rows = browser.run(
        "Array.from(document.querySelectorAll('tbody tr:not([hidden])'), (r) => r.textContent)"
    )
    assert rows
    assert all("gpu-1" in row for row in rows)
    assert (
        browser.run("Array.from(document.querySelectorAll('.grid i:not(.out)'), (i) => i.textContent)")
        == ["gpu-1"] * 2
    )  # one for each pod


def test_a_click_on_a_title_sorts(browser, page):
    browser.open(explain(page))
    column = "Array.from(document.querySelector('table').tBodies[0].rows, (r) => r.cells[1].textContent)"
    assert browser.run(column) == ["392", "129"]
    for order, told in ((["129", "392"], "ascending"), (["392", "129"], "descending")):
        browser.run("document.querySelectorAll('th button')[1].click()")
        assert browser.run(column) == order
        assert browser.run("document.querySelectorAll('th')[1].getAttribute('aria-sort')") == told


def test_arrow_keys_walk_over_the_nodes(browser, page):
    browser.open(explain(page))
    told = "document.querySelector('.told').textContent"
    browser.run("document.querySelector('.grid i').focus()")
    assert browser.run(told) == "worker-5: 392 points"
    browser.press("ArrowRight")
    assert browser.run(told) == "worker-7: 129 points"
    browser.press("ArrowRight")
    assert browser.run(told).startswith("cp-1: taint ")


def test_a_node_can_be_linked_to(browser, page):
    browser.open(explain(page) + "#node=gpu-2")
    assert browser.run("document.activeElement.id") == "node=gpu-2"
    assert browser.run("document.querySelector('.told').textContent").startswith("gpu-2: taint dedicated")


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_fits_its_screen(browser, page, width):
    browser.ask(
        "Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False
    )
    browser.open(explain(page))
    assert browser.run("document.documentElement.scrollWidth") <= width
    browser.ask("Emulation.clearDeviceMetricsOverride")


def test_five_thousand_nodes(browser, tmp_path, page):
    cluster, pod = tmp_path / "cluster.json", Path("fixtures/quickstart/pod.yaml")
    cluster.write_text(
        dumps({"kind": "List", "apiVersion": "v1", "items": [node(f"n{i}") for i in range(5000)]})
    )
    browser.open(page("explain", str(pod), "-c", str(cluster)))
    assert browser.run("document.querySelectorAll('.grid i').length") == 5000
    browser.run("document.querySelector('#filter').focus()")
    browser.type("n4999")
    assert browser.run("document.querySelectorAll('.grid i:not(.out)').length") == 1
