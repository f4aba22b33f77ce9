"""The picture of the start page: training samples, beside the photographs that they are made of.

The photographs come with scikit-learn, as those on the pages of operators do.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import sklearn.datasets

from penstock import fn, pipeline_def

FILE = "start.png"
SIDE, SAMPLES, GAP = 132, 5, 6
ALT = (
    "A photograph of a pagoda and one of a flower. Beside each of them stand five training "
    "samples: crops, some of them mirrored, in other colors."
)
CREDIT = (
    "Five samples of each photograph, as a network sees them: "
    "[cropped, mirrored, recolored](augmentation.md). The [gallery](gallery.md) shows more. "
    "Photographs: [danielbuechele](https://www.flickr.com/photos/danielbuechele/6061409035/) and "
    "[vultilion](https://www.flickr.com/photos/vultilion/6056698931/), "
    "[CC BY 2.0](https://creativecommons.org/licenses/by/2.0/), from scikit-learn; changed."
)
BEFORE = "## Start\n"


@pipeline_def(batch_size=SAMPLES, num_threads=2, seed=6, prefetch_queue_depth=1)
def samples(photograph: str) -> Any:
    """Return training samples of one photograph."""
    encoded, _ = fn.readers.file(files=[photograph] * SAMPLES)
    images = fn.decoders.image_random_crop(encoded, random_area=(0.15, 0.6))
    images = fn.resize(images, size=(SIDE, SIDE))
    images = fn.flip(images, horizontal=fn.random.coin_flip())
    return fn.color_twist(
        images,
        hue=fn.random.uniform(range=(-25, 25)),
        saturation=fn.random.uniform(range=(0.6, 1.6)),
        brightness=fn.random.uniform(range=(0.75, 1.25)),
    )


def draw(file: Path) -> None:
    """Draw the picture: a row for each photograph."""
    rows = []
    for photograph in sklearn.datasets.load_sample_images().filenames:
        whole = cv2.imread(photograph)
        assert whole is not None
        width = round(SIDE * whole.shape[1] / whole.shape[0])
        tiles = [cv2.resize(whole, (width, SIDE), interpolation=cv2.INTER_AREA)]
        with samples(photograph) as pipeline:
            images: Any = pipeline.run()[0]
            tiles += [image[..., ::-1] for image in images.as_array()]
        gap = np.full((SIDE, GAP, 3), 255, np.uint8)
        rows.append(np.hstack([part for tile in tiles for part in (tile, gap)][:-1]))
    between = np.full((GAP, rows[0].shape[1], 3), 255, np.uint8)
    file.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(file), np.vstack([rows[0], between, rows[1]]))


def placed(text: str, sources: Path) -> str:
    """Draw the picture into the folder of the sources; return the start page with the picture."""
    draw(sources / FILE)
    opening, start, rest = text.partition(BEFORE)
    assert start, "the start page has no section Start"
    return f"{opening}![{ALT}]({FILE})\n\n{CREDIT}\n\n{start}{rest}"
