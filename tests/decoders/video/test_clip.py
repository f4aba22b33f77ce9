import numpy as np
import pytest

from penstock import Pipeline, types
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS
from penstock.testing.agreement import source
from penstock.testing.descriptors import open_below

from ...videos import numbers_of, video_file


@pytest.fixture
def path(tmp_path):
    return video_file(tmp_path / "a.mp4", count=12)


def test_clips_of_a_file(path):
    name = np.frombuffer(path.encode(), np.uint8)
    numbers = [np.array(each) for each in ([3, 4, -1], [11, 0, 11])]
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        nodes = source([name, name]), source(numbers)
        pipe.set_outputs(*add_node(OPERATORS["_decode_clip"], nodes, {"fill_value": 40}))
        for _ in range(2):
            (clips,) = pipe.run()
            assert clips.layout() == "FHWC"
            first, second = clips.rows()
            assert numbers_of(first) == [3, 4, 0]
            assert (first[2] == 40).all()
            assert numbers_of(second) == [11, 0, 11]


def test_a_file_stays_open_until_the_operator_is_closed(path):
    decoder = OPERATORS["_decode_clip"](dtype=types.FLOAT, normalized=True)
    name = np.frombuffer(path.encode(), np.uint8)
    clip = decoder.sample(HeapWorkspace(), name, np.array([2]))
    assert clip.dtype == np.float32
    assert clip.max() <= 1
    decoder.sample(HeapWorkspace(), name, np.array([4]))
    assert open_below(path) == [path]
    decoder.close()
    assert open_below(path) == []


def test_a_file_that_is_no_video(tmp_path):
    (tmp_path / "a").write_bytes(b"no video" * 99)
    decoder = OPERATORS["_decode_clip"]()
    name = np.frombuffer(f"{tmp_path}/a".encode(), np.uint8)
    with pytest.raises(DecodeError, match="FFmpeg cannot open it"):
        decoder.sample(HeapWorkspace(), name, np.array([2]))
