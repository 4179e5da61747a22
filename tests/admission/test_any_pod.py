"""Whatever decodes is admitted or refused; no pod makes admission fail."""

import random
from typing import Any

import msgspec
import msgspec.inspect as types
import pytest
from builders import admission_context

from kschedctl.admission.chain import Admission
from kschedctl.admission.invalid import Invalid
from kschedctl.objects.pod import Pod

QUANTITIES = ["1", "-1", "1e400", "9Ei", "1E", "0", "2Mi", "100m", "0.1Ki"]
RESOURCES = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "hugepages-2Mi",
    "hugepages-0",
    "hugepages-0.5",
    "nvidia.com/gpu",
]
RESOURCES += ["foo", "", "a/b/c", "requests.x/y", "kubernetes.io/x"]
STRINGS = [
    "",
    "a",
    "bad key",
    "x/y",
    "é",
    "1",
    "In",
    "NotIn",
    "Exists",
    "Gt",
    "Equal",
    "Always",
    "Never",
    "NoExecute",
]
STRINGS += ["TCP", "metadata.name", "DoNotSchedule", "Honor", "kata"]
NUMBERS = [0, 1, -1, 80, 101, 65536]


def anything(kind: types.Type, dice: random.Random) -> Any:
    """Some value of a type, absurd as often as not."""
    match kind:
        case types.StructType(fields=fields):
            return {f.encode_name: anything(f.type, dice) for f in fields if dice.random() < 0.45}
        case types.UnionType(types=choices):
            if any(isinstance(choice, types.FloatType) for choice in choices):
                return dice.choice(QUANTITIES)
            return anything(dice.choice([c for c in choices if not isinstance(c, types.NoneType)]), dice)
        case types.VarTupleType(item_type=item):
            return [anything(item, dice) for _ in range(dice.randrange(3))]
        case types.DictType(value_type=value):
            keys = RESOURCES if isinstance(value, types.UnionType) else STRINGS
            return {dice.choice(keys): anything(value, dice) for _ in range(dice.randrange(3))}
        case types.StrType():
            return dice.choice(STRINGS)
        case types.IntType():
            return dice.choice(NUMBERS)
        case types.BoolType():
            return dice.random() < 0.5
    return {}


@pytest.mark.parametrize("seed", range(10))
def test_any_pod_gets_an_answer(seed: int) -> None:
    dice = random.Random(seed)
    admission = Admission(admission_context())
    kind = types.type_info(Pod)
    for _ in range(50):
        pod = msgspec.convert(anything(kind, dice), Pod)
        there = admission.admit_existing(pod)
        assert admission.admit_existing(Pod(metadata=there.metadata, spec=there.spec)).spec == there.spec
        result = admission.admit_candidate(pod)
        if isinstance(result, Invalid):
            assert all(error.path and error.message for error in result.errors)
            assert result.errors
