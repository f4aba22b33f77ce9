import numpy as np
import pytest

from penstock.engine.errors import SourceError
from penstock.readers.files.sequence import open_sequences
from penstock.testing.readers import SourceConformance

pytestmark = pytest.mark.filterwarnings("ignore:.*left out are")

STREAMS = {"b": 5, "a": 4, "a-b": 3, "one": 1}


@pytest.fixture
def root(tmp_path):
    for stream, count in STREAMS.items():
        (tmp_path / stream).mkdir()
        for i in range(count):
            (tmp_path / stream / f"{i:02}.png").write_bytes(f"{stream}{i}".encode())
    (tmp_path / "a" / "notes.txt").touch()
    (tmp_path / "a" / "sound.wav").touch()
    (tmp_path / "a" / ".hidden.png").touch()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "0.png").touch()
    (tmp_path / "top.png").touch()
    return tmp_path


def read(source):
    columns = source.read(np.arange(len(source)), np.empty)
    return [" ".join(a.tobytes().decode() for a in row) for row in zip(*columns, strict=True)]


class TestSequenceSource(SourceConformance):
    @pytest.fixture
    def source(self, root):
        return open_sequences(str(root), 2, 1, 2)

    @pytest.fixture
    def expected(self):
        pairs = ["a-b0 a-b2", "a0 a2", "a1 a3", "b0 b2", "b1 b3", "b2 b4"]
        return [
            tuple(np.frombuffer(frame.encode(), np.uint8) for frame in pair.split())
            for pair in pairs
        ]

    def test_where_is_the_first_frame(self, source, root):
        assert source.where(1) == f"{root}/a/00.png"


@pytest.mark.parametrize(
    ("length", "step", "stride", "expected"),
    [
        (3, 1, 1, ["a-b0 a-b1 a-b2", "a0 a1 a2", "a1 a2 a3", "b0 b1 b2", "b1 b2 b3", "b2 b3 b4"]),
        (3, 3, 1, ["a-b0 a-b1 a-b2", "a0 a1 a2", "b0 b1 b2"]),
        (2, 2, 3, ["a0 a3", "b0 b3"]),
        (1, 4, 9, ["a-b0", "a0", "b0", "b4", "one0"]),
        (5, 1, 1, ["b0 b1 b2 b3 b4"]),
    ],
)
def test_sequences(root, length, step, stride, expected):
    assert read(open_sequences(str(root), length, step, stride)) == expected


def test_too_long_sequences_raise(root):
    with pytest.raises(SourceError, match=r"sequence of 6 frames with stride 1; there are 13 im"):
        open_sequences(str(root), 6, 1, 1)
    with pytest.raises(SourceError):
        open_sequences(str(root / "none"), 1, 1, 1)


def test_numbers_in_names_count_as_numbers(tmp_path):
    (tmp_path / "s").mkdir()
    names = ["frame_1", "frame_2", "frame_010", "frame_10", "frame_11", "frame_11b", "other"]
    for name in reversed(names):
        (tmp_path / "s" / f"{name}.png").write_bytes(name.encode())
    assert read(open_sequences(str(tmp_path), len(names), 1, 1)) == [" ".join(names)]
