"""The facts behind spread and affinity answers in every format."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from kschedctl.questions.cluster import Cluster
from kschedctl.questions.explain import explain
from kschedctl.reports.explain.background import cell_text
from kschedctl.reports.explain.model import Explanation
from kschedctl.reports.formats import Look
from kschedctl.reports.render.explanation_markdown import markdown_pieces
from kschedctl.reports.render.explanation_table import table_pieces
from kschedctl.reports.render.explanation_wide import wide_pieces
from kschedctl.reports.render.structured import json_pieces
from kschedctl.reports.schema import shipped_schema

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOOK = Look(width=80, color=False)


def explained(scenario: str, pod: str) -> Explanation:
    cluster = Cluster.load(str(FIXTURES / scenario / "cluster.yaml"))
    (answer,) = explain(cluster, str(FIXTURES / scenario / f"{pod}.yaml"))
    return answer


def printed(answer: Explanation) -> dict[str, Any]:
    report: dict[str, Any] = json.loads("".join(json_pieces([answer], LOOK)))
    return report


def test_rows_are_typed_by_column() -> None:
    report = printed(explained("spread-zones", "hard"))

    (background,) = report["background"]
    assert background["rows"][0] == {
        "domain": "c",
        "pods": 1,
        "nodes": 1,
        "counted": True,
        "skew": 1,
        "fits": True,
    }
    assert list(background["rows"][0]) == background["columns"]
    jsonschema.validate(report, shipped_schema(Explanation))


def test_the_table_shows_what_rejects_and_wide_also_what_scores() -> None:
    soft = explained("spread-zones", "soft")

    assert "wished" not in "".join(table_pieces([soft], LOOK))
    assert "spread of app=web in shop over topology.kubernetes.io/zone, wished" in "".join(
        wide_pieces([soft], LOOK)
    )


def test_long_tables_are_cut() -> None:
    answer = explained("spread-zones", "hard")
    (one,) = answer.background
    many = [one.rows[0] | {"domain": f"zone-{i}"} for i in range(50)]
    report = replace(answer, background=[replace(one, rows=many, notes=[])])

    assert "+45" in "".join(table_pieces([report], LOOK))
    assert "+10" in "".join(wide_pieces([report], LOOK))
    assert "| +40 |" in "".join(markdown_pieces([report], LOOK))


def test_markdown_has_the_domains() -> None:
    assert "| c | 0 | 1 | yes | 1 | yes |" in "".join(
        markdown_pieces([explained("spread-policies", "ignore")], LOOK)
    )


@pytest.mark.parametrize(("cell", "text"), [(True, "yes"), (False, "no"), (None, ""), (3, "3"), (1.5, "1.5")])
def test_cells(cell: bool | int | float | None, text: str) -> None:
    assert cell_text(cell) == text
