"""Layouts of tables, arrays and shards: data that other software keeps in folders of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from .folder import LARGEST_MARKER, Folder
from .layout import Layout, holds


def _has(*names: str) -> Callable[[Folder], bool]:
    """Return what tells whether a folder has one of these files, or folders, which end with "/"."""
    return lambda folder: any(
        name[:-1] in folder.folders if name.endswith("/") else name in folder.files
        for name in names
    )


def _are_lance_tables(folder: Folder) -> bool:
    names = folder.visible_folders
    return bool(names) and all(name.endswith(".lance") for name in names)


def _is_n5(folder: Folder) -> bool:
    return "attributes.json" in folder.files and not {"n5", "blockSize"}.isdisjoint(
        _members(folder, "attributes.json")
    )


def _is_lerobot(folder: Folder) -> bool:
    return "meta" in folder.folders and '"codebase_version"' in folder.inner("meta").text(
        "info.json"
    )


def _members(folder: Folder, name: str) -> dict[str, Any]:
    """Return the members of a JSON file; none if it holds no object."""
    text = folder.text(name)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        if len(text) < LARGEST_MARKER:
            return {}
        return {member: [] for member in ("shards", "chunks") if f'"{member}"' in text}
    return content if isinstance(content, dict) else {}


def _lists(member: str, folder: Folder) -> bool:
    return "index.json" in folder.files and isinstance(
        _members(folder, "index.json").get(member), list
    )


def _are_tfds_splits(folder: Folder) -> bool:
    """Return whether a folder of TensorFlow Datasets holds the files of several splits."""
    if not {"dataset_info.json", "features.json"} <= set(folder.files):
        return False
    splits = _members(folder, "dataset_info.json").get("splits")
    return isinstance(splits, list) and len(splits) > 1


_has_group = _has("__group/", "__tiledb_group.tdb")  # of TileDB
_LOADER = "write its samples as tar files or Parquet by the package {}"
_ARRAYS = "write its arrays to .npy files by the package {}, for fn.readers.numpy"
_TABLE = "write its rows to Parquet files by the package {}, for fn.readers.parquet"
_ROWS = "whose log says which rows of its Parquet files count"

STORES = (
    Layout(holds("_versions", "*.manifest"), "a Lance data set", _TABLE.format("pylance")),
    Layout(_are_lance_tables, "a database of Lance tables", _TABLE.format("lancedb")),
    Layout(
        _has("zarr.json", ".zgroup", ".zarray", ".zmetadata"),
        "a Zarr store of arrays",
        _ARRAYS.format("zarr"),
    ),
    Layout(_is_n5, "an N5 container of arrays", _ARRAYS.format("zarr, release 2")),
    Layout(
        lambda folder: folder.holds("__schema", "__fragments") or _has_group(folder),
        "a TileDB array or group",
        _ARRAYS.format("tiledb"),
    ),
    Layout(
        _is_lerobot,
        "a LeRobot data set",
        "name its tables, data/*/*.parquet, for fn.readers.parquet, or its videos for "
        "fn.readers.video",
    ),
    Layout(
        _has(".nv-meta/"),
        "an Energon data set, whose splits .nv-meta/split.yaml lists",
        "give the folder to fn.readers.webdataset(split='train'), or name the tar files of a split",
        format="energon",
    ),
    Layout(
        lambda folder: folder.has("cuts.*.jsonl*") and folder.has("*.tar*"),
        "a Shar data set of lhotse, whose texts lie in the cuts beside the tar files",
        "name the folder for fn.readers.nemo_asr, or the tar files",
        format="shar",
    ),
    Layout(
        partial(_lists, "shards"),
        "an MDS data set of MosaicML's streaming",
        "name the folder for fn.readers.mds",
        format="mds",
    ),
    Layout(partial(_lists, "chunks"), "a LitData data set", _LOADER.format("litdata")),
    Layout(_has("_delta_log/"), f"a Delta Lake table, {_ROWS}", _TABLE.format("deltalake")),
    Layout(
        holds("metadata", "*.metadata.json"),
        f"an Iceberg table, {_ROWS}",
        _TABLE.format("pyiceberg"),
    ),
    Layout(_has(".hoodie/"), f"a Hudi table, {_ROWS}", _TABLE.format("pyspark")),
    Layout(
        # The files are those of releases before 4.
        _has("_deeplake_log/", "dataset_meta.json", "version_control_info.json"),
        "a Deep Lake data set",
        _LOADER.format("deeplake"),
    ),
    Layout(
        _are_tfds_splits,
        "a data set of TensorFlow Datasets with several splits",
        "name the files of one split by a pattern, such as '*-train.tfrecord*'",
    ),
    Layout(
        _has("wav.scp"),
        "a data directory of Kaldi",
        "convert it to nemo or webdataset by `penstock convert`, for fn.readers.nemo_asr",
        format="kaldi",
    ),
)
"""Each is a data set as a whole, so readers of shards refuse its folder, too."""
