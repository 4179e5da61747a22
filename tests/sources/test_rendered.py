"""The template of a chart that a document was rendered from."""

import pytest

from kschedctl.sources.yaml import read_yaml


@pytest.mark.parametrize(
    ("text", "template"),
    [
        pytest.param(b"# Source: shop/templates/web.yaml\na: 1\n", "shop/templates/web.yaml", id="helm"),
        pytest.param(
            b"# Source: shop/templates/web.yaml\r\na: 1\r\n", "shop/templates/web.yaml", id="windows"
        ),
        pytest.param(b"\n# a note\n# Source: a/b.yaml\n# more\na: 1\n", "a/b.yaml", id="among comments"),
        pytest.param(b"a: 1\n# Source: a/b.yaml\n", None, id="below the first line"),
        pytest.param(b"# a Source: a/b.yaml\na: 1\n", None, id="another comment"),
        pytest.param(b"a: 1\n", None, id="no comment"),
    ],
)
def test_helm_says_it_above_the_document(text, template):
    (document,) = read_yaml(text)

    assert document.template == template


def test_each_document_has_its_own():
    text = b"---\n# Source: a/one.yaml\na: 1\n---\nb: 1\n---\n# Source: a/two.yaml\nc: 1\n"

    assert [d.template for d in read_yaml(text)] == ["a/one.yaml", None, "a/two.yaml"]
