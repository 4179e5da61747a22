"""What axe-core finds on a page that is open in a browser."""

import gzip
from functools import cache
from pathlib import Path

_RUN = """axe.run().then((found) => found.violations.flatMap((rule) => rule.nodes.map(
  (node) => `${rule.impact}: ${rule.id}: ${node.html.slice(0, 200)}`)))"""


@cache
def _axe():
    return gzip.decompress((Path(__file__).parent / "axe" / "axe.min.js.gz").read_bytes()).decode()


def faults_of_use(browser):
    """What keeps somebody from using the page, or makes it hard: each an element with the rule that it breaks."""
    browser.run(f"{_axe()}\n;0")
    return browser.run(_RUN)
