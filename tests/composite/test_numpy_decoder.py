import io

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.composite.numpy_decoder import NumpyDecoder
from penstock.engine.errors import DecodeError
from penstock.formats.npy import parse_file

from ..operators.running import apply
from ..readers.tars import archive


def saved(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return np.frombuffer(stream.getvalue(), np.uint8)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("dtype", ["?", "i1", "<u2", ">i4", "u8", "<f2", ">f4", ">f8"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 0, 3), (2, 3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_come_back(version, dtype, shape, order):
    random = np.random.default_rng(1)
    array = np.array(random.integers(0, 100, shape)).astype(dtype, order)
    found = apply(NumpyDecoder, saved(array, version))
    native = array.astype(array.dtype.newbyteorder("="))
    np.testing.assert_array_equal(found, native, strict=True)
    assert found.dtype.isnative
    assert found.flags.c_contiguous


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_complex_numbers_and_dates(shape, order):
    array = np.array(np.arange(np.prod(shape)).reshape(shape) * (1 - 2j), ">c8", order=order)
    expected = np.stack([array.real, array.imag], -1).astype("f4")
    np.testing.assert_array_equal(apply(NumpyDecoder, saved(array)), expected, strict=True)
    dates = array.real.astype(">M8[s]")
    found = apply(NumpyDecoder, saved(dates))
    np.testing.assert_array_equal(found, array.real.astype("i8"), strict=True)


def test_elements_that_lie_anywhere_in_memory():
    array = np.arange(5.0)
    data = np.concatenate([np.zeros(3, np.uint8), saved(array)])[3:]
    np.testing.assert_array_equal(apply(NumpyDecoder, data), array)


def test_booleans_are_0_or_1():
    data = saved(np.zeros(4, bool)).copy()
    data[-4:] = 0, 1, 2, 255
    found = apply(NumpyDecoder, data)
    assert found.view(np.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("change", [slice(0, -1), slice(0, 128), slice(0, 100), slice(0, 0)])
def test_files_cut_short_raise(change):
    with pytest.raises(DecodeError, match=r"16 bytes, but (15|0) follow|cut off|empty"):
        apply(NumpyDecoder, saved(np.zeros((2, 4), np.int16))[change])


def test_files_that_are_too_long_raise():
    data = saved(np.zeros((2, 4), np.int16))
    with pytest.raises(DecodeError, match=r"\(2, 4\) and type int16 takes 16 bytes, but 160 fol"):
        apply(NumpyDecoder, np.concatenate([data, data]))


def test_objects_are_refused():
    with pytest.raises(DecodeError, match="unpickling"):
        apply(NumpyDecoder, saved(np.array([{}, 1], object)))


@pytest.mark.parametrize("data", [np.zeros((2, 2), np.uint8), np.zeros(3, np.int32)])
def test_data_must_be_bytes(data):
    with pytest.raises(DecodeError, match="one dimension and type uint8"):
        apply(NumpyDecoder, data)


def test_a_huge_shape_takes_no_memory():
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}"
    data = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text
    with pytest.raises(DecodeError, match="takes 8000000000000 bytes, but 0 follow"):
        parse_file(np.frombuffer(data, np.uint8))


def test_in_a_pipeline_with_a_type(tmp_path):
    arrays = [np.array([-1.5, 2.5, 300], np.float32), np.array([[1, 2]], ">i8")]
    path = tmp_path / "a.tar"
    path.write_bytes(archive({f"{i}.npy": saved(a).tobytes() for i, a in enumerate(arrays)}))

    @pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def pipeline():
        return fn.decoders.numpy(fn.readers.webdataset(paths=path, ext="npy"), dtype="uint8")

    with pipeline() as built:
        (found,) = built.run()
        assert found.at(0).tolist() == [0, 3, 255]
        assert found.at(1).tolist() == [[1, 2]]
        assert found.layout() == ""
