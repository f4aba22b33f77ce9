"""The rank of this process among those of the run, and the shard that it reads by default.

Launchers say both numbers in the environment, frameworks by functions. The first that answers
counts, and an inner launcher comes before the outer one that has started it:

1. a process group of `torch.distributed` that is initialized;
2. RANK and WORLD_SIZE, which torchrun sets;
3. PADDLE_TRAINER_ID and PADDLE_TRAINERS_NUM, which `paddle.distributed.launch` sets;
4. `jax.distributed`, once it is initialized;
5. OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE (mpirun of Open MPI);
6. PMI_RANK and PMI_SIZE (MPICH, Intel MPI);
7. SLURM_PROCID and the number of tasks of a step that `srun` has started.

No framework is imported: a program that uses one has imported it.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from ..errors import ArgumentError

# Shells in an allocation, in which users try programs: these are no tasks of a run.
_INTERACTIVE_JOBS = ("bash", "interactive")

# SLURM numbers the steps from 0. The highest numbers stand for steps that srun has not started,
# such as the batch script and the shell of salloc (SLURM_BATCH_SCRIPT, SLURM_INTERACTIVE_STEP).
_FIRST_SPECIAL_STEP = 0xFFFFFFF0

_said: set[str] = set()  # what `say_once` has said


class Ranks(NamedTuple):
    """The place of this process in the run.

    Attributes:
        rank: number of this process.
        world: number of processes.
        origin: who says so, for messages.
    """

    rank: int
    world: int
    origin: str

    def __str__(self) -> str:
        return f"rank {self.rank} of {self.world} ({self.origin})"


ALONE = Ranks(0, 1, "nothing says that there are other processes")


def found_ranks() -> Ranks:
    """Return the place of this process in the run: `ALONE` if there are no other processes.

    Raises:
        ArgumentError: variables of the environment contradict each other.
    """
    return next(filter(None, (find() for find in _FINDERS)), ALONE)


def shard_of_process(called: str, shard_id: int | None, num_shards: int | None) -> tuple[int, int]:
    """Return the shard that a reader reads, and the number of shards.

    If an argument is missing, the number of this process is taken, and a line is logged.

    Args:
        called: the reader in messages.
        shard_id, num_shards: as the user gave them; None if not given.

    Raises:
        ArgumentError: one of the two is given, and it does not fit to the ranks of the run.
    """
    if num_shards == 1 or None not in (shard_id, num_shards):
        return shard_id or 0, num_shards or 1
    found = found_ranks()
    if found.world == 1:
        return shard_id or 0, num_shards or 1
    for name, given, own, missing in (
        ("shard_id", shard_id, found.rank, "num_shards"),
        ("num_shards", num_shards, found.world, "shard_id"),
    ):
        if given not in (None, own):
            raise ArgumentError(
                f"{called}: {name}={given} is given without {missing}, and this process is "
                f"{found}. Give both arguments; or neither, to read shard {found.rank} of "
                f"{found.world}; or num_shards=1, to read all of the data"
            )
    say_once(f"{called}: shard {found.rank} of {found.world}, from {found.origin}")
    return found.rank, found.world


def say_once(line: str) -> None:
    """Log a line to the logger "penstock", unless it was logged before.

    A program that does not configure logging shows the line on stderr.
    """
    if line not in _said:
        _said.add(line)
        import logging  # takes 5 ms

        logging.getLogger("penstock").warning(line)


def _of_torch() -> Ranks | None:
    module: ModuleType | None = sys.modules.get("torch.distributed")
    if module is None or not module.is_available() or not module.is_initialized():
        return None
    return _checked(module.get_rank(), module.get_world_size(), "torch.distributed")


def _of_jax() -> Ranks | None:
    # jax.process_index() would start the devices, and wait for all processes to start theirs.
    module: object = sys.modules.get("jax._src.distributed")
    state: Any = getattr(module, "global_state", None)
    if getattr(state, "client", None) is None:
        return None
    return _checked(state.process_id, state.num_processes, "jax.distributed")


def _of_slurm() -> Ranks | None:
    """Return the ranks of a step of srun; not those of a shell in an allocation of many tasks."""
    step = os.environ.get("SLURM_STEP_ID", "")
    is_step = step.isdecimal() and int(step) < _FIRST_SPECIAL_STEP
    if not is_step or os.environ.get("SLURM_JOB_NAME") in _INTERACTIVE_JOBS:
        return None
    of_step = "SLURM_STEP_NUM_TASKS"  # SLURM_NTASKS may be of the job, which has more tasks
    return _of_variables("SLURM_PROCID", of_step if os.environ.get(of_step) else "SLURM_NTASKS")


def _of_variables(rank_name: str, world_name: str) -> Ranks | None:
    rank, world = (os.environ.get(name, "").strip() for name in (rank_name, world_name))
    if not rank or not world:
        return None
    origin = f"{rank_name} and {world_name}"
    try:
        return _checked(int(rank), int(world), origin)
    except ValueError:
        raise ArgumentError(
            f"the variables {rank_name}={rank!r} and {world_name}={world!r} must be whole numbers: "
            "correct or unset these, or give the readers shard_id and num_shards"
        ) from None


_FINDERS = (
    _of_torch,
    partial(_of_variables, "RANK", "WORLD_SIZE"),  # of torchrun
    partial(_of_variables, "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM"),
    _of_jax,
    partial(_of_variables, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    partial(_of_variables, "PMI_RANK", "PMI_SIZE"),
    _of_slurm,
)


def _checked(rank: int, world: int, origin: str) -> Ranks:
    if not 0 <= rank < world:
        raise ArgumentError(
            f"{origin} say that this process is rank {rank} of {world}, but ranks are 0 to the "
            "number of ranks - 1: correct the launcher, or give the readers shard_id and num_shards"
        )
    return Ranks(rank, world, origin)
