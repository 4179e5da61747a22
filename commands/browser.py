"""Pages that are opened instead of written to stdout."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

from kschedctl.errors import KschedError

from .messages import say


def open_page(pieces: Iterable[str]) -> None:
    """Show a page in the browser, from a file that is left for it.

    Raises:
        KschedError: there is no browser.
    """
    with NamedTemporaryFile("w", encoding="utf-8", prefix="kschedctl-", suffix=".html", delete=False) as page:
        page.writelines(pieces)
    if not webbrowser.open(Path(page.name).as_uri()):
        raise KschedError("no browser can be opened", hint=f"The page is in {page.name}.")
    say(page.name)
