"""Files that tests read."""

import numpy as np


def random_files(folder, sizes):
    """Write files of so many random bytes, named 000.bin and so on; return their paths."""
    random = np.random.default_rng(1)
    paths = [folder / f"{number:03}.bin" for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(random.bytes(size))
    return paths
