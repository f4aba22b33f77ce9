"""Global arrays of two processes, each with two devices of the CPU."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest

from penstock.tests.checkout import SOURCES

pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

PROGRAM = """
import json, sys
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from penstock import fn
from penstock.plugin.jax import data_iterator

rank, port = map(int, sys.argv[1:])
jax.distributed.initialize(f"127.0.0.1:{port}", 2, rank)
mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("host", "chip"))
rows = NamedSharding(mesh, P(("host", "chip")))
hosts = NamedSharding(mesh, P("host"))

@data_iterator(output_map=["x", "y"], reader_name="r", sharding={"x": rows, "y": hosts})
def numbers(shard_id, num_shards):
    _, labels = fn.readers.file(
        files=[__file__] * 16, labels=list(range(16)), name="r",
        shard_id=shard_id, num_shards=num_shards,
    )
    return labels, labels * 2

total = jax.jit(lambda x, y: (x.sum(), y.sum()))
found = []
for batch in numbers(batch_size=8):
    own = [np.asarray(shard.data).ravel().tolist() for shard in batch["x"].addressable_shards]
    both = [int(value) for value in total(batch["x"], batch["y"])]
    found.append([batch["x"].shape, batch["y"].shape, own, both])
print("found", json.dumps(found))
jax.distributed.shutdown()
"""


def test_each_process_has_its_rows(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    paths = [str(SOURCES), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
        "JAX_PLATFORMS": "cpu",
    }
    processes = [
        subprocess.Popen(
            [sys.executable, str(program), str(rank), str(port)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        said = [process.communicate(timeout=120) for process in processes]
    finally:
        for process in processes:
            process.kill()
    found = []
    for out, error in said:
        lines = [line for line in out.splitlines() if line.startswith("found ")]
        assert lines, error
        found.append(json.loads(lines[0].removeprefix("found ")))
    first, second = found
    assert first == [
        [[8, 1], [8, 1], [[0, 1], [4, 5]], [52, 104]],
        [[8, 1], [8, 1], [[2, 3], [6, 7]], [68, 136]],
    ]
    assert [step[2] for step in second] == [[[8, 9], [12, 13]], [[10, 11], [14, 15]]]
