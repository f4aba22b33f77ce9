import threading

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def
from penstock.engine.errors import ArgumentError, CheckpointError, PipelineStopped
from penstock.engine.tensors.alignment import empty_aligned
from penstock.engine.tensors.dtypes import BatchInfo, SampleInfo


def pipeline(batch_size=2, checkpoint=None, depth=2, random=False, on_error="raise", **arguments):
    """Return a pipeline that hands out what an external source gives."""

    @pipeline_def
    def definition():
        data = fn.external_source(**arguments)
        outputs = tuple(data) if isinstance(data, list) else (data,)
        return (*outputs, fn.random.uniform()) if random else outputs

    return definition(
        batch_size=batch_size,
        num_threads=1,
        prefetch_queue_depth=depth,
        checkpoint=checkpoint,
        seed=5,
        on_error=on_error,
    )


def drain(pipe, count):
    """Run `count` times; "STOP" stands for the end, after which the pipeline is reset."""
    batches = []
    for _ in range(count):
        try:
            batches.append([row.tolist() for row in map(pipe.run()[0].at, range(2))])
        except StopIteration:
            batches.append("STOP")
            pipe.reset()
    return batches


def three_batches():
    return [np.array([2 * i, 2 * i + 1]) for i in range(3)]


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize(
    ("cycle", "end"),
    [("no", ["STOP", "STOP"]), ("raise", ["STOP", [0, 1]]), ("quiet", [[0, 1], [2, 3]])],
)
def test_cycles(cycle, end, depth):
    with pipeline(source=three_batches(), cycle=cycle, depth=depth) as pipe:
        assert drain(pipe, 5) == [[0, 1], [2, 3], [4, 5], *end]


def test_positional_source():
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        first, second = fn.external_source(lambda: ([1, 2], [3, 4]), 2)
        pipe.set_outputs(first, second)
    with pipe:
        assert [out.as_array().tolist() for out in pipe.run()] == [[1, 2], [3, 4]]


def test_one_output_in_a_tuple():
    with pipeline(source=lambda: ([1, 2],), num_outputs=1) as pipe:
        assert drain(pipe, 1) == [[1, 2]]


def recording(seen, stop):
    def source(info):
        seen.append((info, threading.current_thread().name))
        if stop(info):
            raise StopIteration
        return np.int32(7)

    return source


def test_sample_info():
    seen = []
    source = recording(seen, lambda info: info.idx_in_epoch >= 3)
    with pipeline(source=source, batch=False, depth=1) as pipe:
        assert drain(pipe, 3) == [[7, 7], "STOP", [7, 7]]
    infos = [info for info, _ in seen]
    assert infos[:4] == [SampleInfo(i, i % 2, i // 2, 0) for i in range(4)]
    assert infos[4:6] == [SampleInfo(0, 0, 0, 1), SampleInfo(1, 1, 0, 1)]
    assert len({name for _, name in seen}) == 1


def test_batch_info_and_index():
    seen = []

    def source(info):
        seen.append(info)
        return [1, 2]

    with pipeline(source=source, batch_info=True, depth=1) as pipe:
        drain(pipe, 2)
    assert seen[:2] == [BatchInfo(0, 0), BatchInfo(1, 0)]
    seen.clear()
    with pipeline(source=source, depth=1) as pipe:
        drain(pipe, 2)
    assert seen[:2] == [0, 1]


def test_samples_of_several_outputs():
    def source(info):
        return np.full(info.idx_in_batch + 1, 9), info.idx_in_epoch

    with pipeline(source=source, batch=False, num_outputs=2, layout=["X"]) as pipe:
        first, second = pipe.run()
        assert first.shape() == [(1,), (2,)]
        assert first.layout() == "X"
        assert second.as_array().tolist() == [0, 1]
        assert second.layout() == ""


def test_parallel_sources_give_whole_batches_too():
    with pipeline(source=lambda number: [number, number + 10], parallel=True) as pipe:
        assert drain(pipe, 2) == [[0, 10], [1, 11]]


def test_a_blocking_source_waits_for_its_data():
    with pipeline(name="x", blocking=True) as pipe:
        timer = threading.Timer(0.1, pipe.feed_input, ("x", [1, 2]))
        timer.start()
        assert pipe.run()[0].as_array().tolist() == [1, 2]
        pipe.feed_input("x", [3, 4])
        assert pipe.run()[0].as_array().tolist() == [3, 4]
        timer.join()


def test_closing_ends_the_wait_of_a_blocking_source():
    pipe = pipeline(name="x", blocking=True)
    timer = threading.Timer(0.1, pipe.close)
    timer.start()
    with pytest.raises(PipelineStopped):
        pipe.run()
    timer.join()


@pytest.mark.parametrize("policy", ["skip", "replace"])
def test_a_sample_that_a_function_cannot_give_is_replaced(policy):
    def source(info):
        if info.idx_in_epoch in (0, 5):
            raise ValueError("no such sample")
        return np.full(1 + info.idx_in_epoch % 2, info.idx_in_epoch)

    with pipeline(source=source, batch=False, batch_size=4, on_error=policy) as pipe:
        batches = [pipe.run()[0] for _ in range(2)]
        assert sum(pipe.stats().skipped.values()) == 2
    assert [[int(row[0]) for row in batch.rows()] for batch in batches] == [
        [3, 1, 2, 3],
        [4, 4, 6, 7],
    ]
    assert [batch.valid.tolist() for batch in batches] == [
        [False, True, True, True],
        [True, False, True, True],
    ]


def test_the_error_of_a_sample_names_the_sample():
    def source(info):
        raise ValueError("no such sample")

    pipe = pipeline(source=source, batch=False, on_error="skip")
    with pytest.raises(ValueError, match="no such sample") as caught:
        pipe.run()
    assert any("sample 1 of batch 0" in note for note in caught.value.__notes__)


def test_a_broken_generator_ends_the_run_under_any_policy():
    def source():
        yield np.zeros(1)
        raise ValueError("broken")

    pipe = pipeline(source=source, batch=False, on_error="skip")
    with pytest.raises(ValueError, match="broken"):
        pipe.run()


@pytest.mark.parametrize("batches", [[[1.0, 2.0]], [[np.ones(2), np.ones(3)]]])
def test_work_in_place_does_not_change_repeated_batches(batches):
    with pipeline(name="x", repeat_last=True) as pipe:
        pipe.feed_input("x", batches[0])
        first = [row.copy() for row in pipe.run()[0].rows()]
        for _ in range(4):
            rows = pipe.run()[0].rows()
            assert [row.tolist() for row in rows] == [row.tolist() for row in first]
            for row in rows:
                row /= 2


def test_last_batch_may_be_smaller():
    with pipeline(batch_size=4, source=[[1, 2, 3, 4], [5]]) as pipe:
        assert [len(pipe.run()[0]) for _ in range(2)] == [4, 1]


def test_buffers_may_be_used_again():
    buffer = np.zeros((2, 2), np.int64)

    def source(index):
        buffer[:] = index
        return buffer

    with pipeline(source=source, depth=3) as pipe:
        kept = [pipe.run()[0].as_array() for _ in range(4)]
    assert [int(array[0, 0]) for array in kept] == [0, 1, 2, 3]


def test_no_copy():
    array = empty_aligned((2,), np.int64)
    with pipeline(source=[array], no_copy=True) as pipe:
        assert np.shares_memory(pipe.run()[0].as_array(), array)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"source": [[1, 2, 3]]}, "a batch of 3 samples is too large for a pipeline of batch"),
        ({"source": [np.zeros((2, 2))], "dtype": np.uint8}, "declared as uint8"),
        ({"source": [([1, 2],)], "num_outputs": 2}, "a tuple of 2, but returned 1"),
        ({"source": [([1, 2], [3])], "num_outputs": 2}, r"outputs have \[2, 1\] samples"),
        ({"source": lambda: None}, "elements of type object"),
        ({"source": lambda: b"abc"}, r"is bytes; return an array, .* np.frombuffer\(data, "),
        ({"source": lambda: {"x": 1, "y": 2}}, r"is a dict of x, y; return a tuple"),
        ({"source": lambda: {"x": 1, "y": 2}, "num_outputs": 2}, r"a dict; .* \(sample\['x'\], "),
    ],
)
def test_bad_data(arguments, text):
    with pipeline(**arguments) as pipe, pytest.raises(ArgumentError, match=text):
        pipe.run()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"source": [1], "num_outputs": 0}, "must be int, at least 1"),
        ({"source": [1], "repeat_last": True}, "does not go with a source"),
        ({"cycle": "raise"}, "cycle needs a source"),
        ({"source": [1], "layout": 5}, "a layout is a string"),
    ],
)
def test_bad_arguments(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        pipeline(**arguments)


def test_user_exceptions_keep_their_type():
    def source():
        raise KeyError("mine")

    with pipeline(source=source) as pipe, pytest.raises(KeyError, match="mine") as caught:
        pipe.run()
    assert any("external_source" in note for note in caught.value.__notes__)


def test_feeding():
    with pipeline(name="in") as pipe:
        pipe.feed_input("in", [np.uint8([1, 2]), np.uint8([3])], layout="X")
        (out,) = pipe.run()
        assert out.shape() == [(2,), (1,)]
        assert out.layout() == "X"
        array = np.array([[1], [2]])
        pipe.feed_input("in", array)
        array[:] = 0
        assert pipe.run()[0].as_array().tolist() == [[1], [2]]
        with pytest.raises(ArgumentError, match="a batch of 3 samples"):
            pipe.feed_input("in", [1, 2, 3])


def test_feeding_a_source():
    with (
        pipeline(name="in", source=[[1, 2]]) as pipe,
        pytest.raises(ArgumentError, match="feed_input cannot feed it"),
    ):
        pipe.feed_input("in", [1, 2])


def test_repeat_last():
    with pipeline(name="in", repeat_last=True, depth=1) as pipe:
        pipe.feed_input("in", [1, 2])
        assert drain(pipe, 2) == [[1, 2], [1, 2]]
        pipe.feed_input("in", [3, 4])
        assert drain(pipe, 2) == [[3, 4], [3, 4]]


class Counter:
    """A source that keeps its own place."""

    def __init__(self):
        self.place = 0

    def __call__(self):
        self.place += 1
        return [self.place, -self.place]

    def state_dict(self):
        return {"place": self.place}

    def load_state_dict(self, state):
        self.place = state["place"]


def batches():
    yield from three_batches()


@pytest.mark.parametrize("taken", [1, 2, 4])
@pytest.mark.parametrize(
    "make",
    [
        lambda: {"source": batches, "cycle": "raise"},
        lambda: {"source": three_batches(), "cycle": "quiet"},
        lambda: {"source": lambda i: [i, 10 * i]},
        lambda: {"source": Counter()},
        lambda: {"source": lambda s: s.idx_in_epoch, "batch": False},
    ],
)
def test_resuming(make, taken):
    with pipeline(**make(), random=True) as pipe:
        for _ in range(taken):
            try:
                pipe.run()
            except StopIteration:
                pipe.reset()
        saved = pipe.checkpoint()
        expected = [_values(pipe) for _ in range(2)]
    with pipeline(**make(), random=True, checkpoint=saved) as pipe:
        assert [_values(pipe) for _ in range(2)] == expected


def _values(pipe):
    try:
        return [out.as_array().tolist() for out in pipe.run()]
    except StopIteration:
        pipe.reset()
        return "STOP"


def test_resuming_a_shorter_source():
    with pipeline(source=three_batches()) as pipe:
        for _ in range(3):
            pipe.run()
        saved = pipe.checkpoint()
    with (
        pipeline(source=three_batches()[:1], checkpoint=saved) as pipe,
        pytest.raises(CheckpointError, match="only 1 now"),
    ):
        pipe.run()


def test_randomness_belongs_to_the_sample():
    numbers = []
    for size in (2, 4):
        with pipeline(size, source=lambda: [0] * size, random=True) as pipe:  # noqa: B023
            runs = [pipe.run()[1].as_array() for _ in range(8 // size)]
        numbers.append(np.concatenate(runs).tolist())
    assert numbers[0] == numbers[1]
