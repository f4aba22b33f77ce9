"""Small data sets in every format, written with the libraries that an installation has."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock import datasets

SIZE = (24, 32)
CLASSES = ("cat", "dog")
PER_CLASS = 3


def picture(seed: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a smooth picture, (height, width, 3)."""
    height, width = SIZE
    ramp = np.add.outer(np.arange(height) * 3, np.arange(width) * 2)
    return np.stack([ramp, ramp[::-1], np.full(SIZE, 20 * seed)], axis=-1).astype(np.uint8)


def encoded(extension: str, seed: int = 1) -> bytes:
    """Encode a picture with OpenCV, or with the libraries of the extra `images`."""
    if extension in (".gif", ".heic"):
        return _encoded_by_pillow(extension, seed)
    done, data = cv2.imencode(extension, picture(seed))
    assert done
    return data.tobytes()


def _encoded_by_pillow(extension: str, seed: int) -> bytes:
    import pillow_heif
    from PIL import Image

    stream = io.BytesIO()
    image = Image.fromarray(np.ascontiguousarray(picture(seed)[..., ::-1]))
    if extension == ".gif":
        image.quantize(256).save(stream, "GIF")
    else:
        pillow_heif.from_pillow(image).save(stream, quality=95, chroma=444)
    return stream.getvalue()


def class_folder(root: Path) -> Path:
    """Write a folder for each class, with JPEG files."""
    for number, name in enumerate(CLASSES):
        (root / name).mkdir(parents=True)
        for index in range(PER_CLASS):
            content = encoded(".jpg", 2 * index + number)
            (root / name / f"{index}.jpg").write_bytes(content)
    return root


def converted(root: Path, to: str) -> Path:
    """Convert the class folder to another format."""
    source = root / "folder"
    if not source.exists():
        class_folder(source)
    target = root / to
    if not target.exists():
        datasets.convert(source, target, to=to)
    return target


def coco(root: Path) -> tuple[Path, Path]:
    """Write images and annotations; return their folder and the file."""
    images = class_folder(root / "coco") / CLASSES[0]
    names = sorted(path.name for path in images.iterdir())
    content = {
        "images": [
            {"id": i, "file_name": name, "height": SIZE[0], "width": SIZE[1]}
            for i, name in enumerate(names)
        ],
        "annotations": [
            {"id": i, "image_id": i, "category_id": 1, "bbox": [1, 2, 10, 8], "area": 80,
             "iscrowd": 0, "segmentation": [[1, 2, 11, 2, 11, 10, 1, 10]]}
            for i in range(len(names))
        ],
        "categories": [{"id": 1, "name": "cat"}],
    }  # fmt: skip
    path = root / "instances.json"
    path.write_text(json.dumps(content))
    return images, path


def speech(root: Path) -> Path:
    """Write two sounds and a NeMo manifest."""
    import soundfile

    lines = []
    for name in ("a.flac", "b.wav"):
        soundfile.write(root / name, np.sin(np.arange(8000) * 0.1), 16000)
        lines.append(json.dumps({"audio_filepath": name, "duration": 0.5, "text": name}))
    path = root / "manifest.json"
    path.write_text("\n".join(lines))
    return path


def sound(container: str) -> bytes:
    """Encode half a second of a tone."""
    import soundfile

    file = io.BytesIO()
    soundfile.write(file, np.sin(np.arange(8000) * 0.1) / 2, 16000, format=container)
    return file.getvalue()


def video(codec: str = "libx264", container: str = "mp4", frames: int = 12) -> bytes:
    """Encode frames whose gray level is their number."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format=container) as output:
        stream = output.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(frames):
            image = np.full((48, 64, 3), 20 * number, np.uint8)
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 10)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return file.getvalue()
