from __future__ import annotations

import numpy as np
import pytest

from penstock.cli.probes import speed
from penstock.cli.probes.finding import Context

MIB = 1 << 20


@pytest.fixture
def file(tmp_path):
    """A file of 5.5 MiB, no two blocks of which are equal."""
    path = tmp_path / "file"
    path.write_bytes(np.random.default_rng(1).bytes(5 * MIB + MIB // 2))
    return path


@pytest.mark.parametrize("way", speed.WAYS)
@pytest.mark.parametrize("cache", ["cold", "warm"])
def test_every_way_is_measured(way, cache, file):
    rate = speed.JOBS[f"{way}, {cache}"](Context(str(file)))
    assert (rate.way, rate.cache) == (way, cache)
    assert (rate.mb_per_s or 0) > 0 or rate.remark == "its pages stay in memory"


@pytest.mark.parametrize("threads", [1, 3, 4])
def test_a_pass_reads_each_block_once(threads):
    seen = []

    def read(offset, length):
        seen.append((offset, length))
        return length

    done, seconds = speed._pass([read] * threads, 10, 4)
    assert done == 10
    assert seconds > 0
    assert sorted(seen) == [(0, 4), (4, 4), (8, 2)]


def test_a_pass_ends_when_its_time_is_up(tuned):
    tuned(speed, MAX_PASS_SECONDS=0)
    done, _ = speed._pass([lambda offset, length: length], 1 << 40, 1 << 20)
    assert done == 1 << 20


def test_a_file_that_ends_too_early_is_an_error():
    with pytest.raises(OSError, match="3 of 4 bytes came from offset 4"):
        speed._pass([lambda offset, length: min(length, 7 - offset)], 8, 4)


def test_the_ways_read_the_right_bytes(file):
    content = file.read_bytes()
    with speed._preadv(str(file)) as read:
        assert read(MIB, MIB) == MIB
        assert read(5 * MIB, MIB) == MIB // 2  # the file's end
    with speed._mapped(str(file)) as read:
        assert read(MIB, MIB) == MIB
        buffer = dict(zip(read.__code__.co_freevars, read.__closure__, strict=True))["buffer"]
        assert buffer.cell_contents.tobytes() == content[MIB : 2 * MIB]


def test_what_is_written(tmp_path):
    path = tmp_path / "new"
    rate = speed.write(Context(str(path), size=3 * MIB))
    assert rate.mb_per_s > 0
    content = np.fromfile(path, np.uint8)
    assert content.size == 3 * MIB
    assert np.bincount(content, minlength=256).min() > 0  # nothing that compresses away
    with pytest.raises(FileExistsError):
        speed.write(Context(str(path), size=MIB))
