"""`fn.readers.numpy(device="gpu")`: what the CPU's reader gives, on the GPU, by either way."""

from __future__ import annotations

import functools
import http.server
import os
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, DecodeError
from penstock.engine.tensors import TensorListCPU, TensorListGPU
from penstock.readers.npy import gds as npy_gds
from penstock.readers.npy import reader as npy
from penstock.readers.reading.carriers import Threads
from penstock.testing.emulator import DeviceArray

pytestmark = pytest.mark.usefixtures("user_cache")


@pytest.fixture
def volumes():
    return [np.random.default_rng(i).random((9, 10, 11)).astype("f4") for i in range(6)]


@pytest.fixture
def paths(tmp_path, volumes):
    return saved(tmp_path, volumes)


def saved(folder, arrays):
    found = [str(folder / f"{i}.npy") for i in range(len(arrays))]
    for path, array in zip(found, arrays, strict=True):
        np.save(path, array)
    return found


def reading(device, size=3, pipeline=None, **arguments):
    @pipeline_def(batch_size=size, num_threads=4, seed=11, **(pipeline or {}))
    def define():
        named = {key: value() if callable(value) else value for key, value in arguments.items()}
        return fn.readers.numpy(device=device, name="arrays", **named)

    return define()


def rows(output):
    return [(row.shape, row.dtype, row.tobytes()) for row in map(np.array, output.as_cpu().rows())]


def check_agreement(count=3, **arguments):
    """Compare batches of both devices."""
    with reading("cpu", **arguments) as cpu, reading("gpu", **arguments) as gpu:
        for _ in range(count):
            (wanted,), (found,) = cpu.run(), gpu.run()
            assert isinstance(wanted, TensorListCPU)
            assert isinstance(found, TensorListGPU)
            assert rows(found) == rows(wanted)
            assert found.source_info() == wanted.source_info()
            assert (found.layout(), found.dtype) == (wanted.layout(), wanted.dtype)
            assert (found.valid is None) == (wanted.valid is None)
            if wanted.valid is not None:
                assert found.valid.tolist() == wanted.valid.tolist()
        assert gpu.checkpoint() == cpu.checkpoint()
        assert gpu.reader_meta("arrays") == cpu.reader_meta("arrays")


def corner(low=0):
    return lambda: fn.random.uniform(range=[low, 5], shape=[3], dtype=types.INT32, seed=7)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"random_shuffle": True, "num_shards": 2, "shard_id": 1, "size": 2},
        {"roi": "[2:5, :, 3]"},
        {"roi": "::2, ..., ::3"},
        {"roi_start": [1, 2], "roi_shape": [3, 4], "roi_axes": [2, 0]},
        {"roi_start": corner(), "roi_shape": [4, 3, 2]},
        {"roi_start": [-2, 5, 0], "roi_shape": [4, 9, 11], "out_of_bounds_policy": "pad"},
        {"roi_start": corner(-4), "roi_shape": [4, 9, 11], "out_of_bounds_policy": "trim_to_shape"},
        {"sample_axis": 1, "random_shuffle": True, "size": 7, "roi": "2:4"},
        {"random_shuffle": True, "shuffle_block": 2, "shuffle_window": 2},
        {"prefetch_queue_depth": 2, "pad_last_batch": True, "size": 4},
        {"use_o_direct": True},
    ],
    ids=lambda arguments: "-".join(arguments),
)
def test_both_devices_agree(device_stage, paths, arguments):
    check_agreement(files=paths, **arguments)


@pytest.mark.parametrize("dtype", ["?", "u1", ">i2", "<u8", "f2", ">f8", "c8", "M8[s]"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_and_orders(device_stage, tmp_path, dtype, order):
    data = np.arange(3 * 4 * 5).reshape(3, 4, 5) % 50
    arrays = [np.array(data + k, order=order).astype(dtype, order=order) for k in range(3)]
    check_agreement(1, files=saved(tmp_path, arrays), roi="1:, :, 2:4")
    check_agreement(1, files=saved(tmp_path, arrays))


def test_shapes_that_differ_and_samples_without_elements(device_stage, tmp_path):
    arrays = [np.ones((n, 3), np.int16) * n for n in (4, 0, 2, 1)]
    check_agreement(2, files=saved(tmp_path, arrays), size=4)
    check_agreement(2, files=saved(tmp_path, [np.float64(1), np.float64(2)]), size=2)
    check_agreement(2, files=saved(tmp_path, [np.ones((0, 3))] * 2), size=2)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_members_of_archives(device_stage, tmp_path, volumes, save):
    for i, volume in enumerate(volumes):
        save(tmp_path / f"{i}.npz", image=volume, label=np.array([i]))
    files = [str(tmp_path / f"{i}.npz") for i in range(6)]
    check_agreement(files=files, member_filter="image.npy", roi="1:4")


def test_files_of_a_server(device_stage, paths):
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    handler = functools.partial(_Quiet, directory=os.path.dirname(paths[0]))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        root = f"http://127.0.0.1:{server.server_port}"
        check_agreement(2, files=[f"{root}/{i}.npy" for i in range(6)])
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class TestBadSamples:
    @pytest.fixture(params=["cut off", "type", "shape"])
    def bad(self, request, paths):
        """Spoil file 1."""
        if request.param == "cut off":
            with open(paths[1], "r+b") as file:
                file.truncate(1000)
        else:
            kind = (9, 10, 11) if request.param == "type" else (2, 10, 11)
            np.save(paths[1], np.ones(kind, "f8" if request.param == "type" else "f4"))
        return paths

    @pytest.mark.parametrize("start", [[1, 2, 0], corner(3)], ids=["all", "each"])
    @pytest.mark.parametrize("policy", ["skip", "replace"])
    def test_are_filled_in(self, device_stage, bad, policy, start):
        options = {"on_error": policy}
        check_agreement(
            4, files=bad, roi_start=start, roi_shape=[3, 3, 6], pipeline=options, size=3
        )

    def test_raise_by_default(self, device_stage, bad):
        wrong = pytest.raises((DecodeError, ArgumentError), match=r"1\.npy")
        with reading("gpu", files=bad, roi="3:6") as pipe, wrong as caught:
            pipe.run()
        assert any("sample 1 of batch 0" in note for note in caught.value.__notes__)


def test_operators_go_on_with_stand_ins(device_stage, paths):
    np.save(paths[1], np.ones((9, 10, 11)))

    @pipeline_def(batch_size=3, num_threads=2, on_error="skip")
    def define():
        return fn.cast(fn.readers.numpy(files=paths, device="gpu"), dtype=types.FLOAT16)

    with define() as pipe:
        for _ in range(3):
            (found,) = pipe.run()
            assert found.is_dense_tensor()
            assert (found.dtype, found.shape()[0]) == (types.FLOAT16, (9, 10, 11))


def test_going_on_from_a_checkpoint(device_stage, paths):
    arguments = {
        "files": paths,
        "random_shuffle": True,
        "roi_start": corner(),
        "roi_shape": [2] * 3,
    }
    with reading("cpu", size=2, **arguments) as pipe:
        pipe.run()
        state = pipe.checkpoint()
        expected = [rows(pipe.run()[0]) for _ in range(4)]
    with reading("gpu", size=2, pipeline={"checkpoint": state}, **arguments) as pipe:
        assert [rows(pipe.run()[0]) for _ in range(4)] == expected


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_large_batches_are_read_ahead(device_stage, tmp_path, device):
    arrays = [np.random.default_rng(i).integers(0, 256, (6, 1 << 20), "u1") for i in range(8)]
    paths = saved(tmp_path, arrays)
    with reading(device, size=4, files=paths, random_shuffle=True) as pipe:
        for _ in range(5):
            (found,) = pipe.run()
            for origin, row in zip(found.source_info(), found.as_cpu().rows(), strict=True):
                np.testing.assert_array_equal(row, arrays[paths.index(origin)])
        carrier = pipe._as_built().plan.readers[0].operator.window.carrier
        assert isinstance(carrier, Threads)
        assert carrier.depth == 3


def test_the_way_taken_is_said(device_stage, paths):
    with reading("gpu", files=paths) as pipe:
        pipe.run()
        (note,) = [row.remark for row in pipe.stats().operators if row.remark]
        assert note.startswith("reads ")
        assert f"readers.numpy (arrays): {note}" in str(pipe.stats())
    with reading("cpu", files=paths) as pipe:
        pipe.run()
        assert all(not row.remark for row in pipe.stats().operators)


def test_a_missing_library_is_named(device_stage, paths, monkeypatch):
    monkeypatch.setitem(sys.modules, "kvikio", None)
    monkeypatch.setitem(sys.modules, "kvikio.defaults", None)
    with reading("gpu", files=paths) as pipe:
        pipe.run()
        assert "reads through pinned host memory: KvikIO" in str(pipe.stats())


def test_archives_say_why_they_go_through_the_host(device_stage, tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.ones(3))
    with reading("gpu", files=str(tmp_path / "a.npz")) as pipe:
        pipe.run()
        assert "arrays are deflated" in str(pipe.stats())


@pytest.mark.gpu
@pytest.mark.usefixtures("cupy")
@pytest.mark.parametrize("straight", [False, True])
def test_memory_stays_flat(tmp_path, monkeypatch, straight):
    if straight:
        pytest.importorskip("kvikio")
        monkeypatch.setattr(npy_gds, "hindrance", lambda _: None)
    size, count, one = 4, 24, 4 << 20
    paths = saved(tmp_path, [np.full(one, i, np.uint8) for i in range(count)])
    with reading("gpu", size=size, files=paths, random_shuffle=True) as pipe:
        for _ in range(3):
            for _ in range(count // size):
                (found,) = pipe.run()
                numbers = [paths.index(origin) for origin in found.source_info()]
                assert found.as_cpu().as_array()[:, ::4095].tolist() == [
                    [number] * -(-one // 4095) for number in numbers
                ]
                del found
            stats = pipe.stats()
            assert stats.device_lent_bytes + stats.device_idle_bytes <= 8 * size * one
            assert stats.lent_bytes + stats.idle_bytes <= 10 * size * one
    assert (npy_gds.STRAIGHT in str(stats)) == straight


class _Host:
    """In KvikIO's place where there is no GPU: the same calls, into the emulation's memory."""

    def __init__(self, path):
        self._file = os.open(path, os.O_RDONLY)

    def __del__(self):
        os.close(self._file)

    def pread(self, buffer, size, file_offset):
        assert isinstance(buffer, DeviceArray)
        return SimpleNamespace(
            get=lambda: os.preadv(self._file, [buffer[:size].view(np.ndarray)], file_offset)
        )


def check_no_host_memory(pipe):
    stats = pipe.stats()
    assert "reads straight into GPU memory" in str(stats)
    assert stats.lent_bytes + stats.idle_bytes == 0


class TestStraight:
    """GPUDirect Storage; on machines that have none, by KvikIO's compatibility mode."""

    @pytest.fixture(autouse=True)
    def served(self, device_stage, monkeypatch):
        if device_stage:
            pytest.importorskip("kvikio")
        else:
            defaults = SimpleNamespace(get=lambda _: 8)
            kvikio = SimpleNamespace(CuFile=_Host)
            found = {"kvikio": kvikio, "kvikio.defaults": defaults}
            monkeypatch.setattr(npy_gds, "import_module", found.__getitem__)
        self.asked = []
        monkeypatch.setattr(npy_gds, "hindrance", self.hindrance)

    def hindrance(self, path):
        self.asked.append(path)

    @pytest.fixture
    def paths(self, tmp_path):
        shape = (3, 64, 64, 64)  # 1 MiB a plane
        return saved(tmp_path, [np.random.default_rng(i).random(shape, "f4") for i in range(5)])

    @pytest.mark.parametrize(
        "arguments",
        [
            {"random_shuffle": True},
            {"roi": "1:"},
            {
                "roi_start": lambda: fn.random.uniform(range=[0, 2], shape=[1], dtype=types.INT32),
                "roi_shape": 1,
                "roi_axes": 0,
            },
            {"sample_axis": 0, "size": 4},
        ],
        ids=lambda arguments: "-".join(arguments),
    )
    def test_agrees(self, paths, arguments, monkeypatch):
        def fail(reader, batch, cause):
            raise cause

        monkeypatch.setattr(npy.NumpyReader, "_read_one_by_one", fail)
        check_agreement(4, files=paths, **arguments)
        with reading("gpu", files=paths, **arguments) as pipe:
            pipe.run()
            check_no_host_memory(pipe)
        assert len(self.asked) == 2  # a pipeline: all files are on one file system

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ({"roi": "..., :32"}, "do not lie side by side"),
            ({"roi": "0, :2"}, "less than 1 MiB"),
            ({"roi_start": -1, "roi_shape": 4, "roi_axes": 0, "out_of_bounds_policy": "pad"}, "do"),
        ],
    )
    def test_what_goes_through_the_host(self, paths, arguments, why):
        check_agreement(2, files=paths, **arguments)
        with reading("gpu", files=paths, **arguments) as pipe:
            pipe.run()
            assert why in str(pipe.stats()).partition("through pinned host memory: ")[2]

    @pytest.mark.parametrize("dtype", [">f4", "c8", "?"])
    def test_elements_that_are_converted(self, tmp_path, dtype):
        arrays = [np.ones(1 << 20, dtype)] * 3
        check_agreement(1, files=saved(tmp_path, arrays))

    def test_files_that_differ(self, tmp_path, paths):
        np.save(paths[2], np.ones((2, 64, 64, 64), "f4"))
        check_agreement(2, files=paths, size=5)

    @pytest.mark.parametrize("policy", ["skip", "replace"])
    def test_bad_files(self, paths, policy):
        os.truncate(paths[1], 1 << 20)
        check_agreement(3, files=paths, pipeline={"on_error": policy}, size=2)

    @pytest.mark.parametrize("policy", ["skip", "replace"])
    def test_bad_files_of_another_reader(self, tmp_path, paths, policy):
        (tmp_path / "labels").mkdir()
        labels = saved(tmp_path / "labels", [np.array([i]) for i in range(5)])
        os.truncate(labels[1], 10)

        @pipeline_def(batch_size=3, num_threads=2, on_error=policy)
        def define(device):
            order = {"random_shuffle": True, "device": device}
            return tuple(fn.readers.numpy(files=files, **order) for files in (paths, labels))

        with define("cpu") as cpu, define("gpu") as gpu:
            for _ in range(5):
                assert list(map(rows, gpu.run())) == list(map(rows, cpu.run()))
            check_no_host_memory(gpu)

    def test_a_row_that_replaces_another_has_memory_of_its_own(self, tmp_path, paths):
        (tmp_path / "labels").mkdir()
        labels = saved(tmp_path / "labels", [np.array([i]) for i in range(5)])
        os.truncate(labels[1], 10)

        @pipeline_def(batch_size=3, num_threads=2, on_error="replace")
        def define():
            return tuple(fn.readers.numpy(files=files, device="gpu") for files in (paths, labels))

        with define() as pipe:
            data, _ = pipe.run()
            assert data.valid.tolist() == [True, False, True]
            assert len(set(data.pointers().tolist())) == 3
            first, second, _ = rows(data)
            assert first == second

    @pytest.mark.parametrize("number", [0, 1])
    def test_a_file_that_is_missing(self, paths, number):
        os.unlink(paths[number])
        check_agreement(3, files=paths, pipeline={"on_error": "skip"}, size=2)
        with reading("gpu", files=paths) as pipe, pytest.raises(FileNotFoundError):
            pipe.run()

    def test_errors_while_reading(self, paths, monkeypatch):
        def refuse(*_):
            raise RuntimeError("cuFile: no more handles\n  at line 3")

        monkeypatch.setattr(npy_gds.DirectReads, "_read", refuse)
        with reading("gpu", files=paths) as pipe:
            (found,) = pipe.run()
            assert found.source_info() == paths[:3]
            assert "host memory: RuntimeError: cuFile: no more handles\n" in str(pipe.stats())
