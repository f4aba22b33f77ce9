"""What an external source gives, batch by batch, against NVIDIA DALI."""

import numpy as np
import pytest

from penstock import Pipeline, fn

dali = pytest.importorskip("nvidia.dali")


def batches():
    for i in range(3):
        yield [np.int64(2 * i), np.int64(2 * i + 1)]


def by_index(i):
    if i >= 2:
        raise StopIteration
    return np.array([i, -i])


def by_sample(info):
    if info.idx_in_epoch >= 5:
        raise StopIteration
    return np.int64(100 * info.epoch_idx + 10 * info.iteration + info.idx_in_batch)


CASES = {
    "list": {"source": list(batches())},
    "list, cycled": {"source": list(batches()), "cycle": True},
    "list, raising": {"source": list(batches()), "cycle": "raise"},
    "iterator": {"source": iter(list(batches()))},
    "generator function": {"source": batches},
    "generator function, cycled": {"source": batches, "cycle": "quiet"},
    "generator function, raising": {"source": batches, "cycle": "raise"},
    "function of the batch": {"source": by_index},
    "function of the sample": {"source": by_sample, "batch": False},
    "samples": {"source": [np.int64(i) for i in range(5)], "batch": False, "cycle": "raise"},
    "samples, cycled": {"source": [np.int64(i) for i in range(5)], "batch": False, "cycle": True},
}


def drain(pipe):
    seen = []
    for _ in range(8):
        try:
            (out,) = pipe.run()
            seen.append([int(np.array(out.at(i))) for i in range(2)])
        except StopIteration:
            seen.append("STOP")
            pipe.reset()
    return seen


@pytest.mark.parametrize("case", CASES)
def test_sequences(case):
    arguments = dict(CASES[case])
    if case == "iterator":
        arguments["source"] = iter(list(batches()))
    theirs = dali.Pipeline(batch_size=2, num_threads=1, device_id=None, prefetch_queue_depth=1)
    with theirs:
        theirs.set_outputs(dali.fn.external_source(**arguments))
    if case == "iterator":
        arguments["source"] = iter(list(batches()))
    ours = Pipeline(batch_size=2, num_threads=1)
    with ours:
        ours.set_outputs(fn.external_source(**arguments))
    with ours:
        assert drain(ours) == drain(theirs)
