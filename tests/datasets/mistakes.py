"""Mistakes that can be made with a data set of each format: see `small_sets`."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile

import cv2
import numpy as np
import pytest

from penstock.readers.webdataset.dali_index import write_dali_index

from ..readers import tfrecord_files
from .small_sets import INDEX, SHARDED, converted, photos, save_lines, scenes, speech

lmdb, pyarrow = map(pytest.importorskip, ("lmdb", "pyarrow"))
parquet = pytest.importorskip("pyarrow.parquet")


def entries(name, root):
    """Return the images and annotations, or the lines, of a copy, and what saves them."""
    path = root / INDEX[name]
    if name == "coco":
        content = json.loads(path.read_text())
        return content, lambda: path.write_text(json.dumps(content))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return lines, lambda: save_lines(root, lines)


def shards_of(name, root):
    """Return the files that hold the samples, sorted."""
    suffix = SHARDED.get(name, ".wav" if name == "nemo" else ".png")
    return sorted(path for path in root.rglob(f"*{suffix}"))


def anew(root, name, **changes):
    """Write a data set of changed photographs beside the `dataset.json` of the original one."""
    kept = (root / "dataset.json").read_bytes()
    shutil.rmtree(root)
    converted(photos(root.parent / "changed", **changes), root, name)
    (root / "dataset.json").write_bytes(kept)


def lose_a_row(name, root):
    """Leave out sample 3 alone; the annotation of an image stays."""
    if name == "coco":
        content, save = entries(name, root)
        del content["images"][3]
        save()
    elif name == "nemo":
        lines, save = entries(name, root)
        del lines[3]
        save()
    else:
        anew(root, name, without=[3])


def shift_a_label(name, root):
    """Give sample 3 the label of its neighbor."""
    if name == "coco":
        content, save = entries(name, root)
        content["annotations"][3]["category_id"] = 1
        save()
    elif name == "nemo":
        lines, save = entries(name, root)
        lines[3]["text"] = lines[4]["text"]
        save()
    else:
        anew(root, name, labels={3: 0})


def replace_a_file(name, root):
    """Put other pixels, or another sound, in the place of each one."""
    if name == "coco":
        shutil.rmtree(root / "images")
        photos(root / "images", seed=1)
    elif name == "nemo":
        kept = (root / "manifest.json").read_bytes()
        shutil.rmtree(root)
        speech(root, seed=1)
        (root / "manifest.json").write_bytes(kept)
    else:
        anew(root, name, seed=1)


def cut_a_shard(name, root):
    """Cut the second shard, or the list of the samples, within a value."""
    path = root / INDEX[name] if name in INDEX else shards_of(name, root)[1]
    if name == "filelist":
        path.write_bytes(path.read_bytes().rstrip()[:-2])
    else:
        os.truncate(path, path.stat().st_size * 6 // 10)


def null_a_column(name, root):
    """Take the value of each label, box or text."""
    if name == "filelist":
        lines = (root / "files.lst").read_text().splitlines()
        (root / "files.lst").write_text("".join(f"{line[:-2]}\n" for line in lines))
    elif name == "coco":
        content, save = entries(name, root)
        for annotation in content["annotations"]:
            annotation["bbox"] = None
        save()
    elif name == "nemo":
        lines, save = entries(name, root)
        for line in lines:
            line["text"] = None
        save()
    else:
        for path in shards_of(name, root):
            _NULLS[name](path)


def _null_in_archive(path):
    with tarfile.open(path) as archive:
        files = [(member, archive.extractfile(member).read()) for member in archive]
    with tarfile.open(path, "w") as archive:
        for member, content in files:
            content = b"" if member.name.endswith(".cls") else content
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _null_in_records(path):
    image = cv2.imencode(".png", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    records = [tfrecord_files.example({"image": image, "label": []}) for _ in range(4)]
    tfrecord_files.write_records(path, records)


def _null_in_database(path):
    with lmdb.open(str(path.parent)) as database, database.begin(write=True) as transaction:
        for key in [key for key, _ in transaction.cursor() if key.endswith(b".cls")]:
            transaction.put(key, b"")


def _null_in_table(path):
    table = parquet.read_table(path)
    place = table.schema.get_field_index("label")
    field = table.schema.field(place)
    nulls = pyarrow.nulls(len(table), field.type)
    parquet.write_table(table.set_column(place, field, nulls), path)


_NULLS = {
    "webdataset": _null_in_archive,
    "tfrecord": _null_in_records,
    "lmdb": _null_in_database,
    "parquet": _null_in_table,
}


def repeat_a_key(name, root):
    """Have the first sample, or shard, twice."""
    (root / "dataset.json").unlink(missing_ok=True)
    if name == "filelist":
        with (root / "files.lst").open("r+") as file:
            file.write(file.read().partition("\n")[0] + "\n")
    elif name == "coco":
        content, save = entries(name, root)
        content["images"].append(content["images"][0])
        save()
    elif name == "nemo":
        lines, save = entries(name, root)
        lines.append(lines[0])
        save()
    elif name == "lmdb":
        shutil.copytree(root / "shard-00000", root / "shard-x")
    else:
        for path in root.glob("shard-00000.*"):
            shutil.copy(path, path.with_stem("shard-x"))


def take_another_list(name, root):
    """Put the list, or the index files, of another data set in the place of those there are."""
    other = root.parent / "other"
    if name == "coco":
        scenes(other, names="other-{}.png")
    elif name == "nemo":
        speech(other, names="other-{}.wav")
    else:
        listing = photos(root.parent / "photos", names="other-{}.png", without=[0])
        converted(listing, other, name)
    if name in INDEX:
        shutil.copy(other / INDEX[name], root)
    elif name == "webdataset":
        for path in other.glob("*.tar"):
            write_dali_index(path, root / f"{path.name}.dali")
    else:
        for path in other.glob("*.idx"):
            shutil.copy(path, root)


def take_another_format(name, root):
    """Give files of another format the names that the reader looks for."""
    other = root.parent / "other"
    scenes(other)
    files = [root / INDEX[name]] if name in INDEX else shards_of(name, root)
    for path in files:
        shutil.copy(next(other.rglob("*.png" if name == "coco" else "*.json")), path)
