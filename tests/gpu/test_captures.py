"""Pipelines at work while user code captures CUDA graphs, in the mode that forbids most calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from penstock import Pipeline, fn, types

pytestmark = pytest.mark.gpu


@pytest.fixture
def torch(cupy):
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no CUDA device")
    return module


def photographs(tree: Any, batch_size: int = 8) -> Pipeline:
    """Return a pipeline that decodes, and whose batches take different memory."""
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=0, seed=1)
    with pipe:
        encoded, _ = fn.readers.file(file_root=str(tree.root), random_shuffle=True)
        images = fn.decoders.image_random_crop(encoded, device="mixed")
        pipe.set_outputs(
            fn.crop_mirror_normalize(fn.resize(images, size=(96, 96)), dtype=types.FLOAT)
        )
    return pipe


def capture(torch: Any, seconds: float = 0.05) -> tuple[Any, Any, Any]:
    """Capture a graph that doubles its input, slowly; return the graph, input and output."""
    given = torch.zeros(1000, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # the mode is "global"
        result = given * 2
        threading.Event().wait(seconds)
        result += 1
    return graph, given, result


def check(torch: Any, captured: tuple[Any, Any, Any]) -> None:
    graph, given, result = captured
    given.fill_(5)
    graph.replay()
    assert torch.all(result == 11)


@contextmanager
def concurrently(call: Callable[[], object]) -> Iterator[list[int]]:
    """Make a call again and again in a thread; yield a list that grows with each return."""
    over = threading.Event()
    returns: list[int] = []
    errors: list[BaseException] = []

    def repeat() -> None:
        try:
            while not over.is_set():
                call()
                returns.append(len(returns))
        except BaseException as error:
            errors.append(error)
            returns.append(-1)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield returns
    finally:
        over.set()
        thread.join()
    assert errors == []


def test_a_capture_while_a_pipeline_fills_its_queues(torch, photo_tree):
    for _ in range(5):
        with photographs(photo_tree) as pipe:
            pipe.build()
            pipe.schedule_run()
            check(torch, capture(torch))
            assert pipe.outputs()[0].shape()[0] == (3, 96, 96)


def test_captures_while_a_thread_consumes(torch, photo_tree):
    """PyTorch's own calls in another thread, such as a synchronization, may break a capture."""
    with photographs(photo_tree) as pipe, concurrently(pipe.run) as counted:
        while not counted:
            threading.Event().wait(0.01)
        for _ in range(20):
            check(torch, capture(torch))
    assert len(counted) > 20


def test_a_batch_that_is_dropped_within_a_capture(torch, photo_tree):
    with photographs(photo_tree) as pipe:
        given = torch.zeros(8, 3, 96, 96, device="cuda")
        for _ in range(10):
            batch = torch.from_dlpack(pipe.run()[0])
            expected = batch.sum(dtype=torch.float64)
            graph = torch.cuda.CUDAGraph()
            given.copy_(batch)
            with torch.cuda.graph(graph):
                del batch
                result = given.sum(dtype=torch.float64)
            graph.replay()
            assert torch.allclose(result, expected)
        assert pipe.run()


def test_a_pipeline_is_built_and_closed_while_a_thread_captures(torch, photo_tree):
    with concurrently(lambda: check(torch, capture(torch, 0.01))) as captures:
        for batch_size in (4, 8, 16):
            with photographs(photo_tree, batch_size) as pipe:
                for _ in range(10):
                    assert len(pipe.run()[0]) == batch_size
    assert len(captures) > 3
