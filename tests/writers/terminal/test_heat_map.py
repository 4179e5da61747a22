"""Heat maps on a terminal: values and shades, shades alone where there is no room, the hottest rows."""

import pytest

from kschedctl.reports.document import Headline, HeatCell, HeatMap, ReportDocument
from kschedctl.reports.medium import Medium
from kschedctl.reports.tone import Tone
from kschedctl.writers.formats import Look
from kschedctl.writers.terminal.document import table_pieces


def heat(value, tone=Tone.NO):
    return HeatCell(value / 10, str(value), tone if value else Tone.YES)


def shown(cells, *, rows=None, columns=None, limits=None, **look):
    rows = rows or [f"r{at}" for at in range(len(cells))]
    columns = columns or [f"c{at}" for at in range(len(cells[0]))]
    found = HeatMap("pods", "lost", "more", rows, columns, cells, limits or {})
    document = ReportDocument(Headline(Tone.NO, "no"), blocks=[found])
    text = "".join(table_pieces([document], Look(**look)))
    return [line.strip() for line in text.splitlines()[2:]]


def test_values_with_their_shades():
    lines = shown([[heat(0), heat(4)], [heat(10), None]])
    assert lines == ["pods; across: more", "lost    c0   c1", "r0       0 ▒  4", "r1    █ 10"]


def test_without_unicode():
    lines = shown([[heat(0), heat(4)], [heat(10), None]], unicode=False)
    assert lines[2:] == ["r0       0 :  4", "r1    # 10"]


def test_a_cold_cell_that_is_no_good_news_shows():
    (line,) = shown([[HeatCell(0.0, "0", Tone.NO), heat(0)]])[2:]
    assert line == "r0    !  0    0"


def test_shades_alone_where_there_is_no_room():
    names = [f"a-very-long-name-{at}" for at in range(30)]
    lines = shown([[heat(at % 11) for at in range(30)]], columns=names)
    assert lines[0] == "pods; across: more"
    assert max(map(len, lines)) <= 80


def test_columns_in_bands():
    lines = shown([[heat(at % 11) for at in range(30)]])
    bands = [line.split()[1:] for line in lines if line.startswith("lost")]
    assert len(bands) == 3
    assert [name for band in bands for name in band] == [f"c{at}" for at in range(30)]


@pytest.mark.parametrize(
    ("most", "told"),
    [pytest.param(2, ["r1", "r3"], id="the hottest"), pytest.param(9, ["r0", "r1", "r2", "r3"], id="all")],
)
def test_the_hottest_rows_stay(most, told):
    lines = shown([[heat(value)] for value in (1, 9, 2, 8)], limits={Medium.TABLE: most})
    assert [line[:2] for line in lines if line[0] == "r"] == told
    assert ("2 cooler rows left out, see -o wide" in lines) == (most == 2)
