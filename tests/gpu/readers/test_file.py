"""Files that processes read for a pipeline that uses the GPU."""

import time

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.processes import helper_processes
from penstock.readers.reading import processes as reading_processes


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(1)
    (tmp_path / "files").mkdir()
    for number in range(200):
        (tmp_path / "files" / f"{number}.bin").write_bytes(random.bytes(30_000 + 300 * number))
    return tmp_path


@pytest.mark.parametrize("options", [{}, {"prefetch_queue_depth": 2}])
@pytest.mark.parametrize(
    ("processes", "count", "remark"),
    [
        (None, 1, "a process of its own reads"),
        (None, 2, "2 processes of its own read"),
        (False, 1, "of its own read"),
    ],
)
def test_files_are_read_by_processes_of_their_own(
    device_stage, folder, tuned, monkeypatch, processes, count, remark, options
):
    monkeypatch.setattr(reading_processes, "processes_of_cores", lambda: count)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)

    @pipeline_def(batch_size=64, num_threads=1, exec_processes=processes)
    def define():
        contents, labels = fn.readers.file(file_root=str(folder), file_filters="*.bin", **options)
        return contents.gpu(), labels

    def run(pipe):
        contents, _ = pipe.run()
        for number, name in enumerate(contents.source_info()):
            with (folder / name).open("rb") as file:
                assert contents.as_cpu().at(number).tobytes() == file.read()
        return remark in str(pipe.stats())

    with define() as pipe:
        deadline = time.monotonic() + (60 if processes is None else 2)
        while not (found := run(pipe)) and time.monotonic() < deadline:
            pass
        assert found == (processes is None)
        assert run(pipe) == found
