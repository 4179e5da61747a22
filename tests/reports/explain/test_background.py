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
from kschedctl.reports.schema import shipped_schema
from kschedctl.writers.formats import Format, Look
from kschedctl.writers.kinds import writers

FIXTURES = Path(__file__).parents[3] / "fixtures"
WRITERS = writers("kschedctl.reports.explain.document")


def written(answer: Explanation, form: Format) -> str:
    return "".join(WRITERS[form]()([answer], Look()))


def explained(scenario: str, pod: str) -> Explanation:
    cluster = Cluster.load(str(FIXTURES / scenario / "cluster.yaml"))
    (answer,) = explain(cluster, str(FIXTURES / scenario / f"{pod}.yaml"))
    return answer


def printed(answer: Explanation) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(written(answer, Format.JSON))
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

    assert "wished" not in written(soft, Format.TABLE)
    assert "spread of app=web in shop over topology.kubernetes.io/zone, wished" in written(soft, Format.WIDE)


def test_long_tables_are_cut() -> None:
    answer = explained("spread-zones", "hard")
    (one,) = answer.background
    many = [one.rows[0] | {"domain": f"zone-{i}"} for i in range(50)]
    report = replace(answer, background=[replace(one, rows=many, notes=[])])

    assert "45 more domains, see -o wide" in written(report, Format.TABLE)
    assert "10 more domains, see -o json" in written(report, Format.WIDE)
    assert "| +40 |" in written(report, Format.MARKDOWN)


def test_markdown_has_the_domains() -> None:
    assert "| c | 0 | 1 | yes | 1 | yes |" in written(explained("spread-policies", "ignore"), Format.MARKDOWN)


@pytest.mark.parametrize(("cell", "text"), [(True, "yes"), (False, "no"), (None, ""), (3, "3"), (1.5, "1.5")])
def test_cells(cell: bool | int | float | None, text: str) -> None:
    assert cell_text(cell) == text
