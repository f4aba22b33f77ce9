"""The rank of a process, as launchers and frameworks say it."""

from __future__ import annotations

import logging
import sys
from types import SimpleNamespace

import pytest

from penstock import ArgumentError, Pipeline, fn
from penstock.engine.ranks import discovery
from penstock.engine.ranks.discovery import found_ranks, shard_of_process

from ...interpreters import output_of

VARIABLES = (
    *("RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    *("PMI_RANK", "PMI_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS"),
    *("SLURM_STEP_ID", "SLURM_JOB_NAME", "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM"),
)
TORCHRUN = {"RANK": "1", "WORLD_SIZE": "4"}
PADDLE = {"PADDLE_TRAINER_ID": "5", "PADDLE_TRAINERS_NUM": "8"}
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "5"}
PMI = {"PMI_RANK": "3", "PMI_SIZE": "6"}
SLURM = {
    "SLURM_PROCID": "4",
    "SLURM_NTASKS": "7",
    "SLURM_STEP_ID": "0",
    "SLURM_JOB_NAME": "train",
}


@pytest.fixture
def environment(monkeypatch):
    """Sets the variables of a launcher, and no others; forgets the lines that were logged."""
    monkeypatch.setattr(discovery, "_said", set())

    def set_to(variables):
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    set_to({})
    return set_to


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, (0, 1)),
        (TORCHRUN, (1, 4)),
        (OPEN_MPI, (2, 5)),
        (PMI, (3, 6)),
        (SLURM, (4, 7)),
        (PADDLE, (5, 8)),
        (SLURM | PMI | OPEN_MPI | PADDLE | TORCHRUN, (1, 4)),
        (SLURM | PMI | OPEN_MPI | PADDLE, (5, 8)),
        (SLURM | PMI | OPEN_MPI, (2, 5)),
        (SLURM | PMI, (3, 6)),
        ({"RANK": "1"}, (0, 1)),
        ({"RANK": "", "WORLD_SIZE": ""}, (0, 1)),
        ({"RANK": "0", "WORLD_SIZE": "1"} | SLURM, (0, 1)),  # one process of torchrun in each task
    ],
)
def test_launchers(environment, variables, expected):
    environment(variables)
    assert found_ranks()[:2] == expected


@pytest.mark.parametrize(
    "changed",
    [
        {"SLURM_STEP_ID": ""},  # the script of sbatch, and the shell of an older salloc
        {"SLURM_STEP_ID": "4294967290"},  # the shell of salloc
        {"SLURM_STEP_ID": "4294967291"},  # the script of sbatch
        {"SLURM_JOB_NAME": "bash"},
        {"SLURM_JOB_NAME": "interactive"},
        {"SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},  # one task in a job of many
    ],
)
def test_a_shell_in_an_allocation_is_no_rank(environment, changed):
    environment(SLURM | changed)
    assert found_ranks()[:2] == (0, 1)


@pytest.mark.parametrize("rank", ["4", "-1", "one", "1.0"])
def test_contradictions_are_refused(environment, rank):
    environment({"RANK": rank, "WORLD_SIZE": "4"})
    with pytest.raises(ArgumentError, match=r"RANK.* shard_id and num_shards"):
        found_ranks()


def test_jax_is_asked_if_it_is_distributed(environment, monkeypatch):
    state = SimpleNamespace(client=None, process_id=0, num_processes=None)
    module = SimpleNamespace(global_state=state)
    monkeypatch.setitem(sys.modules, "jax._src.distributed", module)
    assert found_ranks()[:2] == (0, 1)
    state.client, state.process_id, state.num_processes = object(), 2, 3
    assert found_ranks() == (2, 3, "jax.distributed")
    environment(TORCHRUN)
    assert found_ranks()[:2] == (1, 4)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((None, None), (1, 4)),
        ((0, 1), (0, 1)),
        ((2, 3), (2, 3)),
        ((None, 1), (0, 1)),
        ((None, 4), (1, 4)),
        ((1, None), (1, 4)),
    ],
)
def test_given_numbers_win(environment, given, expected):
    environment(TORCHRUN)
    assert shard_of_process("readers.file", *given) == expected


@pytest.mark.parametrize("given", [(0, None), (2, None), (None, 2), (None, 8)])
def test_one_number_of_another_division_is_refused(environment, given):
    environment(TORCHRUN)
    with pytest.raises(ArgumentError, match=r"readers.file: .* rank 1 of 4 \(RANK and WORLD_SIZE"):
        shard_of_process("readers.file", *given)


@pytest.mark.parametrize(
    ("given", "expected"), [((None, 3), (0, 3)), ((0, None), (0, 1)), ((None, None), (0, 1))]
)
def test_without_ranks_the_defaults_are_those_of_dali(environment, caplog, given, expected):
    assert shard_of_process("readers.file", *given) == expected
    assert not caplog.records


@pytest.fixture
def numbered(tmp_path):
    for i in range(8):
        (tmp_path / f"{i}.bin").write_bytes(bytes([i]))
    return [str(tmp_path / f"{i}.bin") for i in range(8)]


def labels(files, **shard):
    pipe = Pipeline(2, 1)
    with pipe:
        pipe.set_outputs(fn.readers.file(files=files, name="files", **shard)[1])
    with pipe:
        return pipe.run()[0].as_array().ravel().tolist(), pipe.reader_meta("files")


def test_readers_read_the_shard_of_the_rank_and_say_so_once(environment, numbered, caplog):
    environment(TORCHRUN)
    with caplog.at_level(logging.INFO, "penstock"):
        for _ in range(2):
            read, meta = labels(numbered)
            assert read == [2, 3]
            assert (meta["shard_id"], meta["number_of_shards"]) == (1, 4)
    assert caplog.messages == ["readers.file: shard 1 of 4, from RANK and WORLD_SIZE"]
    assert labels(numbered, shard_id=0, num_shards=1)[0] == [0, 1]
    assert labels(numbered, shard_id=3, num_shards=4)[0] == [6, 7]
    assert len(caplog.messages) == 1


def test_a_stored_pipeline_reads_the_shard_of_the_process_that_loads_it(environment, numbered):
    environment(TORCHRUN)
    pipe = Pipeline(2, 1)
    with pipe:
        pipe.set_outputs(fn.readers.file(files=numbered)[1])
    stored = pipe.serialize()
    environment(TORCHRUN | {"RANK": "3"})
    with Pipeline.deserialize(stored) as loaded:
        assert loaded.run()[0].as_array().ravel().tolist() == [6, 7]


def test_nothing_is_imported_to_find_ranks():
    program = """
import sys
from penstock.engine.ranks.discovery import found_ranks
found_ranks()
print([name for name in ("torch", "jax", "logging") if name in sys.modules])
"""
    assert output_of(program).strip() == "[]"
