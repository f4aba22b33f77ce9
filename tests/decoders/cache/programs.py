"""Processes that use a cache beside the test, and obey by lines of text."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager

from penstock.tests.checkout import SOURCES

BEGIN = """
import hashlib, os, sys
import numpy as np
from penstock.decoders.cache import shared_cache
from penstock.decoders.cache.places import Place, close_cache, open_cache

UINT8 = np.dtype(np.uint8)
def key(i): return hashlib.sha256(b"%d" % i).digest()[:16]
def pixels(i): return np.random.default_rng(i).integers(0, 256, (20 + i, 30, 3)).astype(np.uint8)
def told(text): print(text, flush=True)
"""

STORES = """
cache = open_cache({place!r})
cache.store(key({number}), pixels({number}))
told("stored")
sys.stdin.readline()
close_cache({place!r})
"""
"""A program that stores an array, and keeps the cache open until it goes on."""


class Process:
    """A running program: `wait_for` a line that it prints, `go_on`, `kill`."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", BEGIN + program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(SOURCES), "PATH": ""},
        )

    def wait_for(self, line):
        assert self.process.stdout.readline().strip() == line

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.go_on()
        assert self.process.wait() == 0


@contextmanager
def running(program: str):
    """Run a program; kill it if it still runs in the end."""
    process = Process(program)
    try:
        yield process
    finally:
        process.kill()
        process.process.stdin.close()
        process.process.stdout.close()
