"""The rank of a process that has initialized `jax.distributed`."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from penstock.tests.checkout import SOURCES

pytest.importorskip("jax", reason="the rank is that of JAX")

PROGRAM = """
import sys
import jax
from penstock.engine.ranks.discovery import found_ranks

before = found_ranks()
rank, port = map(int, sys.argv[1:])
jax.distributed.initialize(f"127.0.0.1:{port}", 2, rank)
print(before.world, *found_ranks())
jax.distributed.shutdown()
"""


def test_two_processes_find_their_ranks():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    paths = [str(SOURCES), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "JAX_PLATFORMS": "cpu"}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(rank), str(port)],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        printed = [process.communicate(timeout=60)[0].strip() for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert printed == [f"1 {rank} 2 jax.distributed" for rank in range(2)]
