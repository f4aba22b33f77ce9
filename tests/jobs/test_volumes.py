"""Class folders of .npy files, and random regions of arrays."""

import numpy as np
import pytest

from penstock import fn, pipeline_def, types


@pytest.fixture
def volumes(tmp_path):
    for label, name in enumerate(("healthy", "ill")):
        (tmp_path / name).mkdir()
        for number in range(3):
            array = np.full((4, 5, 6), 10 * label + number, np.float32)
            np.save(tmp_path / name / f"{number}.npy", array)
    return str(tmp_path)


def test_class_folders_of_arrays(volumes):
    @pipeline_def(batch_size=6, num_threads=2)
    def pipeline():
        encoded, labels = fn.readers.file(file_root=volumes, file_filters="*.npy")
        return fn.decoders.numpy(encoded), labels

    with pipeline() as pipe:
        arrays, labels = pipe.run()
    assert labels.as_array().tolist() == [[0]] * 3 + [[1]] * 3
    assert arrays.as_array()[:, 3, 4, 5].tolist() == [0, 1, 2, 10, 11, 12]


def test_random_regions(volumes):
    @pipeline_def(batch_size=6, num_threads=2)
    def pipeline():
        start = fn.random.uniform(range=[0, 2], shape=(3,), dtype=types.INT32)
        return fn.readers.numpy(file_root=volumes, roi_start=start, roi_shape=[2, 2, 2])

    with pipeline() as pipe:
        (regions,) = pipe.run()
    assert regions.as_array().shape == (6, 2, 2, 2)
