"""Augmentation by a library for arrays (as albumentations is), on images between operators."""

import numpy as np
import pytest

from penstock import fn, pipeline_def

cv2 = pytest.importorskip("cv2")


def augment(image, seed):
    """Rotate by an angle of the pipeline's random numbers: two runs agree."""
    angle = np.random.default_rng(int(seed)).uniform(-20, 20)
    height, width = image.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    return cv2.warpAffine(image, matrix, (width, height), borderMode=cv2.BORDER_REFLECT_101)


def run(photos):
    @pipeline_def(batch_size=8, num_threads=2, seed=3)
    def pipeline():
        encoded, labels = fn.readers.file(file_root=str(photos / "train"), random_shuffle=True)
        image = fn.resize(fn.decoders.image(encoded), size=(20, 24))
        seed = fn.random.uniform(range=[0, 2**30])
        image = fn.python_function(image, seed, function=augment, output_layouts="HWC")
        return fn.crop_mirror_normalize(image, std=[255] * 3), labels

    with pipeline() as pipe:
        return [output.as_array() for output in pipe.run()]


def test_a_function_with_the_pipeline_s_random_numbers_repeats(photos):
    first, second = run(photos), run(photos)
    assert first[0].shape == (8, 3, 20, 24)
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
