"""Makes `sets.json`: small data sets of other software, written by the packages themselves.

    python make.py

Each function below that finds its package writes a set, and `sets.json` gets the names and the
first bytes of the files, with the release that wrote them. Sets whose packages are missing stay
as they are. The packages want different releases of NumPy and PyTorch, so several virtual
environments may be needed.
"""

from __future__ import annotations

import base64
import importlib
import importlib.metadata
import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
SETS = FOLDER / "sets.json"
_TEXT_BYTES, _BINARY_BYTES = 16_384, 1_024

Make = Callable[[Path], Any]
MAKERS: dict[str, tuple[str, Make]] = {}


def made_by(distribution: str) -> Callable[[Make], Make]:
    """Enter a function in the table, under its name."""

    def enter(make: Make) -> Make:
        MAKERS[make.__name__] = (distribution, make)
        return make

    return enter


def pixels(number: int = 0) -> Any:
    """Return an array uint8 (8, 8, 3)."""
    import numpy as np

    return np.full((8, 8, 3), number, np.uint8)


def save_image(path: Path, number: int = 0) -> Path:
    """Write a small image."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels(number)).save(path)
    return path


def table() -> Any:
    """Return a table of Arrow with two columns."""
    import pyarrow as pa

    return pa.table({"i": [0, 1, 2, 3], "text": ["a", "b", "c", "d"]})


@made_by("zarr")
def zarr_2(root: Path) -> None:
    import zarr

    group = zarr.open_group(root, mode="w", zarr_format=2)
    group.create_array("raw", shape=(6, 6, 6), chunks=(2, 2, 2), dtype="u2")[:] = 1
    group.create_array("labels", shape=(6, 6, 6), chunks=(6, 6, 6), dtype="u1")[:] = 1


@made_by("zarr")
def zarr_3(root: Path) -> None:
    import zarr

    group = zarr.open_group(root, mode="w", zarr_format=3)
    group.create_array("raw", shape=(6, 6), chunks=(3, 3), shards=(6, 6), dtype="u2")[:] = 1


@made_by("zarr")
def zarr_zip(root: Path) -> None:
    import zarr

    with zarr.storage.ZipStore(root / "a.zarr.zip", mode="w") as store:
        zarr.create_array(store, shape=(6, 6), chunks=(3, 3), dtype="u2")[:] = 1


@made_by("h5py")
def hdf5(root: Path) -> None:
    import h5py

    with h5py.File(root / "volumes.h5", "w") as file:
        file.create_dataset("raw", data=[[1, 2], [3, 4]], chunks=(1, 2), compression="gzip")


@made_by("h5py")
def hdf5_in_class_folders(root: Path) -> None:
    import h5py

    for name in ("cat", "dog"):
        (root / name).mkdir()
        with h5py.File(root / name / "1.hdf5", "w") as file:
            file.create_dataset("raw", data=[1])


@made_by("netCDF4")
def netcdf_3(root: Path) -> None:
    import netCDF4

    with netCDF4.Dataset(root / "t2m.nc", "w", format="NETCDF3_CLASSIC") as file:
        file.createDimension("x", 2)
        file.createVariable("t", "f4", ("x",))[:] = [1, 2]


@made_by("netCDF4")
def netcdf_4(root: Path) -> None:
    import netCDF4

    with netCDF4.Dataset(root / "t2m.nc", "w") as file:
        file.createDimension("x", 2)
        file.createVariable("t", "f4", ("x",))[:] = [1, 2]


@made_by("nibabel")
def nifti(root: Path) -> None:
    import nibabel
    import numpy as np

    image = nibabel.Nifti1Image(np.zeros((2, 2, 2), np.int16), np.eye(4))
    for folder in ("imagesTr", "labelsTr"):
        (root / folder).mkdir()
        nibabel.save(image, root / folder / "a.nii.gz")
    nibabel.save(image, root / "mean.nii")


@made_by("pydicom")
def dicom(root: Path) -> None:
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, generate_uid

    for number in range(2):
        meta = FileMetaDataset()
        meta.MediaStorageSOPClassUID = CTImageStorage
        meta.TransferSyntaxUID = ExplicitVRLittleEndian
        meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=[str(number)])
        slice_ = FileDataset("", {}, file_meta=meta, preamble=b"\0" * 128)
        slice_.PatientID, slice_.Rows, slice_.Columns = "0", 2, 2
        slice_.SOPClassUID, slice_.SOPInstanceUID = CTImageStorage, meta.MediaStorageSOPInstanceUID
        slice_.save_as(root / f"I{number:04d}", enforce_file_format=True)


@made_by("pylance")
def lance(root: Path) -> None:
    lance_ = importlib.import_module("lance")
    lance_.write_dataset(table(), str(root), mode="overwrite")


@made_by("lancedb")
def lance_database(root: Path) -> None:
    import lancedb

    database = lancedb.connect(str(root))
    database.create_table("train", table())
    database.create_table("test", table())


@made_by("deltalake")
def delta(root: Path) -> None:
    from deltalake import DeltaTable, write_deltalake

    write_deltalake(str(root), table())
    DeltaTable(str(root)).delete("i = 3")


@made_by("pyiceberg")
def iceberg(root: Path) -> None:
    from pyiceberg.catalog.sql import SqlCatalog

    with tempfile.TemporaryDirectory() as folder:
        catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/c.db", warehouse=f"file://{folder}/w")
        catalog.create_namespace("n")
        made = catalog.create_table("n.t", table().schema, location=f"file://{root}")
        made.append(table())


@made_by("tiledb")
def tiledb_array(root: Path) -> None:
    import numpy as np
    import tiledb

    root.rmdir()
    tiledb.from_numpy(str(root), np.arange(4)).close()


@made_by("tiledb")
def tiledb_group(root: Path) -> None:
    import numpy as np
    import tiledb

    root.rmdir()
    tiledb.Group.create(str(root))
    tiledb.from_numpy(str(root / "raw"), np.arange(4)).close()


@made_by("deeplake")
def deep_lake(root: Path) -> None:
    import deeplake

    dataset = deeplake.create(f"file://{root}")
    dataset.add_column("i", "int32")
    dataset.append({"i": [1, 2]})
    dataset.commit("rows")


@made_by("vortex-data")
def vortex(root: Path) -> None:
    import vortex as vx

    vx.io.write(vx.compress(vx.array(table())), str(root / "rows.vortex"))


@made_by("array_record")
def array_records(root: Path) -> None:
    from array_record.python import array_record_module

    writer = array_record_module.ArrayRecordWriter(str(root / "train.array_record"), "group_size:1")
    writer.write(b"record")
    writer.close()


@made_by("datasets")
def hf_save_to_disk(root: Path) -> None:
    import datasets

    datasets.Dataset(table()).save_to_disk(str(root))


@made_by("datasets")
def hf_dataset_dict(root: Path) -> None:
    import datasets

    rows = datasets.Dataset(table())
    datasets.DatasetDict({"train": rows, "test": rows}).save_to_disk(str(root))


@made_by("datasets")
def hf_repository(root: Path) -> None:
    import datasets

    (root / "data").mkdir()
    for split in ("train", "test"):
        rows = datasets.Dataset(table())
        rows.to_parquet(str(root / "data" / f"{split}-00000-of-00001.parquet"))
    (root / "README.md").write_text("---\nlicense: mit\n---\n# Rows\n")


@made_by("datasets")
def hf_configurations(root: Path) -> None:
    import datasets

    text = "---\nconfigs:\n"
    for config in ("en", "fr"):
        datasets.Dataset(table()).to_parquet(str(root / f"{config}.parquet"))
        text += f"- config_name: {config}\n  data_files:\n"
        text += f"  - split: train\n    path: {config}.parquet\n"
    (root / "README.md").write_text(f"{text}---\n# Two languages\n")


@made_by("datasets")
def hf_image_folder(root: Path) -> None:
    """The layout of `imagefolder`: a table beside the images; `load_dataset` reads the result."""
    import datasets

    for split in ("train", "test"):
        for number in range(2):
            save_image(root / split / f"{number}.png", number)
        lines = [{"file_name": f"{n}.png", "text": f"picture {n}"} for n in range(2)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (root / split / "metadata.jsonl").write_text(text)
    read = datasets.load_dataset("imagefolder", data_dir=str(root))
    assert read["train"][1]["text"] == "picture 1"


@made_by("mosaicml-streaming")
def mds(root: Path) -> None:
    from streaming import MDSWriter

    with MDSWriter(out=str(root), columns={"i": "int", "x": "bytes"}) as writer:
        for number in range(3):
            writer.write({"i": number, "x": b"bytes"})


@made_by("mosaicml-streaming")
def mds_splits(root: Path) -> None:
    for split in ("train", "val"):
        mds(root / split)


def _row(number: int) -> dict[str, Any]:
    return {"i": number, "x": b"bytes"}


@made_by("litdata")
def litdata_chunks(root: Path) -> None:
    import litdata

    litdata.optimize(fn=_row, inputs=[0, 1, 2], output_dir=str(root), chunk_size=2, num_workers=1)


@made_by("lhotse")
def shar(root: Path) -> None:
    import numpy as np
    import soundfile
    from lhotse import CutSet, Recording, SupervisionSegment
    from lhotse.shar import SharWriter

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.wav"
        soundfile.write(path, np.zeros(1600), 16_000)
        cut = Recording.from_file(path).to_cut()
        cut.supervisions = [SupervisionSegment("a", cut.recording_id, 0, 0.1, text="hello")]
        with SharWriter(str(root), fields={"recording": "wav"}) as writer:
            for one in CutSet.from_cuts([cut]):
                writer.write(one)


@made_by("megatron-energon")
def energon(root: Path) -> None:
    import webdataset
    from megatron.energon.flavors.webdataset import BaseWebdatasetFactory

    for split in ("train", "val"):
        with webdataset.TarWriter(str(root / f"{split}-0.tar")) as writer:
            writer.write({"__key__": split, "jpg": save_image(root / "a.jpg").read_bytes()})
    (root / "a.jpg").unlink()
    BaseWebdatasetFactory.prepare_dataset(
        root,
        ["train-0.tar", "val-0.tar"],
        split_parts_patterns=[("train", "train-.*"), ("val", "val-.*")],
        workers=1,
    )


@made_by("pyarrow")
def parquet_files(root: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table(), root / "part-0.parquet")


@made_by("git")
def git_lfs(root: Path) -> None:
    """What a clone without `git lfs` has, by the specification of pointers."""
    import hashlib

    for folder in ("cat", "dog"):
        content = save_image(root / folder / "1.png").read_bytes()
        (root / folder / "1.png").write_text(
            "version https://git-lfs.github.com/spec/v1\n"
            f"oid sha256:{hashlib.sha256(content).hexdigest()}\nsize {len(content)}\n"
        )


def described(root: Path) -> dict[str, Any]:
    """Return the files below a folder: texts, or the first bytes in base64."""
    files: dict[str, Any] = {}
    for path in sorted(root.rglob("*")):
        if path.is_dir():
            if not any(path.iterdir()):
                files[f"{path.relative_to(root)}/"] = ""
            continue
        content = path.read_bytes()
        name = str(path.relative_to(root))
        try:
            files[name] = content[:_TEXT_BYTES].decode() if b"\0" not in content else None
        except UnicodeDecodeError:
            files[name] = None
        if files[name] is None:
            kept = content if content[:4] == b"\x89PNG" else content[:_BINARY_BYTES]
            files[name] = {"base64": base64.b64encode(kept).decode(), "bytes": len(content)}
    return files


def version_of(distribution: str) -> str:
    """Return name and release of what writes a set; raise an ImportError without it."""
    if distribution == "git":
        return subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.strip()
    return f"{distribution} {importlib.metadata.version(distribution)}"


def main() -> None:
    """Write the sets whose packages are there."""
    sets = json.loads(SETS.read_text()) if SETS.exists() else {}
    for name, (distribution, make) in MAKERS.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "set"
            root.mkdir()
            try:
                version = version_of(distribution)
                make(root)
            except ImportError as error:
                print(f"{name}: left as it is: {error}")
                continue
            sets[name] = {"made_by": version, "files": described(root)}
            print(f"{name}: {version}")
    SETS.write_text(json.dumps(dict(sorted(sets.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
