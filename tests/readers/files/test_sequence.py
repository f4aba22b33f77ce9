import cv2
import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError, SourceError
from penstock.readers.files.sequence import SequenceReader, open_sequences
from penstock.testing.readers import SourceConformance

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


@pytest.mark.parametrize("argument", ["sequence_length", "step", "stride"])
def test_arguments_are_checked(argument):
    given = {"file_root": "x", "sequence_length": 2} | {argument: 0}
    with pytest.raises(ArgumentError, match=f"{argument} must be at least 1, but is 0"):
        SequenceReader(**given)


@pytest.fixture
def films(tmp_path):
    random = np.random.default_rng(1)
    pixels = random.integers(0, 255, (2, 4, 6, 8, 3), np.uint8)
    for stream, frames in enumerate(pixels):
        (tmp_path / str(stream)).mkdir()
        for i, frame in enumerate(frames):
            cv2.imwrite(str(tmp_path / str(stream) / f"{i}.png"), frame[..., ::-1])
    return tmp_path, pixels


def run(root, batch_size, on_error="raise", **arguments):
    @pipeline_def(batch_size=batch_size, num_threads=2, device_id=None, on_error=on_error)
    def pipeline():
        return fn.readers.sequence(file_root=root, name="reader", **arguments)

    with pipeline() as built:
        (frames,) = built.run()
        return frames


def test_in_a_pipeline(films):
    root, pixels = films
    frames = run(root, 4, sequence_length=2, step=2)
    assert frames.layout() == "FHWC"
    np.testing.assert_array_equal(frames.as_array(), pixels.reshape(4, 2, 6, 8, 3), strict=True)
    grey = run(root, 2, sequence_length=4, image_type=2)
    assert grey.shape() == [(4, 6, 8, 1)] * 2


def test_damaged_frames_are_named_or_skipped(films):
    root, pixels = films
    (root / "0" / "1.png").write_bytes(b"damaged")
    with pytest.raises(ValueError, match="unknown format") as caught:
        run(root, 4, sequence_length=2, step=2)
    notes = "\n".join(caught.value.__notes__)
    assert "frame 1 of the sequence" in notes
    assert f"{root}/0/0.png" in notes
    frames = run(root, 4, "skip", sequence_length=2, step=2)
    assert frames.valid.tolist() == [False, True, True, True]
    np.testing.assert_array_equal(frames.at(1), pixels[0, 2:])


def test_frames_must_agree_in_size(films):
    root, _ = films
    cv2.imwrite(str(root / "1" / "3.png"), np.zeros((6, 9, 3), np.uint8))
    with pytest.raises(
        ValueError, match=r"frame has shape \(6, 9, 3\), the first frame \(6, 8, 3\)"
    ):
        run(root, 2, sequence_length=4)
