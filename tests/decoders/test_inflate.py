import gzip
import sys
import zlib

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.decoders.inflate import Inflate
from penstock.engine.errors import ArgumentError, DecodeError, MissingDependencyError
from penstock.formats.decompression import ZSTD

from ..operators.running import apply
from ..readers.tars import archive

VALUES = np.arange(60, dtype=np.int16).reshape(3, 4, 5)


def raw_deflate(data):
    return zlib.compress(data)[2:-4]


def lz4(data):
    return pytest.importorskip("lz4.block").compress(data, store_size=False)


def zstd(data):
    return pytest.importorskip(ZSTD).compress(data)


COMPRESS = {
    "ZLIB": zlib.compress,
    "GZIP": gzip.compress,
    "DEFLATE": raw_deflate,
    "LZ4": lz4,
    "ZSTD": zstd,
}


def coded(data):
    return np.frombuffer(data, np.uint8)


def inflate(data, **arguments):
    given = {k: np.array(v) if isinstance(v, list) else v for k, v in arguments.items()}
    return apply(Inflate, coded(data), **given)


@pytest.fixture(params=COMPRESS)
def algorithm(request):
    COMPRESS[request.param](b"")  # skips what this Python has not
    return request.param


def test_one_chunk(algorithm):
    data = COMPRESS[algorithm](VALUES.tobytes())
    result = inflate(data, shape=(3, 4, 5), dtype="int16", algorithm=algorithm.lower())
    np.testing.assert_array_equal(result, VALUES, strict=True)


def test_booleans_are_0_or_1():
    data = zlib.compress(bytes([0, 1, 2, 255]))
    result = inflate(data, shape=4, dtype="bool", algorithm="ZLIB")
    assert result.view(np.uint8).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("given", ["sizes", "offsets", "both"])
def test_chunks(algorithm, given):
    parts = [COMPRESS[algorithm](part.tobytes()) for part in VALUES]
    if given == "both":
        data = b"--".join(parts)
        offsets = [data.find(part) for part in parts]
    else:
        data = b"".join(parts)
        offsets = [0, len(parts[0]), len(parts[0]) + len(parts[1])]
    chunks = {"chunk_offsets": offsets, "chunk_sizes": [len(part) for part in parts]}
    wanted = {k: v for k, v in chunks.items() if given in (k[6:], "both")}
    result = inflate(data, shape=[4, 5], dtype="int16", algorithm=algorithm, **wanted)
    np.testing.assert_array_equal(result, VALUES, strict=True)


def test_no_chunks(algorithm):
    result = inflate(b"", shape=(4,), chunk_sizes=np.empty(0, int), algorithm=algorithm)
    assert result.shape == (0, 4)


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_scalars_and_empty_arrays(algorithm, shape):
    array = np.ones(shape, np.float64)
    result = inflate(
        COMPRESS[algorithm](array.tobytes()), shape=shape, dtype="float64", algorithm=algorithm
    )
    np.testing.assert_array_equal(result, array, strict=True)


def test_large_data_and_many_streams():
    values = np.random.default_rng(1).integers(0, 50, 300_000).astype(np.uint8)
    streams = b"".join(gzip.compress(part.tobytes()) for part in np.split(values, 100))
    np.testing.assert_array_equal(inflate(streams, shape=300_000, algorithm="gzip"), values)
    whole = zlib.compress(values.tobytes())
    np.testing.assert_array_equal(inflate(whole, shape=300_000, algorithm="zlib"), values)


@pytest.mark.parametrize("size", [59, 61, 1, 1000])
def test_another_size_than_the_shape_asks_for_raises(algorithm, size):
    with pytest.raises(DecodeError, match=rf"{algorithm}: \d+ bytes (hold|cannot be)"):
        inflate(COMPRESS[algorithm](bytes(range(60))), shape=size, algorithm=algorithm)


def test_data_cut_short_at_any_byte_raises(algorithm):
    data = COMPRESS[algorithm](VALUES.tobytes())
    for size in range(len(data)):
        with pytest.raises(DecodeError, match=algorithm):
            inflate(data[:size], shape=VALUES.shape, dtype="int16", algorithm=algorithm)


def test_damaged_data_raises_or_fills_the_shape(algorithm):
    pristine = coded(COMPRESS[algorithm](VALUES.tobytes()))
    for seed in range(300):
        random = np.random.default_rng(seed)
        data = pristine.copy()
        data[random.integers(0, len(data), 2)] = random.integers(0, 256, 2)
        try:
            result = inflate(data, shape=VALUES.shape, dtype="int16", algorithm=algorithm)
            assert result.shape == VALUES.shape
        except DecodeError:
            pass


@pytest.mark.parametrize("shape", [2**40, (2**31, 2**31), 10_000_000])
def test_bombs_take_no_memory(algorithm, shape):
    with pytest.raises(DecodeError, match=r"cannot hold the \d+ bytes that shape"):
        inflate(COMPRESS[algorithm](b"x" * 60), shape=shape, algorithm=algorithm)


def test_what_unpacks_to_more_is_not_unpacked():
    bomb = zlib.compress(bytes(50_000_000))
    with pytest.raises(DecodeError, match="hold more than 100 bytes, but shape and type ask for"):
        inflate(bomb, shape=100, algorithm="ZLIB")


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ({"chunk_sizes": [5, 500]}, "chunk 1, 500 bytes at offset 5, does not lie inside"),
        ({"chunk_sizes": [-1]}, "chunk 0, -1 bytes at offset 0"),
        ({"chunk_offsets": [-1]}, "at offset -1"),
        ({"chunk_offsets": [4, 2]}, "chunk 0, -2 bytes"),
        ({"chunk_offsets": [2**62], "chunk_sizes": [2**62]}, "does not lie inside the sample of"),
        ({"chunk_offsets": [0], "chunk_sizes": [1, 1]}, "1 chunk_offsets, but 2 chunk_sizes"),
    ],
)
def test_chunks_outside_the_sample_raise(chunks, message):
    with pytest.raises(DecodeError, match=message):
        inflate(zlib.compress(b"abc"), shape=3, algorithm="ZLIB", **chunks)


@pytest.mark.parametrize("data", [np.zeros((2, 2), np.uint8), np.zeros(3, np.int32)])
def test_data_must_be_bytes(data):
    with pytest.raises(DecodeError, match="one dimension and type uint8"):
        apply(Inflate, data, shape=1)


def test_arguments_are_checked():
    with pytest.raises(ArgumentError, match="'DEFLATE' or 'ZSTD', but is 'LZMA'"):
        Inflate(shape=1, algorithm="LZMA")
    with pytest.raises(ArgumentError, match="sequence_axis_name must be one letter"):
        Inflate(shape=1, sequence_axis_name="FF")
    with pytest.raises(DecodeError, match="not those of layout 'HWC'"):
        inflate(b"", shape=(3, 3), layout="HWC", algorithm="ZLIB")
    with pytest.raises(ArgumentError, match=r"'shape' must be .*, at least 0"):
        inflate(b"", shape=(3, -3), algorithm="ZLIB")


@pytest.mark.parametrize(("algorithm", "module"), [("LZ4", "lz4"), ("ZSTD", ZSTD)])
def test_missing_libraries_are_named(monkeypatch, algorithm, module):
    monkeypatch.setitem(sys.modules, "lz4.block", None)
    monkeypatch.setitem(sys.modules, ZSTD, None)
    with pytest.raises(MissingDependencyError, match=f"needs {module}.*: pip install"):
        inflate(b"12345", shape=5, algorithm=algorithm)


def test_layouts():
    assert Inflate(shape=(2, 2, 3), layout="HWC").output_layouts() == ("HWC",)
    chunked = {"chunk_sizes": (1, 2), "shape": (2, 2, 3)}
    assert Inflate(layout="HWC", **chunked).output_layouts() == ("FHWC",)
    assert Inflate(layout="HWC", sequence_axis_name="D", **chunked).output_layouts() == ("DHWC",)
    assert Inflate(**chunked).output_layouts() == ("",)


def test_in_a_pipeline_with_shapes_by_sample(tmp_path):
    arrays = [VALUES[0], VALUES[1:2, :2]]
    files = {}
    for i, array in enumerate(arrays):
        files[f"{i}.z"] = zlib.compress(array.tobytes())
        files[f"{i}.shape"] = np.array(array.shape).tobytes()
    (tmp_path / "a.tar").write_bytes(archive(files))

    @pipeline_def(batch_size=2, num_threads=1, device_id=None)
    def pipeline():
        data, shapes = fn.readers.webdataset(
            paths=tmp_path / "a.tar", ext=["z", "shape"], dtypes=["uint8", "int64"]
        )
        return fn.decoders.inflate(data, shape=shapes, dtype="int16", algorithm="ZLIB")

    with pipeline() as built:
        (result,) = built.run()
        for row, array in enumerate(arrays):
            np.testing.assert_array_equal(result.at(row), array, strict=True)
