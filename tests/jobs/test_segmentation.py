"""Images with masks: two readers of one order, and one window for both."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types


@pytest.fixture
def pairs(tmp_path):
    """Make pictures whose masks are their red channel."""
    library = pytest.importorskip("PIL.Image")
    random = np.random.default_rng(2)
    for folder in ("images", "masks"):
        (tmp_path / folder).mkdir()
    for number in range(8):
        pixels = random.integers(0, 255, (30 + number, 40, 3)).astype(np.uint8)
        library.fromarray(pixels).save(tmp_path / "images" / f"{number}.png")
        library.fromarray(pixels[..., 0]).save(tmp_path / "masks" / f"{number}.png")
    return tmp_path


def read(folder):
    files = sorted(map(str, folder.iterdir()))
    encoded, _ = fn.readers.file(files=files, random_shuffle=True, shuffle_seed=5)
    return encoded


def test_images_and_masks_of_one_window(pairs):
    @pipeline_def(batch_size=8, num_threads=2, seed=1)
    def pipeline():
        image = fn.decoders.image(read(pairs / "images"))
        mask = fn.decoders.image(read(pairs / "masks"), output_type=types.GRAY)
        left, top = (fn.random.uniform(range=[0.0, 1.0]) for _ in range(2))
        mirror = fn.random.coin_flip()
        window = {"crop": (16, 20), "crop_pos_x": left, "crop_pos_y": top}
        found = (fn.crop(data, **window) for data in (image, mask))
        return tuple(fn.flip(data, horizontal=mirror) for data in found)

    with pipeline() as pipe:
        images, masks = (output.as_array() for output in pipe.run())
    np.testing.assert_array_equal(images[..., :1], masks)
