import cv2
import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.coco.panoptic import PanopticColumn

IDS = np.random.default_rng(0).integers(0, 1 << 24, (3, 7, 5)).astype(np.int32)


@pytest.fixture
def column(tmp_path):
    for number, ids in enumerate(IDS):
        colors = np.stack([ids >> 16, ids >> 8 & 255, ids & 255], axis=2).astype(np.uint8)
        cv2.imwrite(str(tmp_path / f"{number}.png"), colors)
    return PanopticColumn([f"{number}.png" for number in range(3)], str(tmp_path), {})


def test_colors_are_ids(column):
    found = column.take(np.array([2, 0, 2]), SlabPool().empty)
    for row, number in zip(found, (2, 0, 2), strict=True):
        np.testing.assert_array_equal(row, IDS[number][..., np.newaxis], strict=True)


def test_files_that_are_damaged(column, tmp_path):
    content = (tmp_path / "1.png").read_bytes()
    gray = cv2.imencode(".png", np.zeros((7, 5), np.uint8))[1].tobytes()
    huge = content[:16] + b"\x7f\xff\xff\xff" * 2 + content[24:]
    broken = content[:60] + bytes(20) + content[80:]
    for damaged in (b"", content[:20], content[:-5], b"x" + content[1:], gray, huge, broken):
        (tmp_path / "1.png").write_bytes(damaged)
        with pytest.raises(DecodeError, match=r"1\.png: the (file|size)"):
            column.take(np.array([0, 1]), SlabPool().empty)
