"""The limits that README names are those of the code."""

from pathlib import Path

import pytest

from commands.options import TIMEOUT
from commands.output import _WIDEST
from kschedctl.dra import cel_budget, search
from kschedctl.objects.quantity import MAX_DIGITS
from kschedctl.sources import content, yaml_builder
from kschedctl.sources.intake import _MAX_LIST_DEPTH
from kschedctl.whatif.capacity.capacity import MOST_SETS
from kschedctl.workloads.limits import MOST_NODES, MOST_PODS, MOST_REPLICAS

TABLE = (Path(__file__).parents[1] / "README.md").read_text().partition("### What an input may cost")[2]
MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize(
    ("row", "limit"),
    [
        ("a gzip file", f"{content.SMALL_UNPACKED_BYTES // MIB} MiB, or {content.MAX_GZIP_RATIO} times"),
        ("a gzip file", f"more than {content.MAX_UNPACKED_BYTES // GIB} GiB"),
        ("through a pipe", f"{content.MAX_UNPACKED_BYTES // GIB} GiB"),
        ("nesting", f"{yaml_builder.MAX_DEPTH} levels; {_MAX_LIST_DEPTH}"),
        ("aliases", f"{yaml_builder.MAX_ALIASED_NODES:,}"),
        ("quantity", f"{MAX_DIGITS:,}"),
        ("replicas", f"{MOST_REPLICAS:,}"),
        ("pods that", f"{MOST_PODS:,}"),
        ("nodes that", f"{MOST_NODES:,}"),
        ("sets that", f"{MOST_SETS:,}"),
        ("cost of a device selector", f"{cel_budget.COST_LIMIT:,}"),
        ("may grow to", f"{2**cel_budget._MOST_BITS // MIB} MiB"),
        ("device searches", f"{search.MAX_STEPS:,}"),
        ("columns", f"{_WIDEST:,}"),
        ("waiting", f"{TIMEOUT:g} s"),
    ],
)
def test_the_table_says_what_holds(row, limit):
    (line,) = [line for line in TABLE.splitlines() if line.startswith("|") and row in line]
    assert limit in line
