"""External sources and images of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penstock import ArgumentError, types
from penstock.experimental import dynamic as ndd


def test_items_of_an_iterable():
    source = ndd.ExternalSource([[1, 2], [3, 4]], dtype=ndd.float32, layout="X")
    first = source()
    assert (first.dtype, first.layout, np.asarray(first).tolist()) == (ndd.float32, "X", [1, 2])
    assert source(batch_size=3).shape == [(2,)] * 3
    for _ in range(2):
        with pytest.raises(StopIteration):
            source()


@pytest.mark.parametrize(
    ("cycle", "expected"),
    [("quiet", [1, 2, 1, 2]), (True, [1, 2, 1, 2]), ("raise", [1, 2, "end", 1])],
)
def test_cycles(cycle, expected):
    source, found = ndd.ExternalSource([1, 2], cycle=cycle), []
    for _ in expected:
        try:
            found.append(source().item())
        except StopIteration:
            found.append("end")
    assert found == expected


def test_functions_and_several_outputs():
    source = ndd.ExternalSource(
        lambda: (np.zeros(4), [1, 2]), num_outputs=2, dtype=[ndd.float32, ndd.int8]
    )
    zeros, numbers = source()
    assert (zeros.dtype, numbers.dtype) == (ndd.float32, ndd.int8)
    batches = ndd.ExternalSource(lambda: ndd.batch([1, 2, 3]))
    assert batches(batch_size=3).batch_size == 3
    with pytest.raises(ValueError, match="a batch of 3 samples, not of 2"):
        batches(batch_size=2)


def test_wrong_sources():
    with pytest.raises(ArgumentError, match="no parameters"):
        ndd.ExternalSource(lambda info: [info])
    with pytest.raises(ValueError, match="strictly positive"):
        ndd.ExternalSource([], num_outputs=0)
    with pytest.raises(ValueError, match="2 values for 1 outputs"):
        ndd.ExternalSource([], layout=["A", "B"])
    with pytest.raises(ValueError, match="must give 2 outputs"):
        ndd.ExternalSource([1], num_outputs=2)()
    with pytest.raises(TypeError, match="all tensors, or all batches"):
        ndd.ExternalSource([(1, ndd.batch([1]))], num_outputs=2)()


def test_imread(photo_tree):
    paths = [str(path) for path in sorted(Path(photo_tree.root).rglob("*.jp*g"))[:3]]
    encoded = [np.fromfile(path, np.uint8) for path in paths]
    one = ndd.imread(paths[0])
    assert isinstance(one, ndd.Tensor)
    assert one.layout == "HWC"
    np.testing.assert_array_equal(np.asarray(one), np.asarray(ndd.decoders.image(encoded[0])))
    as_bytes = ndd.tensor(np.frombuffer(paths[0].encode(), np.uint8))
    for form in (paths, tuple(paths), [*map(Path, paths)], [as_bytes, *paths[1:]]):
        several = ndd.imread(form)
        assert isinstance(several, ndd.Batch)
        assert several.shape == ndd.decoders.image(ndd.batch(encoded)).shape
    assert ndd.imread(Path(paths[0]), output_type=types.GRAY).shape[2] == 1
    assert ndd.imread(as_bytes).shape == one.shape


def test_files_that_are_no_images(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing"):
        ndd.imread(tmp_path / "nothing.jpg")
    with pytest.raises(TypeError, match="a path must be"):
        ndd.imread(3)


def test_imread_on_the_gpu(photo_tree, device_stage):
    path = sorted(Path(photo_tree.root).rglob("*.jp*g"))[0]
    image = ndd.imread(path, device="gpu")
    assert image.device.device_type == "gpu"
    difference = np.asarray(image.cpu()).astype(int) - np.asarray(ndd.imread(path)).astype(int)
    assert np.abs(difference).mean() < 2
