"""`fn.readers.tfrecord` against DALI's on the same files: order, values, shapes and types."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock import fn, pipeline_def, tfrecord

dali = pytest.importorskip("nvidia.dali")
theirs = pytest.importorskip("nvidia.dali.tfrecord")

COUNTS = (17, 8)  # records of two files


def writer():
    path = Path(__file__).resolve().parent.parent / "readers" / "tfrecord_files.py"
    spec = importlib.util.spec_from_file_location("penstock_test_tfrecord_files", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tfrecord")
    write = writer()
    random = np.random.default_rng(8)
    paths, indexes = [], []
    for number, count in enumerate(COUNTS):
        path, index = folder / f"{number}.tfrecord", folder / f"{number}.idx"
        rows = [
            {
                "label": 100 * number + i,
                "image": random.bytes(int(random.integers(1, 3000))),
                "big": int(random.integers(-(2**63), 2**63)),
                "pair": [float(x) for x in random.standard_normal(2)],
                "ids": [int(x) for x in random.integers(-5, 1000, random.integers(1, 9))],
                "boxes": [float(x) for x in random.random(4 * int(random.integers(1, 4)))],
                "shape/2x3": [int(x) for x in random.integers(0, 9, 6)],
            }
            for i in range(count)
        ]
        write.write_index(index, write.write_records(path, map(write.example, rows)))
        paths.append(str(path))
        indexes.append(str(index))
    return {"path": paths, "index_path": indexes}


def features(module):
    return {
        "label": module.FixedLenFeature([], module.int64, -1),
        "image": module.FixedLenFeature([], module.string, ""),
        "big": module.FixedLenFeature([1], module.int64, -1),
        "pair": module.FixedLenFeature([2], module.float32, 0.0),
        "ids": module.VarLenFeature(module.int64, 0),
        "boxes": module.VarLenFeature([4], module.float32, 0.0),
        "shape/2x3": module.FixedLenFeature([2, 3], module.int64, 0),
    }


def read(package, module, batches, arguments):
    define = pipeline_def if package is None else dali.pipeline_def
    readers = fn.readers if package is None else dali.fn.readers

    @define(batch_size=4, num_threads=2, device_id=None, prefetch_queue_depth=1)
    def pipeline():
        found = readers.tfrecord(features=features(module), name="reader", **arguments)
        assert isinstance(found, dict)
        return tuple(found[name] for name in features(module))

    pipe = pipeline()
    pipe.build()
    samples = []
    for _ in range(batches):
        outputs = pipe.run()
        for row in range(len(outputs[0])):
            arrays = [np.array(output.at(row)) for output in outputs]
            samples.append([(array.shape, array.dtype, array.tobytes()) for array in arrays])
    return samples


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        *(
            {
                "num_shards": shards,
                "shard_id": shard,
                "stick_to_shard": stick,
                "pad_last_batch": pad,
            }
            for shards in (1, 2, 3, 7)
            for shard in {0, shards - 1}
            for stick in (False, True)
            for pad in (False, True)
        ),
    ],
)
@pytest.mark.parametrize("with_index", [False, True])
def test_order_values_shapes_and_types(files, arguments, with_index):
    ours = dict(files) if with_index else {"path": files["path"]}
    steps = 16
    expected = read(dali, theirs, steps, files | arguments)
    assert read(None, tfrecord, steps, ours | arguments) == expected


def test_lists_without_values_are_no_missing_lists(tmp_path):
    write = writer()
    record = write.field(
        1, write.entry("boxes", write.float_list()) + write.entry("ids", write.int64_list())
    )
    path, index = tmp_path / "empty.tfrecord", tmp_path / "empty.idx"
    write.write_index(index, write.write_records(path, [record]))

    def shapes(package, readers, module):
        wanted = {
            "boxes": module.VarLenFeature([4], module.float32, 0.5),
            "ids": module.VarLenFeature(module.int64, 7),
        }

        @package.pipeline_def(batch_size=1, num_threads=1, device_id=None)
        def pipeline():
            found = readers.tfrecord(path=str(path), index_path=str(index), features=wanted)
            return tuple(found.values())

        built = pipeline()
        built.build()
        rows = [np.array(output[0]) for output in built.run()]
        return [(row.shape, row.dtype) for row in rows]

    ours = shapes(penstock, fn.readers, tfrecord)
    assert ours == shapes(dali, dali.fn.readers, theirs)
    assert ours == [((0, 4), np.float32), ((0,), np.int64)]
