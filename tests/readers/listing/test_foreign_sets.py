"""Data sets that the packages of other software wrote: none becomes class folders."""

import base64
import json
import re
from pathlib import Path

import pytest

from penstock import datasets
from penstock.engine.errors import PenstockError
from penstock.readers.listing.listing import list_files

SETS = json.loads((Path(__file__).parent / "foreign/sets.json").read_text())
REFUSED = {
    "array_records": "is an ArrayRecord file",
    "deep_lake": "is a Deep Lake data set",
    "delta": "is a Delta Lake table, whose log",
    "dicom": "is a DICOM file",
    "energon": "is an Energon data set",
    "git_lfs": "is a pointer of Git LFS .* `git lfs pull`",
    "hdf5": "is an HDF5 file",
    "hdf5_in_class_folders": "such as an HDF5 file",
    "hf_configurations": "holds the configurations en, fr, which are not one data set",
    "hf_dataset_dict": r"holds the splits test \(1 file.*\), train \(1 file",
    "hf_image_folder": "is a folder of splits",
    "hf_repository": r"holds the splits test \(1 file.*\), train \(1 file",
    "iceberg": "is an Iceberg table",
    "lance": "is a Lance data set",
    "lance_database": "is a database of Lance tables",
    "litdata_chunks": "is a LitData data set",
    "mds_splits": "its folder 'train' is an MDS data set",
    "netcdf_3": "is a NetCDF file",
    "netcdf_4": "is an HDF5 file|is a NetCDF file",
    "nifti": "such as a NIfTI file",
    "shar": "as Shar has them, but found wav",
    "tiledb_array": "is a TileDB array",
    "tiledb_group": "is a TileDB array or group",
    "vortex": "is a Vortex file",
    "zarr_2": "is a Zarr store",
    "zarr_3": "is a Zarr store",
    "zarr_zip": "is a Zarr store",
}
READ = {"hf_save_to_disk": ("arrow", 4), "mds": ("mds", 3), "parquet_files": ("parquet", 4)}


def content(described):
    if isinstance(described, str):
        return described.encode()
    kept = base64.b64decode(described["base64"])
    return kept.ljust(min(described["bytes"], 4096), b"\0")


def put_in_folder(files, request):
    root = request.getfixturevalue("tmp_path") / "set"
    for name, described in files.items():
        path = root / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content(described))
    return str(root), {}


def put_on_web(files, request):
    web = request.getfixturevalue("web")
    for name, described in files.items():
        if not name.endswith("/"):
            web.objects[f"set/{name}"] = content(described)
    return f"{web.url}/set/", {}


def put_on_s3(files, request):
    s3, prefix = request.getfixturevalue("s3"), request.node.name
    for name, described in files.items():
        if not name.endswith("/"):
            s3.put(f"{prefix}/{name}".replace("[", "-").replace("]", ""), content(described))
    return f"s3://bucket/{prefix}".replace("[", "-").replace("]", ""), s3.options


def test_every_set_is_looked_at():
    assert SETS.keys() == REFUSED.keys() | READ.keys()
    assert len(SETS) >= 30
    assert all(re.fullmatch(r".+ [\d.post]+", made["made_by"]) for made in SETS.values())


@pytest.mark.filterwarnings("ignore:.*left out are", "ignore:.*ends without the blocks of zeros")
@pytest.mark.parametrize("put", [put_in_folder, put_on_web, put_on_s3])
@pytest.mark.parametrize("name", SETS)
def test_no_set_becomes_classes(request, tmp_path, name, put):
    root, options = put(SETS[name]["files"], request)
    if name in READ:
        report = datasets.inspect(root, storage_options=options)
        assert (report.format, report.samples, report.bad) == (*READ[name], [])
    else:
        with pytest.raises(PenstockError, match=REFUSED[name]):
            datasets.open_dataset(root, storage_options=options)
        with pytest.raises(PenstockError, match=REFUSED[name]):
            datasets.convert(root, tmp_path / "out", to="webdataset", storage_options=options)
        assert not (tmp_path / "out").exists()
    if name not in ("git_lfs",):  # the decoder says that its files are no images
        with pytest.raises(PenstockError):
            list_files(file_root=root, storage_options=options)
