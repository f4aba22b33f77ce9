"""PyTorch tensors from pipelines."""

from __future__ import annotations

import gc
import inspect
import mmap
import subprocess
import sys
from itertools import islice
from types import MappingProxyType

import numpy as np
import pytest

from penstock import ArgumentError, Pipeline, fn

torch = pytest.importorskip("torch")

from penstock.plugin.pytorch import (  # noqa: E402  (only where PyTorch is)
    ClassificationIterator,
    DALIClassificationIterator,
    DALIGenericIterator,
    DALIRaggedIterator,
    GenericIterator,
    LastBatchPolicy,
    RaggedIterator,
    feed_ndarray,
)
from penstock.testing.iterators import IteratorConformance  # noqa: E402

DENSE, LIST, COO = (
    RaggedIterator.DENSE_TAG,
    RaggedIterator.SPARSE_LIST_TAG,
    RaggedIterator.SPARSE_COO_TAG,
)


class TestGenericIterator(IteratorConformance):
    iterator = GenericIterator
    tensor = torch.Tensor


class TestRaggedIterator(TestGenericIterator):
    iterator = RaggedIterator


class TestRaggedIteratorOfLists(IteratorConformance):
    iterator = RaggedIterator
    tensor = list
    ragged = True
    arguments = MappingProxyType({"output_types": [LIST]})

    def to_numpy(self, tensor):
        return np.array([row.numpy() for row in tensor])

    def address(self, tensor):
        return tensor[0].data_ptr()


def address(array):
    return int(array.__array_interface__["data"][0])


def ragged():
    return [np.arange(n, dtype=np.float32) for n in (3, 1, 0, 2)]


def test_scalars(feed):
    (batch,) = next(GenericIterator(feed([np.arange(3, dtype=np.int64)]), ["x"]))
    assert batch["x"].tolist() == [0, 1, 2]


def test_rows_that_lie_apart_are_put_together(feed):
    (batch,) = next(GenericIterator(feed([[np.ones(2), np.zeros(2)]]), ["x"]))
    assert batch["x"].tolist() == [[1, 1], [0, 0]]


def test_read_only_and_mirrored_memory_is_copied(feed):
    constant = np.broadcast_to(np.float32(2), (3, 2))
    mirrored = np.arange(6.0).reshape(3, 2)[:, ::-1]
    for rows in (constant, mirrored):
        (batch,) = next(GenericIterator(feed([rows]), ["x"]))
        np.testing.assert_array_equal(batch["x"].numpy(), rows)
        batch["x"] += 1
    assert constant[0, 0] == 2


def test_memory_is_used_again_only_after_the_last_view_is_gone():
    # Results of operators are rows of a slab, which the tensors share. Encoded files lie apart: a
    # tensor of these is a copy in memory of the C library, which uses addresses as it likes.
    depth, epochs = 2, 30
    rows = [np.full((1, 1 << 17), i, np.uint8) for i in range(6)]  # large enough for the pool
    pipeline = Pipeline(batch_size=1, num_threads=1, prefetch_queue_depth=depth)
    with pipeline:
        pipeline.set_outputs(fn.external_source(source=rows, cycle="quiet") ^ 255)
    with GenericIterator(pipeline, ["x"]) as iterator:
        kept = [next(iterator)[0]["x"][:, ::2] for _ in range(4)]
        used = set()
        for batch in islice(iterator, epochs * len(rows)):
            used.add(batch[0]["x"].data_ptr())
    # The pool takes new memory only while all it has is lent: to the batches under way, to the
    # one in the loop's hand, and to one that feeder and worker have not let go of yet.
    under_way, in_hand, let_go_late = depth, 1, 2
    assert len(used) <= under_way + in_hand + let_go_late
    assert not any(address % mmap.PAGESIZE for address in used)  # blocks of the pool, no copies
    assert not used & {view.data_ptr() for view in kept}
    del iterator, pipeline
    gc.collect()
    for i, view in enumerate(kept):
        assert (view == 255 - i).all()


@pytest.mark.parametrize("dynamic_shape", [True, False])
def test_rows_of_several_shapes_have_no_single_tensor(feed, dynamic_shape):
    iterator = GenericIterator(feed([ragged()]), ["audio"], dynamic_shape=dynamic_shape)
    with pytest.raises(ArgumentError, match=r"output 'audio'.*\(3,\), \(1,\).*RaggedIterator"):
        next(iterator)


def test_classification_names_data_and_label(numbered_files):
    pipeline = Pipeline(batch_size=2, num_threads=1)
    with pipeline:
        pipeline.set_outputs(*fn.readers.file(files=numbered_files[:4], name="R"))
    with ClassificationIterator(pipeline, reader_name="R") as iterator:
        batches = [batch for (batch,) in iterator]
    assert [batch["data"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]
    assert [batch["label"].tolist() for batch in batches] == [[[0], [1]], [[2], [3]]]


def test_ragged_list_shares_memory(feed):
    rows = ragged()
    (batch,) = next(RaggedIterator(feed([rows]), ["x"], output_types=[LIST]))
    assert [tensor.tolist() for tensor in batch["x"]] == [row.tolist() for row in rows]
    assert batch["x"][0].data_ptr() == address(rows[0])


def test_ragged_list_of_scalars(feed):
    (batch,) = next(RaggedIterator(feed([np.arange(3)]), ["x"], output_types=[LIST]))
    assert [tensor.shape for tensor in batch["x"]] == [()] * 3
    assert [int(tensor) for tensor in batch["x"]] == [0, 1, 2]


def test_ragged_dense_is_the_default(feed):
    (batch,) = next(RaggedIterator(feed([np.ones((2, 3))]), ["x"]))
    assert batch["x"].shape == (2, 3)
    advice = r"output 'x'.* as a list: output_types=\[RaggedIterator\.SPARSE_LIST_TAG\]"
    with pytest.raises(ArgumentError, match=advice):
        next(RaggedIterator(feed([ragged()]), ["x"]))


def test_the_help_describes_each_argument_of_ragged_iterators():
    for iterator in (GenericIterator, ClassificationIterator, RaggedIterator):
        described = inspect.getdoc(iterator) or ""
        for name in inspect.signature(iterator).parameters:
            assert name == "unknown" or f"\n    {name}: " in described, name


@pytest.mark.parametrize(
    "rows",
    [
        ragged(),
        [np.ones((2, 3), np.int16), np.full((1, 4), 2, np.int16), np.ones((0, 2), np.int16)],
        [np.arange(8).reshape(2, 2, 2), np.zeros((1, 3, 2), np.int64)],
        np.arange(4),
    ],
)
def test_ragged_coo(feed, rows):
    (batch,) = next(RaggedIterator(feed([rows]), ["x"], output_types=[COO]))
    sparse = batch["x"]
    extents = np.max([row.shape for row in rows], axis=0, initial=0).astype(int)
    expected = np.zeros((len(rows), *extents), rows[0].dtype)
    for row, target in zip(rows, expected, strict=True):
        if row.ndim:
            target[tuple(map(slice, row.shape))] = row
    if not rows[0].ndim:
        expected = np.asarray(rows)
    assert sparse.is_coalesced()
    assert sparse._nnz() == sum(row.size for row in rows)
    torch.sparse_coo_tensor(sparse.indices(), sparse.values(), sparse.shape, check_invariants=True)
    np.testing.assert_array_equal(sparse.to_dense().numpy(), expected)


@pytest.mark.parametrize("size", [1, 3])
def test_ragged_parts(feed, size):
    for tag in (LIST, COO):
        iterator = RaggedIterator(
            [feed([ragged()]), feed([ragged()])],
            ["x"],
            size,
            output_types=[tag],
            last_batch_policy=LastBatchPolicy.PARTIAL,
        )
        first, second = (outputs["x"] for outputs in next(iterator))
        assert (len(first), len(second)) == (size // 2, size - size // 2)
        assert second[0].sum() == 3
    assert first.shape == (size // 2, 3)


@pytest.fixture
def on_gpu(pipelines, numbered_files):
    """Outputs the number of each of five files, twice, on the GPU."""
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    pipeline = Pipeline(batch_size=3, num_threads=1, device_id=0)
    with pipeline:
        data, label = fn.readers.file(files=numbered_files[:5], name="R", pad_last_batch=True)
        pipeline.set_outputs(data.gpu(), label.gpu())
    pipelines.append(pipeline)
    return pipeline


@pytest.mark.gpu
def test_gpu_batches(on_gpu):
    with RaggedIterator(
        on_gpu,
        ["data", "label"],
        reader_name="R",
        output_types=[LIST, DENSE],
        last_batch_policy=LastBatchPolicy.PARTIAL,
        auto_reset=True,
    ) as iterator:
        kept = [batch for _ in range(20) for (batch,) in iterator]
    for i, batch in enumerate(kept):
        expected = [[3], [4]] if i % 2 else [[0], [1], [2]]
        assert batch["label"].device.type == "cuda"
        assert batch["label"].tolist() == expected
        assert [tensor.tolist() for tensor in batch["data"]] == expected


@pytest.mark.gpu
def test_gpu_memory_is_not_reused_while_a_copy_waits_in_the_stream(on_gpu):
    with GenericIterator(on_gpu, ["data", "label"], reader_name="R", auto_reset=True) as iterator:
        torch.cuda._sleep(1 << 30)
        kept = [batch["label"] for _ in range(10) for (batch,) in iterator]
    assert [tensor.flatten().tolist() for tensor in kept] == [[0, 1, 2], [3, 4, 4]] * 10


@pytest.mark.gpu
def test_gpu_coo_and_feed_ndarray(on_gpu):
    (batch,) = next(RaggedIterator(on_gpu, ["x", "y"], output_types=[COO, COO]))
    assert batch["x"].device.type == "cuda"
    assert batch["x"].to_dense().tolist() == [[0], [1], [2]]
    (_, label) = on_gpu.run()
    for target in (torch.zeros(3, 1, dtype=torch.int32, device=d) for d in ("cpu", "cuda")):
        stream = torch.cuda.Stream()
        feed_ndarray(label, target, stream)
        stream.synchronize()
        assert target.tolist() == [[3], [4], [4]]


@pytest.mark.parametrize("tags", [[], ["dense", "dense"], ["sparse"]])
def test_tags_that_do_not_fit(feed, tags):
    with pytest.raises(ArgumentError, match="output_types must give one of dense, sparse_list"):
        RaggedIterator(feed([ragged()]), ["x"], output_types=tags)


def test_feed_ndarray(feed):
    rows = np.arange(6, dtype=np.int32).reshape(3, 2)
    (output,) = feed([rows]).run()
    for source in (output, output.as_tensor()):
        target = torch.zeros((3, 2), dtype=torch.int32)
        assert feed_ndarray(source, target) is target
        np.testing.assert_array_equal(target.numpy(), rows)
    strided = torch.zeros((2, 3), dtype=torch.int32).t()
    np.testing.assert_array_equal(feed_ndarray(output, strided).numpy(), rows)
    row = torch.zeros(2, dtype=torch.int32)
    assert feed_ndarray(output[1], row).tolist() == [2, 3]


def test_feed_ndarray_refuses_what_does_not_fit(feed):
    (output,) = feed([np.zeros((3, 2), np.int32)]).run()
    for target in (torch.zeros((3, 2)), torch.zeros((2, 3), dtype=torch.int32)):
        with pytest.raises(ArgumentError, match=r"cannot copy torch.int32 of shape \(3, 2\)"):
            feed_ndarray(output, target)
    with pytest.raises(ArgumentError, match=r"must be a torch.Tensor, not ndarray"):
        feed_ndarray(output, np.zeros((3, 2), np.int32))


def test_dali_s_names():
    assert DALIGenericIterator is GenericIterator
    assert DALIClassificationIterator is ClassificationIterator
    assert DALIRaggedIterator is RaggedIterator
    assert list(inspect.signature(ClassificationIterator).parameters) == [
        name for name in inspect.signature(GenericIterator).parameters if name != "output_map"
    ]


def test_without_pytorch():
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "import penstock\n"
        "try:\n"
        "    import penstock.plugin.pytorch\n"
        "except penstock.MissingDependencyError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "[torch]'" in done.stdout


@pytest.mark.parametrize("tag", [DENSE, LIST])
def test_valid_is_a_tensor_whatever_the_outputs_are(numbers, tag):
    pipeline = numbers(3, 2, pad_last_batch=True)
    iterator = RaggedIterator(
        pipeline, ["label"], reader_name="Reader", output_types=[tag], with_valid=True
    )
    valid = [batch["valid"] for (batch,) in iterator]
    assert [tensor.tolist() for tensor in valid] == [[True, True], [True, False]]
    assert {tensor.dtype for tensor in valid} == {torch.bool}
