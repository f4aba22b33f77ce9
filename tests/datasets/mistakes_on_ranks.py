"""What torchrun starts for test_mistakes.py: every rank reads the first shard of each data set."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from torch import distributed

from penstock.tests.datasets.small_sets import FORMATS, read_an_epoch, told


def main():
    """Print, once, what the readers say."""
    root = Path(sys.argv[1])
    distributed.init_process_group("gloo")
    texts = {
        name: told(lambda name=name: read_an_epoch((name, root / name), shard_id=0, num_shards=2))
        for name in FORMATS
    }
    if distributed.get_rank() == 0:
        print(json.dumps(texts))
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
