"""Several threads that use one pipeline at the same time, one of which may close it.

Calls may be refused, but each batch must be handed out once at most, and no call may hang.
"""

from __future__ import annotations

import threading
from random import Random
from time import sleep

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError

from .reader_settings import make_files

CALLS = 12
BATCH = 4


def case(seed: int) -> None:
    """Let threads take batches, ask for checkpoints and statistics, and close the pipeline."""
    random = Random(seed)
    threads_count = random.randint(2, 4)
    files = make_files(threads_count * CALLS * BATCH)
    batches: list[tuple[int, ...]] = []
    unexpected: list[BaseException] = []
    pipeline = Pipeline(BATCH, num_threads=2, seed=1, prefetch_queue_depth=random.randint(1, 3))
    with pipeline:
        _, labels = fn.readers.file(files=files)
        pipeline.set_outputs(labels)
    if random.random() < 0.5:
        pipeline.build()  # otherwise several threads build the pipeline at once

    def use(own: Random) -> None:
        try:
            for _ in range(CALLS):
                call(pipeline, own, batches)
        except PenstockError:
            pass
        except BaseException as error:
            unexpected.append(error)

    seeds = [random.randrange(1 << 30) for _ in range(threads_count)]
    threads = [threading.Thread(target=use, args=(Random(number),)) for number in seeds]
    for thread in threads:
        thread.start()
    if random.random() < 0.5:
        sleep(random.uniform(0, 0.05))
        pipeline.close()
    for thread in threads:
        thread.join()
    pipeline.close()
    if unexpected:
        raise unexpected[0]
    expected = {tuple(range(i, i + BATCH)) for i in range(0, len(files), BATCH)}
    assert len(set(batches)) == len(batches), f"a batch came twice: {sorted(batches)}"
    assert set(batches) <= expected, f"a batch that is none of the order's: {sorted(batches)}"


def call(pipeline: Pipeline, random: Random, batches: list[tuple[int, ...]]) -> None:
    """Call a random method of the pipeline."""
    choice = random.random()
    if choice < 0.8:
        (output,) = pipeline.run()
        batches.append(tuple(output.as_array().ravel().tolist()))
    elif choice < 0.9:
        pipeline.checkpoint()
    else:
        str(pipeline.stats())
