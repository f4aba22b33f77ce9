"""Reads out of mapped files, for tests: sources and pipelines whose process starts at once."""

import numpy as np

from penstock import fn, pipeline_def
from penstock.engine.processes import helper_processes
from penstock.engine.tensors.memory import SlabPool
from penstock.readers.npy import mapped_copies
from penstock.readers.npy.mapped_copies import MappedCopies
from penstock.readers.npy.region import RegionOfInterest, parse_key
from penstock.readers.npy.source import NumpySource
from penstock.readers.process.reading_process import ReadingProcess

from .npy_files import arrays_of
from .processes import assert_soon

RANDOM = np.random.default_rng(3)
TRUSTED = 70  # reads of one part, after which its file's pages are not looked for any more


def be_eager(setattr=setattr):
    """Let whatever is read be worth the process, which is started after the first batch."""
    setattr(helper_processes, "WORTH_STARTING_SECONDS", 0)
    for name in ("MIN_REGION_COST", "MIN_LONG_RUNS_BYTES"):
        setattr(mapped_copies, name, 0)


class Reading:
    """Reads of a source into shared memory."""

    def __init__(self, mapped, pool):
        self.mapped, self.pool = mapped, pool

    def use(self, files, roi=None, **options):
        key = None if roi is None else parse_key(roi)
        policy = options.pop("policy", "error")
        member_filter = options.pop("member_filter", "*.npy")
        found = arrays_of(member_filter, files=[str(file) for file in files])
        self.source = NumpySource(found, RegionOfInterest(key=key, policy=policy), **options)
        self.source.use_maps(self.mapped)
        return self

    def read(self):
        (column,) = self.source.read(np.arange(len(self.source)), self.pool.empty)
        return column

    def all_mapped(self):
        """Read all samples, out of maps alone."""
        before = self.mapped.nbytes
        found = self.read()
        assert self.mapped.nbytes - before == sum(row.nbytes for row in found)
        return found

    def started(self):
        """Read until the process is there and has mapped the files."""
        before = self.mapped.nbytes
        assert_soon(lambda: self.read() is not None and self.mapped.nbytes > before)
        return self

    def close(self):
        self.source.close()
        self.pool.close()


def new_reading():
    pool = SlabPool(shared=True)
    return Reading(MappedCopies(ReadingProcess(pool.arena, 2)), pool)


def save_all(folder, arrays):
    paths = [folder / f"{i}.npy" for i in range(len(arrays))]
    for path, array in zip(paths, arrays, strict=True):
        np.save(path, array)
    return paths


def volumes(count=4, dtype="f4"):
    return [RANDOM.random((12, 40, 50)).astype(dtype) for _ in range(count)]


def pipe_of(paths, batch_size=4, num_threads=2, **options):
    @pipeline_def(batch_size=batch_size, num_threads=num_threads, **options)
    def regions():
        return fn.readers.numpy(files=[str(path) for path in paths], roi="[1:, 1:]")

    return regions()


def large(folder, count=4):
    """Return files that are large enough for a pipeline to share its memory."""
    arrays = [RANDOM.random((30, 100, 100)) for _ in range(count)]
    return arrays, save_all(folder, arrays)


def mapped_bytes(pipe):
    (reader,) = pipe.stats().operators
    return "copied out of mapped files" in reader.remark


def run_until_mapped(pipe):
    assert_soon(lambda: pipe.run() and mapped_bytes(pipe))
