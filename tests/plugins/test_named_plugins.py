"""Tables outside the plugins that say something of each by its name: a name that is none would be silent."""

import pytest

from kschedctl.advice import remedies
from kschedctl.advice.obstacles import claims, more_nodes
from kschedctl.plugins.registry import IN_TREE
from kschedctl.reports.gate import deciding


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(remedies._REMEDIES, id="remedies"),
        pytest.param(claims._PLUGINS, id="plugins that read claims"),
        pytest.param(more_nodes._STORAGE, id="plugins that keep pods where their storage is"),
        pytest.param(deciding._FIELDS, id="deciding fields"),
        pytest.param(deciding._OF_VOLUMES, id="plugins whose deciding field is a volume"),
    ],
)
def test_every_name_is_that_of_a_plugin(names):
    assert set(names) <= IN_TREE.keys()
