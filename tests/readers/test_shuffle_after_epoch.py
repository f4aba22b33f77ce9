"""`shuffle_after_epoch`: the parts of the ranks keep their sizes, and mix their samples."""

from __future__ import annotations

import pytest

from penstock import Pipeline, fn
from penstock.plugin.arrays import GenericIterator

SAMPLES, RANKS = 61, 2


def shard(file, rank, **options):
    pipeline = Pipeline(batch_size=1, num_threads=1, **options)
    with pipeline:
        _, label = fn.readers.file(
            files=[file] * SAMPLES,
            labels=list(range(SAMPLES)),
            name="Reader",
            shard_id=rank,
            num_shards=RANKS,
            shuffle_after_epoch=True,
        )
        pipeline.set_outputs(label)
    return pipeline


def test_a_rank_reads_as_many_samples_in_every_epoch(photo_tree):
    file = str(photo_tree.files[0])
    pipelines = [shard(file, rank) for rank in range(RANKS)]
    assert pipelines[0].reader_meta("Reader")["stick_to_shard"] == 1
    parts = []
    for _ in range(3):
        parts.append(
            [
                {int(p.run()[0].as_array()[0, 0]) for _ in range(size)}
                for p, size in zip(pipelines, (30, 31), strict=True)
            ]
        )
        assert parts[-1][0] | parts[-1][1] == set(range(SAMPLES))
    assert parts[0][0] != parts[1][0] != parts[2][0]
    resumed = shard(file, 0, checkpoint=pipelines[0].checkpoint())
    for _ in range(31):
        assert resumed.run()[0].as_array() == pipelines[0].run()[0].as_array()
    for pipeline in [*pipelines, resumed]:
        pipeline.close()


@pytest.mark.parametrize("rank", range(RANKS))
def test_an_iterator_counts_the_same(photo_tree, rank):
    pipeline = shard(str(photo_tree.files[0]), rank)
    with GenericIterator(pipeline, ["label"], reader_name="Reader") as batches:
        assert [sum(1 for _ in batches) for _ in range(3)] == [31] * 3


def test_the_parts_have_the_sizes_of_dali_s(photo_tree):
    dali = pytest.importorskip("nvidia.dali")
    file = str(photo_tree.files[0])
    with dali.Pipeline(1, 1, None) as pipeline:
        labels = dali.fn.readers.file(
            files=[file] * SAMPLES, name="Reader", num_shards=RANKS, shuffle_after_epoch=True
        )[1]
        pipeline.set_outputs(labels)
    pipeline.build()
    ours = shard(file, 0)
    theirs = pipeline.reader_meta("Reader")
    assert ours.reader_meta("Reader") == {**theirs, "pad_last_batch": 0, "stick_to_shard": 1}
    assert theirs["stick_to_shard"] == 1
    ours.close()
