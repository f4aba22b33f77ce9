import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.storage.opening import open_storage
from penstock.readers.storage.storage import WITH_GIL_BYTES, copy_into

from .contents import CONTENT, ranges, read


def test_reads_in_the_order_asked(path):
    pairs = [(99_000, 1000), (5, 10), (0, 0), (50_000, 7), (8, 20), (5, 10), (100_000, 0)]
    expected = [CONTENT[begin : begin + size] for begin, size in pairs]
    storage = open_storage(path)
    assert storage.size == len(CONTENT)
    assert storage.name == str(path)
    assert read(storage, *pairs) == expected
    assert read(storage) == []


@pytest.mark.parametrize("content", [CONTENT, b""])
def test_reads_a_whole_file(tmp_path, content):
    (tmp_path / "whole").write_bytes(content)
    assert open_storage(tmp_path / "whole").read_whole() == content


def test_one_block_of_memory_serves_all(path):
    requests = []

    def allocate(shape, dtype):
        requests.append((shape, dtype))
        return np.empty(shape, dtype)

    open_storage(path).read(*ranges((0, 10), (90_000, 10), (20, 5)), allocate)
    assert requests == [((35,), np.uint8)]


@pytest.mark.parametrize(
    ("offset", "length"),
    [(-1, 2), (0, -1), (99_999, 2), (100_001, 0), (2**63 - 1, 2**63 - 1), (1, 2**63 - 1)],
)
def test_a_range_outside_raises_before_memory_is_taken(path, offset, length):
    def allocate(shape, dtype):
        raise AssertionError

    with pytest.raises(SourceError, match=rf"data.bin: {length} bytes at offset {offset} .*100000"):
        open_storage(path).read(*ranges((0, 1), (offset, length)), allocate)


@pytest.mark.parametrize("size", [0, 1, WITH_GIL_BYTES, WITH_GIL_BYTES + 1])
def test_bytes_are_copied_from_arrays_and_other_buffers(size):
    content = np.arange(size).astype(np.uint8)
    for source in (content.data, memoryview(content.tobytes())):
        buffer = np.zeros(size + 2, np.uint8)
        copy_into(buffer[1:-1], source)
        assert buffer.tobytes() == b"\0" + content.tobytes() + b"\0"
