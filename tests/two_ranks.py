"""Programs that run on two ranks: those of torchrun, or forks of one process."""

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

# The variables are those of torchrun, and so is the store, which the first process holds. It opens
# the store after the forks, because they would not have its thread.
FORKS = """
import ctypes, os, sys
from importlib import import_module
from torch.distributed import TCPStore

for name in sys.argv.pop(1).split(","):
    import_module(name)
port, told = os.pipe()
ranks = []
for rank in "01":
    ranks.append(os.fork())
    if not ranks[-1]:
        ctypes.CDLL(None).prctl(1, 9)  # it ends with the first process
        os.environ |= {"RANK": rank, "LOCAL_RANK": rank, "MASTER_PORT": os.read(port, 5).decode()}
        exec(sys.argv.pop(1))
store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
os.write(told, 2 * f"{store.port:05}".encode())
for _ in ranks:
    if os.wait()[1]:
        os.killpg(0, 9)
"""
VARIABLES = {
    "MASTER_ADDR": "127.0.0.1",
    "WORLD_SIZE": "2",
    "LOCAL_WORLD_SIZE": "2",
    "TORCHELASTIC_RUN_ID": "forks",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}


def run_on_two_ranks(folder, *command, imports=""):
    """Run a program in a folder; return the finished process, which did not fail.

    With `imports`, names of modules separated by commas, the ranks are forks of a process that has
    imported them once, and PyTorch. Else torchrun starts them.
    """
    program = folder / "without_end.py"
    program.write_text(WITHOUT_END)
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    launcher = ["-c", FORKS, imports, WITHOUT_END] if imports else [*launcher, str(program)]
    result = subprocess.run(
        [sys.executable, *launcher, *command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ
        | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        | (VARIABLES if imports else {}),
        process_group=0,
        timeout=200,
        check=False,
    )
    assert not result.returncode, result.stderr
    return result
