"""Arenas: one range of addresses, the same in every process that maps it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

from penstock.engine.tensors import arena as module
from penstock.engine.tensors.arena import Arena, beyond_standard_streams
from penstock.tests.checkout import SOURCES


def rows_in(arena, shape, dtype):
    return arena.array((arena.reserve(int(np.prod(shape)) * 8), shape, dtype))


def test_an_arena_is_the_same_in_another_mapping():
    arena = Arena()
    rows = rows_in(arena, (4, 4096), "<f4")
    other = Arena(os.dup(arena.descriptor))
    slot = arena.slot_of(rows[1:3])
    assert slot[1:] == ((2, 4096), "<f4")
    rows[2] = 7
    seen = other.array(slot)
    assert (seen[1] == 7).all()
    seen[0] = 5
    assert (rows[1] == 5).all()
    assert other.slot_of(seen) == slot


def test_arrays_elsewhere_have_no_slot():
    arena = Arena(shared=False)
    assert arena.slot_of(np.zeros(4)) is None
    assert arena.offset(np.zeros(4)) is None
    rows = rows_in(arena, (4, 8), "u1")
    assert arena.slot_of(rows[1]) is not None
    assert arena.slot_of(rows[:, 1]) is None
    assert arena.slot_of(rows[1].view([("a", "u1")])) is None


@pytest.mark.parametrize("shared", [True, False])
def test_discarded_pages_read_as_zeros(shared):
    arena = Arena(shared=shared)
    rows = rows_in(arena, (4096,), "u1")
    rows[:] = 7
    arena.discard(arena.offset(rows), 4096)
    assert not rows.any()


def test_a_full_arena_says_so(tuned):
    tuned(module, MAX_ARENA_BYTES=1 << 16, MIN_ARENA_BYTES=1 << 12)
    arena = Arena(shared=False)
    assert [arena.reserve(1 << 15), arena.reserve(1)] == [0, 1 << 15]
    with pytest.raises(MemoryError, match="the 65536 bytes of a pipeline's arena are used up"):
        arena.reserve(1 << 15)
    assert arena.reserve(4096) == (1 << 15) + 4096


def test_an_arena_that_fits_nowhere_names_the_limits(tuned):
    tuned(module, MAX_ARENA_BYTES=1 << 62, MIN_ARENA_BYTES=1 << 61)
    with pytest.raises(OSError, match="left for the memory of a pipeline's batches") as caught:
        Arena(shared=False)
    assert caught.value.errno == errno.ENOMEM


def limited(limit, value, program):
    """Run a program under a limit; return its output."""
    prelude = f"import resource; resource.setrlimit(resource.{limit}, ({value}, {value}))\n"
    prelude += "from penstock.engine.tensors.arena import Arena\n"
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", prelude + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_under_a_limit_of_addresses_arenas_leave_room_for_others():
    program = (
        "arenas = [Arena(shared=False) for _ in range(3)]; print(*(len(a.map) for a in arenas))"
    )
    sizes = [int(size) for size in limited("RLIMIT_AS", 4 << 30, program).split()]
    assert sum(sizes) < 3 << 30
    assert all(128 << 20 <= size <= 1 << 30 for size in sizes)


def test_many_arenas_leave_addresses_for_others():
    program = """
import mmap
arenas = [Arena(shared=False)]
while len(arenas[-1].map) == 1 << 40:  # a process has 128 TiB on x86-64, and 256 on ARM
    arenas.append(Arena(shared=False))
arenas += [Arena(shared=False) for _ in range(24)]
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
print(len(mmap.mmap(-1, 4 << 30, flags)), min(len(arena.map) for arena in arenas) < 1 << 40)
"""
    assert limited("RLIMIT_CORE", 0, program) == f"{4 << 30} True\n"


def test_a_limit_of_file_sizes_is_named():
    program = """
try:
    Arena()
except OSError as error:
    print(error)
print(len(Arena(shared=False).map) == 1 << 40)
"""
    output = limited("RLIMIT_FSIZE", 1 << 20, program)
    assert "file sizes (`ulimit -f`): 1048576 bytes" in output
    assert output.endswith("True\n")


def test_files_do_not_replace_standard_streams():
    read, write = os.pipe()
    kept = beyond_standard_streams(read)
    assert kept == read > 2
    program = """
import os, sys
os.close(0)
arena = Arena()
print(arena.descriptor > 2)
"""
    assert limited("RLIMIT_CORE", 0, program) == "True\n"
    os.close(read)
    os.close(write)


def test_closed_pipelines_that_wait_for_a_collection_leave_room():
    arenas = """
import gc
from penstock.engine.tensors.arena import Arena
gc.disable()
for number in range(160):  # of 1 TiB each, where a process has 128
    arena = Arena(shared=False)
    arena.itself = arena
print("made", number + 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", arenas], capture_output=True, text=True, timeout=100, check=True
    )
    assert done.stdout == "made 160\n"
