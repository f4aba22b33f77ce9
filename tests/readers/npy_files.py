"""Files of arrays, and sources that read them, for tests."""

import io

import numpy as np

from penstock.readers.listing.listing import list_plain_files
from penstock.readers.npy.array_list import list_arrays
from penstock.readers.npy.region import RegionOfInterest, parse_key
from penstock.readers.npy.source import NumpySource


def saved(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), version=version)
    return stream.getvalue()


def arrays_of(member_filter="*.npy", file_filter="*.npy", **arguments):
    listing = list_plain_files("fn.readers.numpy", file_filter=file_filter, **arguments)
    return list_arrays(listing, member_filter)


def source_of(files, roi=None, member_filter="*.npy", **options):
    key = None if roi is None else parse_key(roi)
    policy = options.pop("policy", "error")
    found = arrays_of(member_filter, files=[str(f) for f in files])
    return NumpySource(found, RegionOfInterest(key=key, policy=policy), **options)


def read(source, indices=None):
    (column,) = source.read(np.arange(len(source)) if indices is None else indices, np.empty)
    return column


def save_all(folder, arrays):
    paths = [folder / f"{i}.npy" for i in range(len(arrays))]
    for path, array in zip(paths, arrays, strict=True):
        path.write_bytes(saved(array))
    return paths


RANDOM = np.random.default_rng(1)
