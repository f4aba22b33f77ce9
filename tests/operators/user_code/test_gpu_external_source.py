"""`external_source(device="gpu")`: data of other libraries on the device, and from the host."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, PipelineStopped
from penstock.engine.tensors import TensorListGPU
from penstock.testing.emulator import Foreign


@pytest.fixture
def there(device_stage, request):
    """Return a function that puts an array on the device, as another library would."""
    if not device_stage:
        return Foreign
    cupy = request.getfixturevalue("cupy")

    def put(array):
        base = array if array.base is None else array.base  # views stay views
        if base.size == array.size or not array.size:
            return cupy.asarray(array)
        copy = cupy.asarray(base)
        offset = array.ctypes.data - base.ctypes.data
        pointer = cupy.cuda.MemoryPointer(copy.data.mem, copy.data.mem.ptr - copy.data.ptr + offset)
        return cupy.ndarray(array.shape, array.dtype, pointer, array.strides)

    return put


def source_of(source, size=4, **options):
    pipe = Pipeline(batch_size=size, num_threads=2)
    with pipe:
        result = fn.external_source(source, device="gpu", **options)
        pipe.set_outputs(*(result if isinstance(result, list) else [result]))
    return pipe


def arrays(output):
    assert isinstance(output, TensorListGPU)
    return [np.array(row) for row in output.as_cpu().rows()]


def test_fed_layouts(there):
    data = np.arange(24, dtype=np.int16).reshape(1, 3, 2, 4)
    with Pipeline(batch_size=1, num_threads=2) as pipe:
        pipe.set_outputs(fn.flip(fn.external_source(name="data", device="gpu")))
    with pipe:
        for layout, axis in (("CHW", 3), ("HWC", 2), ("CHW", 3)):
            pipe.feed_input("data", there(data), layout=layout)
            (output,) = pipe.run()
            assert output.layout() == layout
            np.testing.assert_array_equal(output.as_cpu().as_array(), np.flip(data, axis))


def test_batches_on_the_device(there):
    data = np.arange(24, dtype=np.int16).reshape(4, 3, 2)
    with source_of([there(data + k) for k in range(5)], layout="HW") as pipe:
        for k in range(5):
            (output,) = pipe.run()
            assert output.layout() == "HW"
            assert output.dtype == types.INT16
            np.testing.assert_array_equal(output.as_cpu().as_array(), data + k)
        with pytest.raises(StopIteration):
            pipe.run()


def test_lists_of_samples_of_several_shapes(there):
    rows = [np.arange(n * 2, dtype=np.float32).reshape(n, 2) for n in (3, 0, 1)]
    with source_of(lambda: [there(row) for row in rows]) as pipe:
        for _ in range(3):
            for row, expected in zip(arrays(pipe.run()[0]), rows, strict=True):
                np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize("no_copy", [False, True])
def test_strided_arrays_are_made_contiguous(there, no_copy):
    data = np.arange(4 * 6 * 8).reshape(4, 6, 8)
    views = [data[:, ::2], data.transpose(0, 2, 1), data[:, :, 3:5]]
    with source_of([there(view) for view in views], no_copy=no_copy) as pipe:
        for view in views:
            (output,) = pipe.run()
            assert output.dense().flags.c_contiguous
            np.testing.assert_array_equal(output.as_cpu().as_array(), view)


@pytest.mark.parametrize("no_copy", [False, True])
def test_no_copy_is_the_callers_memory(there, no_copy):
    given = there(np.arange(8, dtype=np.uint8).reshape(4, 2))
    with source_of(lambda: given, no_copy=no_copy) as pipe:
        (output,) = pipe.run()
        address = given.__cuda_array_interface__["data"][0]
        assert (output.data_ptr() == address) == no_copy


@pytest.mark.parametrize("no_copy", [False, True])
def test_no_copy_is_the_callers_memory_of_each_sample(there, no_copy):
    given = [there(np.full((3, 2), k, np.uint8)) for k in range(4)]
    with source_of(lambda: given, no_copy=no_copy) as pipe:
        (output,) = pipe.run()
        addresses = [row.__cuda_array_interface__["data"][0] for row in given]
        assert (output.pointers().tolist() == addresses) == no_copy
        np.testing.assert_array_equal(output.as_cpu().as_array()[:, 0, 0], range(4))


def test_arrays_in_host_memory_are_copied_at_once(device_stage):
    buffer = np.zeros((4, 100_000), np.int32)

    def source():
        for k in itertools.count():
            buffer[...] = k  # it overwrites what it gave before
            yield buffer

    with source_of(source) as pipe:
        for k in range(20):
            assert (pipe.run()[0].as_cpu().as_array() == k).all()


def test_host_and_device_sources_by_turns(there):
    data = np.arange(4.0).reshape(4, 1)
    with source_of([data, there(data + 1), [data[0]] * 3, [there(data[1])] * 2]) as pipe:
        wanted = [data, data + 1, data[[0, 0, 0]], data[[1, 1]]]
        for expected in wanted:
            np.testing.assert_array_equal(np.stack(arrays(pipe.run()[0])), expected)


def test_empty_batches_and_samples(device_stage):
    with source_of([np.zeros((0, 3), np.uint8), [], np.zeros((2, 0), np.uint8)]) as pipe:
        assert [len(pipe.run()[0]) for _ in range(3)] == [0, 0, 2]


def test_samples_one_by_one_and_several_outputs(there):
    def source(info):
        i = info.idx_in_epoch
        return there(np.full(2, i)), np.array(i, np.uint8)

    with source_of(source, num_outputs=2, batch=False) as pipe:
        for k in range(3):
            first, second = pipe.run()
            assert [row[0] for row in arrays(first)] == list(range(4 * k, 4 * k + 4))
            assert [int(row) for row in arrays(second)] == list(range(4 * k, 4 * k + 4))


def test_feed_input_before_the_first_run(there):
    pipe = source_of(None, name="fed")
    with pipe:
        for k in range(3):
            pipe.feed_input("fed", there(np.full((4, 2), k)), layout="X", cuda_stream=0)
        pipe.feed_input("fed", np.full((4, 2), 3))
        for k in range(4):
            (output,) = pipe.run()
            assert output.layout() == ("X" if k < 3 else "")
            assert (output.as_cpu().as_array() == k).all()
        assert (pipe.run(fed=there(np.full((2, 2), 9)))[0].as_cpu().as_array() == 9).all()
    with pytest.raises(PipelineStopped, match="closed"):
        pipe.feed_input("fed", there(np.zeros((4, 2))))


def test_what_was_fed_last_is_repeated(there):
    with source_of(None, name="fed", repeat_last=True) as pipe:
        pipe.feed_input("fed", there(np.full((4, 2), 5)))
        for _ in range(6):
            assert (pipe.run()[0].as_cpu().as_array() == 5).all()


def test_samples_feed_operators_and_arguments_stay_on_the_host(there):
    pipe = Pipeline(batch_size=2, num_threads=1)
    with pipe:
        data = fn.external_source(lambda: there(np.full((2, 3), 300)), device="gpu")
        pipe.set_outputs(fn.cast(data, dtype=types.UINT8), data.cpu())
    with pipe:
        small, back = pipe.run()
        assert (small.as_cpu().as_array() == 255).all()
        assert (back.as_array() == 300).all()


def test_declarations_hold_for_the_device(there):
    for options, message in [
        ({"dtype": types.FLOAT}, "declared as float32, but the data is int64"),
        ({"ndim": 2}, "declared to have 2 dimensions"),
        ({"layout": "HWC"}, "layout 'HWC'"),
    ]:
        with source_of(lambda: there(np.zeros((4, 2), int)), **options) as pipe:
            with pytest.raises(ArgumentError, match=message) as caught:
                pipe.run()
            assert any("external_source" in note for note in caught.value.__notes__)


def test_samples_of_both_kinds_in_a_batch_are_refused(there):
    rows = [there(np.zeros(2)), np.zeros(2)]
    with source_of(lambda: rows) as pipe, pytest.raises(ArgumentError, match="in host memory"):
        pipe.run()


def test_streams_that_are_none(there):
    data = there(np.zeros((4, 2)))
    wrong = pytest.raises(ArgumentError, match="'mine' is no CUDA stream")
    with source_of(lambda: data, cuda_stream="mine") as pipe, wrong:
        pipe.run()


def test_data_on_the_device_for_a_source_on_the_host(there):
    pipe = Pipeline(batch_size=4, num_threads=1)
    with pipe:
        pipe.set_outputs(fn.external_source(lambda: there(np.zeros((4, 2)))))
    with pipe, pytest.raises(ArgumentError, match="on the GPU, but must be in host memory"):
        pipe.run()


def test_a_checkpoint_goes_on_behind_what_was_delivered(there):
    def define(**options):
        pipe = Pipeline(batch_size=2, num_threads=1, **options)
        with pipe:
            source = lambda k: there(np.full((2, 1), k))  # noqa: E731
            pipe.set_outputs(fn.external_source(source, device="gpu"))
        return pipe

    with define() as pipe:
        for _ in range(3):
            pipe.run()
        saved = pipe.checkpoint()
    with define(checkpoint=saved) as pipe:
        assert arrays(pipe.run()[0])[0][0] == 3


@pytest.mark.gpu
def test_torch_tensors_made_on_a_side_stream(cupy):
    torch = pytest.importorskip("torch")
    side = torch.cuda.Stream()
    buffer = torch.empty((4, 1 << 20), dtype=torch.int32, device="cuda")
    with source_of(None, name="fed") as pipe, torch.cuda.stream(side):
        for k in range(10):
            torch.cuda._sleep(20_000_000)
            buffer.fill_(k)
            pipe.feed_input("fed", buffer)  # on the next turn it is overwritten, on `side`
        for k in range(10):
            (output,) = pipe.run()
            assert bool((torch.from_dlpack(output) == k).all())


@pytest.mark.gpu
def test_a_source_that_works_on_a_stream_of_its_own(cupy):
    torch = pytest.importorskip("torch")
    side = torch.cuda.Stream()

    def source():
        buffer = torch.empty((4, 1 << 18), dtype=torch.int32, device="cuda")
        for k in itertools.count():
            with torch.cuda.stream(side):
                torch.cuda._sleep(5_000_000)
                buffer.fill_(k)
                yield buffer

    with source_of(source) as pipe:
        for k in range(20):
            assert bool((torch.from_dlpack(pipe.run()[0]) == k).all())


@pytest.mark.gpu
def test_cupy_arrays_and_streams_that_end(cupy):
    with source_of(None, name="fed") as pipe:
        for k in range(10):
            with cupy.cuda.Stream(non_blocking=True):
                pipe.feed_input("fed", cupy.full((4, 1 << 16), k, np.int64))
        for k in range(10):
            assert (cupy.asarray(pipe.run()[0]) == k).all()


@pytest.mark.gpu
def test_a_named_stream_and_the_bare_interface(cupy):
    class Bare:
        def __init__(self, array):
            interface = dict(array.__cuda_array_interface__)
            self.__cuda_array_interface__ = interface | {"stream": None}
            self._array = array

    stream = cupy.cuda.Stream(non_blocking=True)
    with source_of(None, name="fed", cuda_stream=stream) as pipe:
        with stream:
            array = cupy.full((4, 1 << 16), 3)
            pipe.feed_input("fed", Bare(array))
        pipe.feed_input("fed", Bare(array), cuda_stream=stream.ptr)
        for _ in range(2):
            assert (cupy.asarray(pipe.run()[0]) == 3).all()


@pytest.mark.gpu
def test_jax_arrays(cupy):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    with source_of(lambda k: jax.numpy.full((4, 1000), k, "int32")) as pipe:
        for k in range(5):
            assert (cupy.asarray(pipe.run()[0]) == k).all()


@pytest.mark.gpu
def test_tensors_that_cannot_be_taken(cupy):
    torch = pytest.importorskip("torch")
    tensor = torch.zeros((4, 2), device="cuda", requires_grad=True)
    with source_of(lambda: tensor) as pipe, pytest.raises(ArgumentError, match="grad"):
        pipe.run()


def test_python_workers_feed_the_device(there):
    def source(info):
        return np.full((2 + info.idx_in_batch % 2, 9000), info.idx_in_epoch, np.float32)

    with source_of(source, batch=False, parallel=True, prefetch_queue_depth=2) as pipe:
        for number in range(3):
            rows = arrays(pipe.run()[0])
            assert [row.shape for row in rows] == [(2, 9000), (3, 9000)] * 2
            assert [row[-1, -1] for row in rows] == [4 * number + i for i in range(4)]
