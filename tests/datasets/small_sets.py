"""A small data set of each of eight formats, and what its reader says."""

from __future__ import annotations

import json
import warnings
import wave

import cv2
import numpy as np

from penstock import PenstockError, datasets, fn, pipeline_def, tfrecord, types

SAMPLES, SHARDS = 12, 3
SHARDED = {
    "webdataset": ".tar",
    "tfrecord": ".tfrecord",
    "recordio": ".rec",
    "lmdb": ".mdb",
    "parquet": ".parquet",
}
FORMATS = ("filelist", *SHARDED, "coco", "nemo")
INDEX = {"filelist": "files.lst", "coco": "annotations.json", "nemo": "manifest.json"}
"""The file that lists the samples, of formats that have one; that file is the data set."""

_NUMBERS = {"dtypes": [types.UINT8, types.INT32]}


def read(name, root, index=None, **options):
    """Return the outputs of a format's reader; `index` is a folder with index files."""
    listing = f"{root}/{INDEX.get(name, '')}"
    if name == "filelist":
        return fn.readers.file(file_list=listing, **options)
    if name == "coco":
        return fn.readers.coco(file_root=f"{root}/images", annotations_file=listing, **options)
    if name == "nemo":
        return fn.readers.nemo_asr(manifest_filepaths=listing, **options)
    if name == "webdataset":
        indexes = {} if index is None else {"index_paths": f"{index}/*.dali"}
        options |= _NUMBERS | indexes
        return fn.readers.webdataset(paths=str(root), ext=["png", "cls"], **options)
    if name == "tfrecord":
        options |= {} if index is None else {"index_path": f"{index}/*.idx"}
        features = {
            "image": tfrecord.FixedLenFeature((), tfrecord.string),
            "label": tfrecord.FixedLenFeature([1], tfrecord.int64),
        }
        return fn.readers.tfrecord(path=str(root), features=features, **options).values()
    if name == "recordio":
        options |= {} if index is None else {"index_path": f"{index}/*.idx"}
        return fn.readers.mxnet(path=str(root), **options)
    if name == "lmdb":
        return fn.readers.lmdb(path=str(root), ext=["png", "cls"], **_NUMBERS, **options)
    return fn.readers.parquet(path=str(root), columns=["image", "label"], **options)


@pipeline_def(batch_size=4, num_threads=1, device_id=None)
def reading(*sets, **options):
    """Return the outputs of a reader for each pair of a format and a folder."""
    return [output for pair in sets for output in read(*pair, **options)]


def told(act):
    """Return the warnings of a call, and its error or result, as a text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = act()
        except (PenstockError, OSError) as error:
            result = error
    return " | ".join([*(str(warning.message) for warning in caught), str(result)])


def read_an_epoch(*sets, **options):
    with reading(*sets, **options) as pipe:
        for _ in range(SAMPLES // 4):
            pipe.run()
    return "nothing"


def photos(folder, seed=0, *, without=(), labels=None, names="{:03d}.png"):
    """Write photographs and a list of them with labels; return the list."""
    folder.mkdir(parents=True)
    noise, lines = np.random.default_rng(seed), []
    for number in range(SAMPLES):
        pixels = noise.integers(0, 255, (8, 8 + number % 3, 3), np.uint8)
        if number not in without:
            cv2.imwrite(str(folder / names.format(number)), pixels)
            label = (labels or {}).get(number, number % 2)
            lines.append(f"{names.format(number)} {label}\n")
    (folder / "list.txt").write_text("".join(lines))
    return folder / "list.txt"


def converted(listing, root, name):
    """Write a data set of photographs."""
    shards = {"shard_count": SHARDS} if name in SHARDED else {}
    datasets.convert(listing, root, to=name, **shards)


def scenes(root, seed=0, names="{:03d}.png"):
    """Write a data set of COCO."""
    listing = photos(root / "images", seed, names=names)
    listing.unlink()
    images, boxes = [], []
    for number in range(SAMPLES):
        size = {"width": 8 + number % 3, "height": 8}
        images.append({"id": number, "file_name": names.format(number), **size})
        boxes.append(
            {"id": number, "image_id": number, "category_id": 1 + number % 2, "iscrowd": 0}
            | {"bbox": [1, 1, 3 + seed, 3], "area": 9}
        )
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    content = {"images": images, "annotations": boxes, "categories": categories}
    (root / "annotations.json").write_text(json.dumps(content))


def speech(root, seed=0, names="{}.wav"):
    """Write recordings with a manifest of NeMo."""
    root.mkdir(parents=True)
    noise, lines = np.random.default_rng(seed), []
    for number in range(SAMPLES):
        with wave.open(str(root / names.format(number)), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(noise.integers(-99, 99, 80, np.int16).tobytes())
        entry = {"audio_filepath": names.format(number), "duration": 0.01}
        lines.append(entry | {"text": f"{seed} {number}"})
    save_lines(root, lines)


def save_lines(root, lines):
    """Write a manifest of NeMo."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (root / "manifest.json").write_text(text)


def make(root):
    """Write a data set of each format."""
    listing = photos(root / "photos")
    for name in ("filelist", *SHARDED):
        converted(listing, root / name, name)
    scenes(root / "coco")
    speech(root / "nemo")
