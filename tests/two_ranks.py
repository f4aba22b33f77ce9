"""Programs that torchrun starts on two ranks."""

from __future__ import annotations

import os
import subprocess
import sys

# On a busy machine PyTorch sometimes aborts while the interpreter of a rank ends ("terminate called
# without an active exception": 4 of 61 runs of a program with DistributedDataParallel and gloo,
# and nothing else). So ranks end without that.
WITHOUT_END = """
import os, runpy, sys

sys.argv = sys.argv[1:]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
sys.stdout.flush()
sys.stderr.flush()
os._exit(0)
"""


def run_on_two_ranks(folder, *command):
    """Run a program in a folder; return the finished process, which did not fail."""
    program = folder / "without_end.py"
    program.write_text(WITHOUT_END)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    result = subprocess.run(
        [sys.executable, *launcher, str(program), *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        timeout=200,
        check=False,
    )
    assert not result.returncode, result.stderr
    return result
