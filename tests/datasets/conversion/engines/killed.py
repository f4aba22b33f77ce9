"""Converts in processes, and is killed once so many shards are whole.

python killed.py SOURCE DESTINATION SHARDS
"""

import os
import signal
import sys

from penstock import datasets
from penstock.datasets.conversion.engines import processes

processes.MAX_THREADS = processes.MIN_SAMPLES = 0


def kill(progress):
    if progress.shards >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)


datasets.convert(
    *sys.argv[1:3], to="tfrecord", shard_count=5, workers=2, resume=True, progress=kill
)
