"""Small data sets that are named and laid out as well-known ones and tools do it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import cv2
import numpy as np

from penstock.tests.readers.record_io import image_record, record_file
from penstock.tests.readers.tfrecord_files import example, write_records

WORDS = ["a red dot", 'the "blue" one', "two dots, far apart", "none"]
SYNSETS = ("n01440764", "n02102040")
CATEGORIES = {1: "person", 18: "dog", 90: "toothbrush"}  # COCO's numbers have gaps


def picture(number: int, ending: str = ".jpg") -> bytes:
    """Return an encoded picture, another one for each number."""
    noise = np.random.default_rng(number)
    pixels = noise.integers(0, 255, (60 + number, 80, 3), np.uint8)
    return cv2.imencode(ending, pixels)[1].tobytes()


def imagenet(root: Path) -> list[tuple[Path, int]]:
    """Class folders of WordNet's synsets, files in capitals."""
    samples = []
    for label, synset in enumerate(SYNSETS):
        for number in range(6):
            path = root / "train" / synset / f"{synset}_{10026 + 7 * number}.JPEG"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture(6 * label + number))
            samples.append((path, label))
    return samples


def web_shards(root: Path, samples: list[tuple[Path, int]], ending: str) -> None:
    """Write archives by webdataset's own writer."""
    import webdataset

    root.mkdir()
    pattern = str(root / "imagenet-train-%06d.tar")
    with webdataset.ShardWriter(pattern, maxcount=5, verbose=0) as writer:
        for path, label in samples:
            writer.write({"__key__": path.stem, ending: path.read_bytes(), "cls": label})


def hub(root: Path, samples: list[tuple[Path, int]], *, as_bytes: bool) -> None:
    """Write the Parquet files of a repository of the hub."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    (root / "data").mkdir(parents=True)
    (root / "README.md").write_text("---\ntask: none\n---\n")
    features = {
        "image": {"_type": "Image"},
        "label": {"names": [*SYNSETS], "_type": "ClassLabel"},
        "caption": {"dtype": "string", "_type": "Value"},
    }
    files = [
        {"bytes": path.read_bytes(), "path": path.name}
        if as_bytes
        else {"bytes": None, "path": str(path)}
        for path, _ in samples
    ]
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    table = pa.table(
        {
            "image": pa.array(files, kind),
            "label": [label for _, label in samples],
            "caption": [WORDS[number % 4] for number in range(len(samples))],
        }
    ).replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    for split, part in (("train", table), ("test", table.slice(0, 2))):
        for number in range(2):
            half = part.slice(number * len(part) // 2, len(part) // 2)
            pq.write_table(half, root / "data" / f"{split}-0000{number}-of-00002.parquet")


def im2rec(root: Path, samples: list[tuple[Path, int]]) -> None:
    """Write what MXNet's im2rec makes of a list: records, their index, and the list."""
    root.mkdir()
    records, index = record_file(
        image_record(path.read_bytes(), float(label), key)
        for key, (path, label) in enumerate(samples)
    )
    (root / "train.rec").write_bytes(records)
    (root / "train.idx").write_bytes(index)
    rows = (
        f"{key}\t{label:f}\t{path.parent.name}/{path.name}\n"
        for key, (path, label) in enumerate(samples)
    )
    (root / "train.lst").write_text("".join(rows))


def boxes_of(number: int) -> list[tuple[float, float, float, float]]:
    """Return 1 to 3 boxes in parts of the picture: left, top, right, bottom."""
    return [(0.125 * box, 0.25, 0.125 * box + 0.5, 0.75) for box in range(1 + number % 3)]


def object_detection(root: Path) -> None:
    """Write the records of create_coco_tf_record.py, and their map of labels."""
    root.mkdir()
    records = []
    for number in range(8):
        boxes = np.array(boxes_of(number))
        features = {
            "image/height": [60 + number],
            "image/width": [80],
            "image/filename": [b"%012d.jpg" % number],
            "image/source_id": [b"%d" % number],
            "image/encoded": [picture(number)],
            "image/format": [b"jpeg"],
            "image/object/bbox/xmin": boxes[:, 0].tolist(),
            "image/object/bbox/ymin": boxes[:, 1].tolist(),
            "image/object/bbox/xmax": boxes[:, 2].tolist(),
            "image/object/bbox/ymax": boxes[:, 3].tolist(),
            "image/object/class/text": [b"dog"] * len(boxes),
            "image/object/class/label": [1 + box for box in range(len(boxes))],
        }
        records.append(example(features))
    for shard in range(2):
        write_records(root / f"train.record-0000{shard}-of-00002", records[4 * shard :][:4])
    items = "".join(f"item {{\n  id: {n}\n  name: 'c{n}'\n}}\n" for n in (1, 2, 3))
    (root / "label_map.pbtxt").write_text(items)


def coco(root: Path) -> None:
    """Write pictures and annotations with COCO's names and numbers."""
    (root / "train2017").mkdir(parents=True)
    (root / "annotations").mkdir()
    images, annotations = [], []
    for number in range(8):
        name = f"{397133 + number:012d}.jpg"
        height, width = 60 + number, 80
        (root / "train2017" / name).write_bytes(picture(number))
        image = {"id": 397133 + number, "file_name": name, "height": height, "width": width}
        images.append(image | {"license": 1, "coco_url": f"http://images.example/{name}"})
        for left, top, right, bottom in boxes_of(number):
            box = [left * width, top * height, (right - left) * width, (bottom - top) * height]
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image["id"],
                    "category_id": [*CATEGORIES][len(annotations) % 3],
                    "bbox": box,
                    "area": box[2] * box[3],
                    "iscrowd": 0,
                    "segmentation": [[box[0], box[1], box[0] + box[2], box[1], box[0], box[1] + 9]],
                }
            )
    categories = [{"id": i, "name": n, "supercategory": "-"} for i, n in CATEGORIES.items()]
    content = {"info": {}, "licenses": [], "images": images, "annotations": annotations}
    path = root / "annotations" / "instances_train2017.json"
    path.write_text(json.dumps(content | {"categories": categories}))


def sound(number: int, kind: str) -> bytes:
    """Return a tone of a quarter of a second or more."""
    import soundfile

    rate = 48_000 if kind == "MP3" else 16_000
    wave = np.sin(np.arange(rate // 4 + 100 * number) * (0.05 + number / 100)) * 0.3
    file = io.BytesIO()
    soundfile.write(file, wave.astype(np.float32), rate, format=kind)
    return file.getvalue()


def common_voice(root: Path) -> None:
    """Write clips, and the tables of the validated ones and of a part, without quotes."""
    (root / "clips").mkdir(parents=True)
    head = "client_id\tpath\tsentence\tup_votes\tage\tlocale\n"
    rows = []
    for number in range(6):
        name = f"common_voice_en_{17_000_000 + number}.mp3"
        (root / "clips" / name).write_bytes(sound(number, "MP3"))
        rows.append(f"{'f' * 64}\t{name}\t{WORDS[number % 4]}\t2\t\ten\n")
    (root / "validated.tsv").write_text(head + "".join(rows))
    (root / "train.tsv").write_text(head + "".join(rows[:4]))


def librispeech(root: Path) -> None:
    """Write two chapters of recordings, with a file of transcripts each."""
    for speaker, chapter in ((84, 121123), (174, 50561)):
        folder = root / str(speaker) / str(chapter)
        folder.mkdir(parents=True)
        lines = []
        for number in range(3):
            name = f"{speaker}-{chapter}-{number:04d}"
            (folder / f"{name}.flac").write_bytes(sound(number, "FLAC"))
            lines.append(f"{name} {WORDS[number].upper()}\n")
        (folder / f"{speaker}-{chapter}.trans.txt").write_text("".join(lines))


def scenes(root: Path) -> None:
    """Write pictures and masks of one content: stripes of eight gray levels."""
    for kind in ("images", "masks"):
        (root / kind).mkdir(parents=True)
    for number in range(8):
        mask = np.full((64, 64), number, np.uint8)
        mask[8 * number :] = 7 - number
        image = np.repeat(mask[:, :, np.newaxis] * 30, 3, axis=2)
        (root / "images" / f"{number:04d}.png").write_bytes(cv2.imencode(".png", image)[1])
        (root / "masks" / f"{number:04d}.png").write_bytes(cv2.imencode(".png", mask)[1])
