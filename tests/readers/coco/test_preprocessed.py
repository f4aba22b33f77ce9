import numpy as np
import pytest

from penstock.engine.errors import ArgumentError, DecodeError
from penstock.readers.coco.preprocessed import load, save
from penstock.readers.coco.samples import CocoSamples, SamplePolygons, SampleRuns


def samples(names=("a.jpg", "é b.jpg", "c.jpg")):
    return CocoSamples(
        list(names),
        np.array([4, 7, 9], np.int32),
        np.array([0, 2, 2, 3]),
        np.arange(12, dtype=np.float32).reshape(3, 4),
        np.array([3, 1, 2], np.int32),
        SamplePolygons(
            np.array([[1, 0, 3], [0, 0, 2], [0, 2, 2]], np.int32),
            np.array([0, 1, 1, 3]),
            np.arange(10, dtype=np.float32).reshape(5, 2),
            np.array([0, 3, 3, 5]),
        ),
        SampleRuns(
            np.array([0, 1], np.int32),
            np.array([0, 2, 2, 2]),
            np.array([2, 3, 1, 6], np.uint32),
            np.array([0, 3, 4]),
            np.array([2, 1, 4], np.int32),
            np.array([3, 5, 4], np.int32),
        ),
    )


def assert_equal(left, right):
    assert type(left) is type(right)
    for a, b in zip(left, right, strict=True):
        if isinstance(a, tuple):
            assert_equal(a, b)
        else:
            np.testing.assert_array_equal(a, b)


def loaded(folder):
    return load(str(folder), image_ids=True, polygons=True, runs=True)


def test_samples_come_back(tmp_path):
    save(samples(), str(tmp_path / "new" / "folder"))
    assert_equal(loaded(tmp_path / "new" / "folder"), samples())
    boxes = load(str(tmp_path / "new" / "folder"), image_ids=False, polygons=False, runs=False)
    assert (boxes.image_ids, boxes.polygons, boxes.runs) == (None, None, None)


def test_names_with_line_breaks_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match="line breaks"):
        save(samples(("a\nb", "c", "d")), str(tmp_path))


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"filenames\.dat"):
        loaded(tmp_path)


FILES = sorted(
    f"{name}.dat"
    for name in (
        *("filenames", "offsets", "counts", "boxes", "labels", "original_ids", "polygon_data"),
        *("polygon_offset", "polygons_count", "vertices", "vertices_offset", "vertices_count"),
        *("masks_rles_idx", "masks_offset", "mask_count", "heights", "widths", "masks_rles"),
    )
)


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_cut_off_or_missing(tmp_path, name):
    save(samples(), str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == FILES
    content = (tmp_path / name).read_bytes()
    for length in (0, 3, 4, 6, len(content) - 7):
        (tmp_path / name).write_bytes(content[:length])
        with pytest.raises(DecodeError):
            loaded(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises((DecodeError, FileNotFoundError)):
        loaded(tmp_path)


@pytest.mark.parametrize("name", [name for name in FILES if name != "filenames.dat"])
def test_damaged_files_are_refused_or_harmless(tmp_path, name):
    save(samples(), str(tmp_path))
    rng = np.random.default_rng(0)
    content = (tmp_path / name).read_bytes()
    for _ in range(40):
        damaged = bytearray(content)
        damaged[int(rng.integers(len(content)))] = int(rng.choice([0, 1, 127, 255]))
        (tmp_path / name).write_bytes(damaged)
        try:
            found = loaded(tmp_path)
        except DecodeError:
            continue
        assert len(found.labels) == found.bounds[-1]
        assert found.polygons.polygons[:, 0].max() < 2
        assert found.runs.boxes.max() < 2
