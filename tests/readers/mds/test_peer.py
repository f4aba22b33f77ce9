"""Data sets of every encoding and compression, written and read by streaming at this moment."""

import json
from pathlib import Path

import numpy as np
import pytest

from penstock.formats.decompression import ZSTD
from penstock.readers.mds.source import open_mds

from ... import peers
from . import sets

MAKE = Path(__file__).parent / "written" / "make.py"
RANDOM = """
import runpy, sys
import numpy as np
make = runpy.run_path(sys.argv[1])
chance = np.random.default_rng(int(sys.argv[2]))
types = (*make["NUMBERS"], *make["REALS"])
def row(number):
    array = chance.integers(0, 100, chance.integers(1, 5, 3)).astype(chance.choice(types))
    return {
        "text": ("str", "x" * int(chance.integers(0, 3000))), "n": ("int", number),
        "free": ("ndarray", array.astype("int16")), "raw": ("bytes", chance.bytes(number % 7)),
        "typed": ("ndarray:float32", chance.random(int(chance.integers(1, 70000)), np.float32)),
    }
from pathlib import Path
root = Path(sys.argv[3])
make["write"](root, row, 60, size_limit=1 << 20, compression=sys.argv[4] or None)
print("SAMPLES", __import__("json").dumps(make["read"](root)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["", "zstd:3", "gz:1", "bz2"])
def test_random_samples(tmp_path, compression):
    if compression.startswith("zstd"):
        pytest.importorskip(ZSTD)
    printed = peers.run("mds", RANDOM, MAKE, len(compression), tmp_path / "set", compression)
    (line,) = [line for line in printed.splitlines() if line.startswith("SAMPLES ")]
    told = json.loads(line.removeprefix("SAMPLES "))
    names = ["text", "n", "free", "raw", "typed"]
    source = open_mds([str(tmp_path / "set")], names, cache_bytes=1 << 20)
    assert len(source) == len(told) == 60
    assert len(source.shards) > 3
    indices = np.random.default_rng(1).permutation(60)
    for name, column in zip(names, source.read(indices, np.empty), strict=True):
        for index, row in zip(indices.tolist(), column, strict=True):
            wanted = sets.value_of(told[index][name])
            if name == "text":
                assert bytes(row).decode() == wanted
            elif name == "raw":
                assert bytes(row) == sets.decoded(wanted)
            else:
                np.testing.assert_array_equal(row, wanted)
