"""Decoding a part of an image gives the pixels that DALI gives."""

from __future__ import annotations

import numpy as np
import pytest

import penstock

dali = pytest.importorskip("nvidia.dali")


def run(library, paths, operator, arguments, inputs=()):
    @library.pipeline_def(batch_size=len(paths), num_threads=2, device_id=None)
    def pipeline():
        encoded, _ = library.fn.readers.file(files=paths)
        return getattr(library.fn.decoders, operator)(encoded, *inputs, **arguments)

    pipe = pipeline()
    pipe.build()
    (images,) = pipe.run()
    return [np.array(images.at(i)) for i in range(len(paths))]


CASES = [
    ("image_crop", {"crop": (40, 50)}),
    ("image_crop", {"crop_h": 33.7, "crop_w": 21.2, "crop_pos_x": 0.3, "crop_pos_y": 0.9}),
    ("image_crop", {"crop": (41, 51), "rounding": "truncate", "output_type": "GRAY"}),
    ("image_slice", {"start": (3, 5), "shape": (40, 30)}),
    ("image_slice", {"rel_start": (0.1, 0.2), "rel_end": (0.7, 0.9), "axis_names": "HW"}),
    ("image_slice", {"rel_start": (0.25,), "rel_shape": (0.5,), "axes": (0,)}),
]


@pytest.mark.parametrize(("operator", "arguments"), CASES)
def test_windows(photo_tree, operator, arguments):
    paths = [str(photo_tree.root / name) for name in photo_tree.files[::7]]
    results = []
    for library in (dali, penstock):
        given = dict(arguments)
        if "output_type" in given:
            given["output_type"] = getattr(library.types, given["output_type"])
        results.append(run(library, paths, operator, given))
    for theirs, ours in zip(*results, strict=True):
        assert theirs.shape == ours.shape
        assert np.abs(theirs.astype(int) - ours).mean() <= 0.5
