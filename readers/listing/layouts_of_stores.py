"""Layouts of tables, arrays and shards: data that other software keeps in folders of its own."""

from __future__ import annotations

import json
from typing import Any

from .folder import LARGEST_MARKER, Folder
from .layout import Layout


def _is_lance(folder: Folder) -> bool:
    return "_versions" in folder.folders and folder.inner("_versions").has("*.manifest")


def _are_lance_tables(folder: Folder) -> bool:
    names = folder.visible_folders
    return bool(names) and all(name.endswith(".lance") for name in names)


def _is_zarr(folder: Folder) -> bool:
    return not {"zarr.json", ".zgroup", ".zarray", ".zmetadata"}.isdisjoint(folder.files)


def _is_n5(folder: Folder) -> bool:
    return "attributes.json" in folder.files and not {"n5", "blockSize"}.isdisjoint(
        _members(folder, "attributes.json")
    )


def _is_lerobot(folder: Folder) -> bool:
    return "meta" in folder.folders and '"codebase_version"' in folder.inner("meta").text(
        "info.json"
    )


def _is_energon(folder: Folder) -> bool:
    return ".nv-meta" in folder.folders


def _is_shar(folder: Folder) -> bool:
    return folder.has("cuts.*.jsonl*") and folder.has("*.tar*")


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


def _is_mds(folder: Folder) -> bool:
    return _lists("shards", folder)


def _is_litdata(folder: Folder) -> bool:
    return _lists("chunks", folder)


def _is_delta(folder: Folder) -> bool:
    return "_delta_log" in folder.folders


def _is_iceberg(folder: Folder) -> bool:
    return "metadata" in folder.folders and folder.inner("metadata").has("*.metadata.json")


def _is_hudi(folder: Folder) -> bool:
    return ".hoodie" in folder.folders


def _is_tiledb(folder: Folder) -> bool:
    return (
        folder.holds("__schema", "__fragments")
        or "__group" in folder.folders
        or "__tiledb_group.tdb" in folder.files
    )


def _is_deep_lake(folder: Folder) -> bool:
    names = {"dataset_meta.json", "version_control_info.json"}  # of releases before 4
    return "_deeplake_log" in folder.folders or not names.isdisjoint(folder.files)


def _are_tfds_splits(folder: Folder) -> bool:
    """Return whether a folder of TensorFlow Datasets holds the files of several splits."""
    if not {"dataset_info.json", "features.json"} <= set(folder.files):
        return False
    splits = _members(folder, "dataset_info.json").get("splits")
    return isinstance(splits, list) and len(splits) > 1


def _is_kaldi(folder: Folder) -> bool:
    return "wav.scp" in folder.files


_LOADER = "write its samples as tar files or Parquet by the package {}"
_ARRAYS = "write its arrays to .npy files by the package {}, for fn.readers.numpy"
_TABLE = "write its rows to Parquet files by the package {}, for fn.readers.parquet"
_ROWS = "whose log says which rows of its Parquet files count"

STORES = (
    Layout(_is_lance, "a Lance data set", _TABLE.format("pylance")),
    Layout(_are_lance_tables, "a database of Lance tables", _TABLE.format("lancedb")),
    Layout(_is_zarr, "a Zarr store of arrays", _ARRAYS.format("zarr")),
    Layout(_is_n5, "an N5 container of arrays", _ARRAYS.format("zarr, release 2")),
    Layout(_is_tiledb, "a TileDB array or group", _ARRAYS.format("tiledb")),
    Layout(
        _is_lerobot,
        "a LeRobot data set",
        "name its tables, data/*/*.parquet, for fn.readers.parquet, or its videos for "
        "fn.readers.video",
    ),
    Layout(
        _is_energon,
        "an Energon data set, whose splits .nv-meta/split.yaml lists",
        "give the folder to fn.readers.webdataset(split='train'), or name the tar files of a split",
        format="energon",
    ),
    Layout(
        _is_shar,
        "a Shar data set of lhotse, whose texts lie in the cuts beside the tar files",
        "name the folder for fn.readers.nemo_asr, or the tar files",
        format="shar",
    ),
    Layout(
        _is_mds,
        "an MDS data set of MosaicML's streaming",
        "name the folder for fn.readers.mds",
        format="mds",
    ),
    Layout(_is_litdata, "a LitData data set", _LOADER.format("litdata")),
    Layout(_is_delta, f"a Delta Lake table, {_ROWS}", _TABLE.format("deltalake")),
    Layout(_is_iceberg, f"an Iceberg table, {_ROWS}", _TABLE.format("pyiceberg")),
    Layout(_is_hudi, f"a Hudi table, {_ROWS}", _TABLE.format("pyspark")),
    Layout(_is_deep_lake, "a Deep Lake data set", _LOADER.format("deeplake")),
    Layout(
        _are_tfds_splits,
        "a data set of TensorFlow Datasets with several splits",
        "name the files of one split by a pattern, such as '*-train.tfrecord*'",
    ),
    Layout(
        _is_kaldi,
        "a data directory of Kaldi",
        "convert it to nemo or webdataset by `penstock convert`, for fn.readers.nemo_asr",
        format="kaldi",
    ),
)
"""Each is a data set as a whole, so readers of shards refuse its folder, too."""
