"""Every kind of report that there is can be found by its name, and written."""

import pytest

from kschedctl.reports.schema import shipped_schema
from kschedctl.writers.catalogue import CATALOGUE
from kschedctl.writers.formats import Format


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_kind_is_found_by_the_name_in_its_reports(name):
    report = CATALOGUE[name].type()
    assert report.__name__ == name
    assert shipped_schema(report)["title"] == name


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name, kind in CATALOGUE.items() for form in kind.writers]
)
def test_every_format_has_its_writer(name, form):
    assert callable(CATALOGUE[name].writers[form]())


@pytest.mark.parametrize("name", sorted(CATALOGUE.keys() - {"ConformanceReport"}))
def test_every_kind_can_be_read_by_people_and_programs(name):
    formats = {Format.TABLE, Format.MARKDOWN, Format.HTML, Format.JSON, Format.YAML}
    assert formats <= CATALOGUE[name].writers.keys()
