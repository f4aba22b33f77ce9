"""Samples of every sort, and data sets of them, for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from ..datasets import Encoded, Sample
from ..datasets.manifest import NAME, Manifest
from ..datasets.schema import schema_of
from ..datasets.segmentations import encoded_segmentations
from ..datasets.writers.base import Target
from ..datasets.writers.table import WRITERS

RLE = rb'{"counts":"\\1<","size":[8,7]}'  # 44 pixels without and 12 with the object


def jpeg(number: int) -> bytes:
    """Return a small image whose gray level is `number`."""
    pixels = np.full((8, 6 + number % 3, 3), number % 256, np.uint8)
    return cv2.imencode(".jpg", pixels)[1].tobytes()


def images(count: int = 12) -> list[Sample]:
    return [
        Sample(f"{'ab'[i % 2]}/{i:03d}", {"image": Encoded(jpeg(i), "jpg"), "label": i % 2})
        for i in range(count)
    ]


def detections(count: int = 9) -> list[Sample]:
    """Return images with 0 to 3 boxes each."""
    random = np.random.default_rng(1)
    return [
        Sample(
            f"{i:03d}",
            {
                "image": Encoded(jpeg(i), "jpg"),
                "boxes": random.random((i % 4, 4)).astype(np.float32),
                "labels": random.integers(0, 90, i % 4).astype(np.int32),
            },
        )
        for i in range(count)
    ]


def annotated(count: int = 5) -> list[Sample]:
    """Return images with 0 to 3 boxes each that have polygons, RLE masks, keypoints and areas."""
    random = np.random.default_rng(4)
    forms = (b"[[0.0,1,2.25,3,4,5],[6,7,8,9,1e-3,2]]", RLE, b"")
    return [
        Sample(
            sample.key,
            {
                **sample.components,
                "iscrowd": np.array([0, 1, 0][: i % 4], np.int32),
                "segmentations": encoded_segmentations(forms[: i % 4]),
                "keypoints": random.integers(0, 99, (i % 4, 17, 3)).astype(np.float64) / 3,
                "areas": random.random(i % 4) * 1e4,
            },
        )
        for i, sample in enumerate(detections(count))
    ]


def speech(count: int = 9) -> list[Sample]:
    """Return what looks like FLAC files, with texts and durations."""
    random = np.random.default_rng(2)
    return [
        Sample(
            f"reader-{i // 4}/v1.{i}",
            {
                "audio": Encoded(b"fLaC" + random.bytes(100 + i), "flac"),
                "text": f"schön {i}" if i else "",
                "duration": i * 0.1,
            },
        )
        for i in range(count)
    ]


def arrays(count: int = 9) -> list[Sample]:
    """Return arrays of one shape with labels and weights."""
    random = np.random.default_rng(3)
    return [
        Sample(
            f"{i:03d}",
            {
                "array": random.random((3, 4)).astype(np.float32),
                "label": i,
                "weights": random.random(2),
            },
        )
        for i in range(count)
    ]


CONTENTS = {
    "images": images,
    "detections": detections,
    "annotated": annotated,
    "speech": speech,
    "arrays": arrays,
}


def write(
    root: Path, samples: Sequence[Sample], to: str = "webdataset", classes: Sequence[str] = ()
) -> Path:
    """Write samples as a data set of one shard, by the format's writer alone."""
    root.mkdir(parents=True)
    bare = Target(schema_of(samples), tuple(classes))
    target = Target(bare.schema, bare.classes, WRITERS[to].layout(bare, samples[0]))
    writer = WRITERS[to](target)
    writer.start(root / "shard-00000")
    try:
        for sample in samples:
            writer.write(sample)
        shards = (writer.finish(),)
    except BaseException:
        writer.abandon()
        raise
    target = WRITERS[to].complete(root, target, shards)
    manifest = Manifest(to, len(samples), target.schema, shards, target.classes, target.layout)
    (root / NAME).write_text(manifest.to_json())
    return root


def files_of(root: Path) -> dict[str, bytes]:
    """Return the content of all files but the indexes that reading makes."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in files
        if not path.name.endswith(".penstock-index")
    }
