"""API versions that are gone."""

from kschedctl.objects.kinds import BY_GVK, KINDS, is_upstream_group
from kschedctl.sources.gone_versions import GONE
from kschedctl.sources.older_versions import OLDER


def test_what_scheduling_reads_is_told_elsewhere():
    assert not {kind for _, kind in GONE} & {kind.kind for kind in KINDS}
    assert not GONE.keys() & (OLDER.keys() | BY_GVK.keys())


def test_no_version_is_to_be_replaced_by_one_that_is_gone():
    for (version, kind), gone in GONE.items():
        assert is_upstream_group(version)
        assert (gone.today, kind) not in GONE
        assert gone.today != version
