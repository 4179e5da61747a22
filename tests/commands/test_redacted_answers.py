"""What is answered about a redacted snapshot, read with the list of names, is the answer about the snapshot."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOP = str(ROOT / "fixtures/release-shop/cluster.yaml")
ZONES = str(ROOT / "fixtures/zone-drain/cluster.yaml")


class Names:
    """The list of names, both ways."""

    def __init__(self, path):
        self.originals = json.loads(Path(path).read_text())
        objects = {token: name for token, name in self.originals.items() if not re.match(r"[vzt]\d", token)}
        self.replacements = {name: token for token, name in objects.items()}

    def restored(self, text):
        longest_first = sorted(self.originals, key=len, reverse=True)
        tokens = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")
        return tokens.sub(lambda match: self.originals[match[0]], text)


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        (SHOP, ("simulate", "--scale", "{shop}/sts/{db}=6")),
        (SHOP, ("simulate", "--drain", "{w1}", "--drain", "{w4}")),
        (SHOP, ("drain", "{w3}", "{w4}")),
        (ZONES, ("simulate", "--remove-node", "{a08}")),
        (ZONES, ("drain", "{a08}")),
    ],
    ids=["scale", "drained nodes", "drain", "lost node", "budgets"],
)
def test_the_answers_are_the_same(run, tmp_path, monkeypatch, cluster, words):
    monkeypatch.chdir(tmp_path)
    assert run("snapshot", "convert", cluster, "-o", "plain.json", "--to", "snapshot").code == 0
    redaction = ("--redact", "names", "--names-to", "names.json")
    assert run("snapshot", "convert", cluster, *redaction, "-o", "redacted.json").code == 0
    names = Names("names.json")

    def asked(path, replaced):
        translated = [re.sub(r"\{(.*?)\}", lambda match: replaced(match[1]), word) for word in words]
        done = run(*translated, "-c", path, "-o", "json")
        assert done.code in (0, 1), done.err
        return done

    plain = asked("plain.json", lambda name: name)
    redacted = asked("redacted.json", lambda name: names.replacements[name])
    assert redacted.code == plain.code
    restored = names.restored(redacted.out).replace("redacted.json", "plain.json")
    assert json.loads(without_drawn(restored)) == json.loads(without_drawn(plain.out))


def without_drawn(text):
    """The text without what is drawn by names and labels: ends of the names of made pods, their uids, hashes."""
    text = re.sub(r'("uid": )"[0-9a-f-]{36}"|("controller-revision-hash": )"\w+"', r'\1\2""', text)
    return re.sub(r'("name": "[\w-]+-)[bcdf-hj-np-tv-xz2-9]{5}"', r'\1"', text)
