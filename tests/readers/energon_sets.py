"""Folders as Megatron-Energon prepares them, and by Energon itself where it is installed."""

from __future__ import annotations

import io
import json
import struct
import tarfile
from pathlib import Path

from penstock.testing import made

from .. import peers
from . import tars

SPLITS = {"train": ["shard-{000..002}.tar"], "val": ["sub/shard-003.tar"], "test": []}
FIELDS = {"image": "jpg,png", "label": "cls", "title": "json[title]"}
KEYS = {
    "shard-000.tar": ["a", "b"],
    "shard-001.tar": ["c", "d", "e"],
    "shard-002.tar": ["f"],
    "sub/shard-003.tar": ["x/g", "x/h"],
}
LABELS = {key: number for number, key in enumerate(key for keys in KEYS.values() for key in keys)}

PREPARE = """
import sys
from megatron.energon.tools.prepare import command
command([sys.argv[1], "--non-interactive", "--num-workers", "1", "--sample-type",
    "ImageClassificationSample", "--field-map", '{"image": "jpg", "label": "cls"}', *sys.argv[2:]])
"""
READ = """
import sys
from megatron.energon import (
    Cooker, DefaultTaskEncoder, Sample, WorkerConfig, basic_sample_keys, edataclass,
    get_savable_loader, get_val_dataset, stateless,
)
@edataclass
class Labeled(Sample):
    label: int
@stateless
def cook(sample):
    return Labeled(**basic_sample_keys(sample), label=int(sample["cls"]))
class Encoder(DefaultTaskEncoder):
    cookers = [Cooker(cook)]
    def __init__(self):
        super().__init__()
ranks = WorkerConfig(rank=0, world_size=1, num_workers=0)
read = get_val_dataset(
    sys.argv[1], split_part="train", worker_config=ranks, batch_size=1, task_encoder=Encoder()
)
for batch in get_savable_loader(read):
    print("sample", batch.__key__[0], int(batch.label[0]))
"""


def archives(root: Path) -> dict[str, bytes]:
    """Write the archives; return the content of each."""
    contents = {}
    for shard, keys in KEYS.items():
        files = {}
        for key in keys:
            files |= {f"{key}.jpg": made.jpeg(LABELS[key]), f"{key}.cls": b"%d" % LABELS[key]}
        contents[shard] = tars.archive(files)
        (root / shard).parent.mkdir(parents=True, exist_ok=True)
        (root / shard).write_bytes(contents[shard])
    return contents


def prepared(
    root: Path,
    splits: object = SPLITS,
    exclude: object = (),
    fields: object = FIELDS,
    counts: dict[str, int] | None = None,
) -> Path:
    """Write a data set with Energon's metadata; YAML holds JSON."""
    meta = root / ".nv-meta"
    meta.mkdir(parents=True, exist_ok=True)
    for shard, content in archives(root).items():
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            members = archive.getmembers()
        offsets = [m.offset for m in members if m.name.endswith(".jpg")]
        last = members[-1].offset_data + 512
        (root / f"{shard}.idx").write_bytes(struct.pack(f"<{len(offsets) + 1}Q", *offsets, last))
    told = {shard: len(keys) for shard, keys in KEYS.items()} | (counts or {})
    info = {"energon_version": "7.4.1", "shard_counts": told}
    (meta / ".info.json").write_text(json.dumps(info))
    (meta / "split.yaml").write_text(json.dumps({"split_parts": splits, "exclude": list(exclude)}))
    kind = {"__module__": "megatron.energon", "__class__": "ImageClassificationSample"}
    (meta / "dataset.yaml").write_text(json.dumps({"sample_type": kind, "field_map": fields}))
    return root


def by_energon(root: Path, *options: str) -> Path:
    """Have Energon prepare the archives; skip without it."""
    archives(root)
    peers.run("energon", PREPARE, root, *options)
    return root


def read_by_energon(root: Path) -> dict[str, int]:
    """Return the label of each sample of the split "train", by key, as Energon reads it."""
    lines = [line.split() for line in peers.run("energon", READ, root).splitlines()]
    return {words[1]: int(words[2]) for words in lines if words[:1] == ["sample"]}
