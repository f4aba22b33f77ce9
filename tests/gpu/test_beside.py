"""Batches beside queued work are those that a pipeline gives alone: each call into a library that
claims an order on a stream, each consumer, whatever made the CUDA context."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from penstock import Pipeline, auto_aug, fn, types
from penstock.testing.beside import (
    CuPyConsumer,
    JaxConsumer,
    TorchConsumer,
    check,
)

from ..sounds import file_of, speech_like
from ..videos import video_file

pytestmark = pytest.mark.gpu

SHARED = 0.01
"""Difference of sums, because the engine and CUDA cores round differently and share out files."""


@pytest.fixture(autouse=True)
def gpu(cupy):
    return cupy


@pytest.fixture(scope="module")
def torch():
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    return module


def of(graph, batch_size=16):
    """Return a function that makes a pipeline of a graph."""

    def define():
        pipe = Pipeline(batch_size=batch_size, num_threads=4, device_id=0, seed=5)
        with pipe:
            pipe.set_outputs(*graph())
        return pipe

    return define


@pytest.fixture(scope="module")
def training(photo_tree):
    return training_on(photo_tree.root)


def training_on(root):
    def graph(**decoding):
        encoded, _ = fn.readers.file(file_root=str(root), random_shuffle=True)
        images = fn.decoders.image_random_crop(encoded, device="mixed", **decoding)
        images = fn.resize(images, size=(96, 96))
        mirror = fn.random.coin_flip()
        return [
            fn.crop_mirror_normalize(images, dtype=types.FLOAT, mean=[120.0] * 3, mirror=mirror)
        ]

    return graph


@pytest.mark.parametrize("size", [2, 16, 64])
@pytest.mark.parametrize("load", [0.0, 1.0])
def test_the_jpeg_engine_and_cuda_cores(training, torch, load, size):
    check(of(lambda: training(hw_decoder_load=load), size), TorchConsumer(), batches=60)


def test_files_shared_out_between_the_engine_and_cuda_cores(training, torch):
    check(of(training), TorchConsumer(), batches=150, tolerance=SHARED)


def test_parts_of_a_batch_in_the_engine(training, torch, tuned):
    from penstock.decoders.image import plain_jpeg

    tuned(plain_jpeg, ENGINE_PART_BYTES=1 << 20)
    check(of(lambda: training(hw_decoder_load=1.0), 32), TorchConsumer(), batches=40)


@pytest.mark.parametrize("consumer", ["torch", "side stream", "cupy", "cupy side stream", "jax"])
def test_consumers(training, torch, cupy, consumer):
    if consumer == "jax":
        pytest.importorskip("jax")
    made = {
        "torch": TorchConsumer,
        "side stream": lambda: TorchConsumer(torch.cuda.Stream()),
        "cupy": CuPyConsumer,
        "cupy side stream": lambda: CuPyConsumer(cupy.cuda.Stream(non_blocking=True)),
        "jax": JaxConsumer,
    }[consumer]()
    check(of(lambda: training(hw_decoder_load=1.0)), made, batches=40)


def test_several_pipelines_take_turns(training, torch):
    define = of(lambda: training(hw_decoder_load=1.0))
    check(define, TorchConsumer(), batches=30, pipelines=3)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Arrays, speech and a video."""
    folder = tmp_path_factory.mktemp("beside")
    random = np.random.default_rng(0)
    for i in range(12):
        np.save(folder / f"{i:02}.npy", random.random((32, 64, 64), np.float32))
    sounds = [speech_like(2.0 + i, seed=i) for i in range(4)]
    video_file(folder / "video.mp4", "h264.mp4", 48, size=(192, 256))
    return folder, [np.frombuffer(file_of(sound, 16000, "FLAC"), np.uint8) for sound in sounds]


def arrays(folder, sounds, photos, **options):
    return [
        fn.readers.numpy(
            file_root=str(folder), file_filter="*.npy", device="gpu", random_shuffle=True, **options
        )
    ]


def regions(folder, sounds, photos):
    return arrays(folder, sounds, photos, roi_start=[8, 0, 0], roi_shape=[16, 64, 64])


def mels(folder, sounds, photos):
    encoded = fn.external_source(lambda k: [sounds[(k + i) % 4] for i in range(8)])
    audio, _ = fn.decoders.audio(encoded, device="mixed", downmix=True, dtype=types.FLOAT)
    power = fn.spectrogram(audio, nfft=512, window_length=400, window_step=160)
    return [fn.mel_filter_bank(power, sample_rate=16000.0, nfilter=80)]


def frames(folder, sounds, photos):
    clips = fn.readers.video(
        filenames=[str(folder / "video.mp4")],
        sequence_length=4,
        step=3,
        random_shuffle=True,
        device="gpu",
    )
    return [fn.resize(clips, size=(96, 96))]


def cached(folder, sounds, photos, where):
    encoded, _ = fn.readers.file(file_root=str(photos), random_shuffle=True)
    images = fn.decoders.image(
        encoded, device="mixed", cache=where, cache_size=200, hw_decoder_load=1.0
    )
    return [fn.resize(images, size=(96, 96))]


def from_the_host(folder, sounds, photos):
    encoded, _ = fn.readers.file(file_root=str(photos), random_shuffle=True)
    return [fn.resize(fn.decoders.image(encoded).gpu(), size=(96, 96))]


def augmented(folder, sounds, photos):
    encoded, _ = fn.readers.file(file_root=str(photos), random_shuffle=True)
    images = fn.decoders.image(encoded, device="mixed", hw_decoder_load=1.0)
    images = fn.resize(images, size=(96, 96))
    images = fn.rotate(images, angle=fn.random.uniform(range=(-20.0, 20.0)), keep_size=True)
    images = auto_aug.rand_augment.rand_augment(images, n=2, m=9)
    return [fn.gaussian_blur(images, sigma=fn.random.uniform(range=(0.5, 2.0)))]


GRAPHS = {
    "arrays, KvikIO": arrays,
    "regions, KvikIO": regions,
    "FLAC and cuFFT": mels,
    "video, NVDEC": frames,
    "cache in the GPU": lambda *given: cached(*given, "gpu"),
    "cache in the host": lambda *given: cached(*given, "ram"),
    "copies to the GPU": from_the_host,
    "augmentations": augmented,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_calls_into_libraries(files, photo_tree, torch, name):
    graph = GRAPHS[name]
    check(of(lambda: graph(*files, photo_tree.root), 8), TorchConsumer(), batches=40)


def test_nvimgcodec_decodes_what_kernels_do_not(photo_tree, torch, monkeypatch):
    from penstock.decoders.image import plain_jpeg

    monkeypatch.setattr(plain_jpeg, "MOST_BYTES", 0)  # CUDA cores refuse all files

    def graph():
        encoded, _ = fn.readers.file(file_root=str(photo_tree.root), random_shuffle=True)
        images = fn.decoders.image(encoded, device="mixed", hw_decoder_load=0.0)
        return [fn.resize(images, size=(96, 96))]

    check(of(graph), TorchConsumer(), batches=40)


BROKEN = """
import sys
from penstock.engine.tensors.stream_marks import StreamMarks
from penstock.testing.beside import TorchConsumer, compare
from penstock.tests.gpu.test_beside import of, training_on
StreamMarks.ahead = lambda *_: []  # nobody waits for anybody
graph = training_on(sys.argv[1])
found = compare(of(lambda: graph(hw_decoder_load=0.0)), TorchConsumer(), batches=60)
print("wrong" if found.wrong else "right")
"""

PROGRAM = """
import faulthandler, sys
faulthandler.dump_traceback_later(100, exit=True)
root, is_first = sys.argv[1], sys.argv[2] == "first"
if is_first:
    import penstock
import torch
torch.zeros(1, device="cuda")
from penstock import Pipeline, fn
from penstock.testing.beside import TorchConsumer, check
def define():
    pipe = Pipeline(batch_size=32, num_threads=4, device_id=0, seed=5)
    with pipe:
        encoded, _ = fn.readers.file(file_root=root, random_shuffle=True)
        images = fn.decoders.image(encoded, device="mixed")
        pipe.set_outputs(fn.resize(images, size=(96, 96)))
    return pipe
print(check(define, TorchConsumer(), batches=60, pipelines=2, tolerance=0.01))
"""


def run_alone(program, *arguments, **environment):
    """Run a program in a process of its own, which may end the CUDA context."""
    kept = {k: v for k, v in os.environ.items() if k != "CUDA_DEVICE_MAX_CONNECTIONS"}
    command = [sys.executable, "-W", "ignore", "-c", program, *map(str, arguments)]
    return subprocess.run(
        command, env=kept | environment, capture_output=True, text=True, check=False
    )


def test_memory_that_is_written_too_early_is_seen(photo_tree, torch):
    """The comparison finds the fault that it is made for."""
    for _ in range(3):  # a kernel may fail over such memory, which ends the context
        run = run_alone(BROKEN, photo_tree.root)
        if not re.search("misaligned address|illegal memory access", run.stderr):
            break
    assert run.stdout.split()[-1:] == ["wrong"], run.stderr[-3000:]


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize("connections", [None, "1", "8"])
def test_whatever_made_the_context(photo_tree, torch, connections, order):
    chosen = {} if connections is None else {"CUDA_DEVICE_MAX_CONNECTIONS": connections}
    run = run_alone(PROGRAM, photo_tree.root, order, **chosen)
    assert run.returncode == 0, run.stderr[-3000:]
    assert "wrong=0" in run.stdout
