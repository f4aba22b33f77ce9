"""Reading TFRecord files without a pipeline, for tests."""

import numpy as np

from penstock.engine.tensors.memory import SlabPool
from penstock.readers.storage.records import RecordFiles
from penstock.readers.tfrecord.columns import Wanted
from penstock.readers.tfrecord.index import find_frames, open_records
from penstock.readers.tfrecord.reader import TFRecordSource

from .tfrecord_files import write_records


def open_source(paths, features, *, verify=True):
    storages = open_records([str(path) for path in paths])
    files = RecordFiles(storages, [find_frames(storage, verify_data=False) for storage in storages])
    wanted = [Wanted(name, feature) for name, feature in features.items()]
    return TFRecordSource(files, wanted, verify=verify)


def read_all(tmp_path, records, features, **options):
    """Write the records and return what one read of all gives: a dict of columns."""
    path = tmp_path / "data.tfrecord"
    write_records(path, records)
    source = open_source([path], features, **options)
    columns = source.read(np.arange(len(source)), SlabPool().empty)
    names = [name for feature in source._wanted for name in feature.names()]
    return dict(zip(names, columns, strict=True))
