"""The readers of LMDB against DALI's: values, types, shapes, origins, and order in all shards."""

import numpy as np
import pytest

from penstock import fn, pipeline_def

from ..readers.lmdb_samples import datum, tensor, tensor_protos, write_lmdb

dali = pytest.importorskip("nvidia.dali")

PIXELS = bytes(range(24))


def theirs(reader, batch_size, batches, **arguments):
    pipeline = dali.Pipeline(
        batch_size=batch_size, num_threads=1, device_id=None, prefetch_queue_depth=1
    )
    with pipeline:
        outputs = getattr(dali.fn.readers, reader)(name="reader", **arguments)
        outputs = outputs if isinstance(outputs, list | tuple) else [outputs]
        pipeline.set_outputs(*outputs)
    pipeline.build()
    return [described(pipeline.run()) for _ in range(batches)], pipeline.reader_meta("reader")


def ours(reader, batch_size, batches, **arguments):
    @pipeline_def(batch_size=batch_size, num_threads=1, device_id=None)
    def definition():
        return getattr(fn.readers, reader)(name="reader", **arguments)

    with definition() as pipeline:
        found = [described(pipeline.run()) for _ in range(batches)]
        return found, pipeline.reader_meta("reader")


def described(outputs):
    """Return all that there is to see of a batch."""
    return [
        [
            (array.dtype.str, array.shape, array.tobytes(), output.layout())
            for array in (np.array(output.at(i)) for i in range(len(output)))
        ]
        for output in outputs
    ]


def assert_same(reader, values, folder, **arguments):
    path = str(write_lmdb(folder / "env", values))
    assert (
        ours(reader, len(values), 1, path=path, **arguments)[0]
        == (theirs(reader, len(values), 1, path=path, **arguments)[0])
    )


@pytest.mark.parametrize(
    ("values", "arguments"),
    [
        (
            [
                datum(data=b"a jpeg", label=7, encoded=True, shape=(9, 9, 3)),
                datum(data=b"", label=-2),
            ],
            {},
        ),
        ([datum(data=b"does not say", label=2**31 - 1, shape=(1, 1, 1))], {}),
        ([datum(data=b"x", label=2**40 + 3), datum(data=b"y" * 70_000, label=-(2**31))], {}),
        ([datum(data=PIXELS, label=0, encoded=False, shape=(2, 4, 3))] * 2, {}),
        ([datum(data=PIXELS, label=0, encoded=False, shape=(24, 1, 1))], {}),
        ([datum(data=b"x")], {"label_available": False}),
        ([datum(label=3, data=b"x"), datum(label=4)], {"image_available": False}),
        ([datum(data=b"1", label=1) + datum(data=b"2")], {}),  # the last value of a field counts
    ],
)
def test_caffe(tmp_path, values, arguments):
    assert_same("caffe", values, tmp_path, **arguments)


IMAGE = tensor(4, strings=[b"a jpeg"])
CLASS = tensor(2, int32s=[5])
BOX = tensor(2, int32s=[1, 2, 3, 4])


@pytest.mark.parametrize(
    ("tensors", "arguments"),
    [
        ([IMAGE, CLASS], {}),
        ([IMAGE, tensor(1, floats=[5.5])], {}),
        ([IMAGE, tensor(2, int32s=[-5])], {}),
        ([tensor(3, dims=(2, 4, 3), content=PIXELS), CLASS], {}),
        ([tensor(3, dims=(4, 6), content=PIXELS), CLASS], {}),
        ([IMAGE, tensor(1, floats=[1, 3, 0.5])], {"label_type": 2}),
        ([IMAGE, tensor(2, int32s=[1, 3, -5])], {"label_type": 2, "num_labels": 3}),
        ([IMAGE], {"label_type": 4}),
        ([CLASS], {"image_available": False}),
        ([IMAGE, CLASS, BOX], {"bbox": True}),
        ([IMAGE, BOX], {"bbox": True, "label_type": 4}),
        (
            [IMAGE, CLASS, tensor(10, int64s=[2**40, -3]), tensor(1, dims=(2, 1), floats=[1, 2])],
            {"additional_inputs": 2},
        ),
        ([IMAGE, CLASS, tensor(1, floats=[7]), BOX], {"additional_inputs": 1, "bbox": True}),
    ],
)
def test_caffe2(tmp_path, tensors, arguments):
    assert_same("caffe2", [tensor_protos(*tensors)] * 2, tmp_path, **arguments)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three files with 11, 5 and 7 records, with values of all sizes."""
    folder = tmp_path_factory.mktemp("files")
    random = np.random.default_rng(3)
    paths, label = [], 0
    for name, count in (("b", 11), ("a", 5), ("c", 7)):
        records = {}
        for _ in range(count):
            data = random.bytes(int(random.choice([0, 10, 3000, 60_000])))
            records[random.bytes(8).hex().encode()] = datum(data=data, label=label)
            label += 1
        paths.append(str(write_lmdb(folder / name, records)))
    return paths


@pytest.mark.parametrize("pad_last_batch", [False, True])
@pytest.mark.parametrize("stick_to_shard", [False, True])
@pytest.mark.parametrize(("num_shards", "batch_size"), [(1, 4), (2, 3), (3, 8), (5, 2)])
def test_order_in_all_shards(files, num_shards, batch_size, stick_to_shard, pad_last_batch):
    for shard_id in range(num_shards):
        arguments = {
            "path": files,
            "shard_id": shard_id,
            "num_shards": num_shards,
            "stick_to_shard": stick_to_shard,
            "pad_last_batch": pad_last_batch,
        }
        batches = 3 * -(-23 // (num_shards * batch_size))
        found, meta = ours("caffe", batch_size, batches, **arguments)
        expected, their_meta = theirs("caffe", batch_size, batches, **arguments)
        assert found == expected
        assert {name: meta[name] for name in their_meta} == their_meta


def test_origins(files):
    pipeline = dali.Pipeline(batch_size=23, num_threads=1, device_id=None)
    with pipeline:
        pipeline.set_outputs(dali.fn.readers.caffe(path=files)[0])
    (images,) = pipeline.run()
    places = [images[i].source_info() for i in range(23)]

    @pipeline_def(batch_size=23, num_threads=1, device_id=None)
    def definition():
        return fn.readers.caffe(path=files)

    with definition() as mine:
        images, _ = mine.run()
    assert list(images.source_info()) == places


def test_the_values_themselves(files):
    """`fn.readers.lmdb` gives what DALI's Caffe reader gets to parse."""
    ((images, labels),), _ = theirs("caffe", 23, 1, path=files)
    ((values,),), _ = ours("lmdb", 23, 1, path=files)
    assert [value for _, _, value, _ in values] == [
        datum(data=image, label=int.from_bytes(label, "little"))
        for (_, _, image, _), (_, _, label, _) in zip(images, labels, strict=True)
    ]
