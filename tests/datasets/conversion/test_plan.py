"""What a plan says of another one."""

from __future__ import annotations

import json

from penstock.datasets import open_dataset
from penstock.datasets.conversion.options import ConvertOptions
from penstock.datasets.conversion.plan import ConvertPlan, SampleOrder
from penstock.datasets.formats.writer import Target
from penstock.datasets.schema import schema_of
from penstock.testing import made


def test_a_plan_names_what_differs(tmp_path):
    source = made.write(tmp_path / "source", made.images())
    target = Target(schema_of(made.images()))
    order = SampleOrder(12, 12)

    def plan(**options):
        taken = ConvertOptions(source, tmp_path / "a", to="npz", **options)
        with open_dataset(source) as dataset:
            return ConvertPlan.of(dataset, taken, target, order, 3)

    first, other = plan(), plan(where="label == 1", jpeg_quality=90)
    assert first.difference(plan().fields) == ""
    assert first.digest == plan(workers=2).digest != other.digest
    assert first.difference(other.fields) == "reencoding, where"
    (source / "shard-00000.tar").touch()
    assert first.difference(plan().fields) == "the source's files"
    assert set(json.loads(first.fields)) == {
        *("classes", "components", "order", "reencoding", "shards", "source", "stamp", "to"),
        "where",
    }
