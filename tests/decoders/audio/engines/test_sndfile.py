"""libsndfile through memory files: threads, forks, and a library that is missing."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from penstock.decoders.audio.engines import sndfile
from penstock.decoders.audio.engines.sndfile import SndfileStream, library
from penstock.engine.errors import MissingDependencyError

from ....sounds import file_of, speech_like

FILES = [file_of(speech_like(0.1 + 0.02 * i, seed=i), 16000, "FLAC") for i in range(8)]


def samples(data, start=0):
    with SndfileStream("FLAC", data) as stream:
        out = np.empty((stream.header.frames - start, 1), np.float32)
        stream.read(start, out)
        return out


def test_threads_decode_into_memory_of_their_own():
    wanted = [samples(data) for data in FILES]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(samples, FILES * 5))
    for number, signal in enumerate(found):
        np.testing.assert_array_equal(signal, wanted[number % 8])


def test_large_files_are_not_kept(monkeypatch):
    wanted = samples(FILES[0])
    kept = sndfile._THREAD.file
    monkeypatch.setattr(sndfile, "_KEPT_BYTES", 10)
    np.testing.assert_array_equal(samples(FILES[0]), wanted)
    assert not hasattr(sndfile._THREAD, "file")
    descriptor = kept.descriptor
    del kept
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_streams_that_are_open_together_do_not_disturb_one_another():
    with SndfileStream("FLAC", FILES[0]) as one, SndfileStream("FLAC", FILES[1]) as other:
        for stream, data in ((one, FILES[0]), (other, FILES[1])):
            out = np.empty((stream.header.frames, 1), np.float32)
            stream.read(0, out)
            np.testing.assert_array_equal(out, samples(data))


def test_a_child_of_a_fork_has_a_file_of_its_own(monkeypatch):
    samples(FILES[0])
    kept = sndfile._THREAD.file
    monkeypatch.setattr(kept, "process", -1)
    samples(FILES[1])
    assert sndfile._THREAD.file is not kept


def test_systems_without_memory_files_read_through_python(monkeypatch):
    wanted = samples(FILES[2])
    monkeypatch.delattr(os, "memfd_create")
    np.testing.assert_array_equal(samples(FILES[2]), wanted)


def test_reads_may_jump():
    whole = samples(FILES[3])
    with SndfileStream("FLAC", FILES[3]) as stream:
        for start, count in ((700, 50), (750, 10), (3, 20), (3, 20)):
            out = np.empty((count, 1), np.float32)
            stream.read(start, out)
            np.testing.assert_array_equal(out, whole[start : start + count])


def test_a_missing_library_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "soundfile", None)
    with pytest.raises(MissingDependencyError, match=r"needs soundfile.*pip install '.*\[audio\]'"):
        library()
