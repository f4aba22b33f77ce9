"""Two readers whose samples are pairs: a warning if one is shorter than the other."""

from __future__ import annotations

import warnings

import pytest

from penstock import Pipeline, fn


def build(file, images, masks):
    """Build a pipeline of two readers, which have so many samples and these arguments."""
    pipeline = Pipeline(batch_size=2, num_threads=1)
    with pipeline:
        read = [
            fn.readers.file(files=[file] * samples, name=name, random_shuffle=True, **options)[0]
            for name, (samples, options) in {"images": images, "masks": masks}.items()
        ]
        pipeline.set_outputs(*read)
    with pipeline:
        pipeline.build()


@pytest.mark.parametrize(
    ("images", "masks", "words"),
    [
        ((7, {}), (6, {}), r"\('images', .*\) reads 7 samples, and .*\('masks', .*\) reads 6 samp"),
        ((7, {"pad_last_batch": True}), (7, {}), "reads 7 samples with padding, and .* 7 samples,"),
        ((7, {"shuffle_block": 2}), (9, {"shuffle_block": 2}), "reads 7 samples, and"),
    ],
)
def test_readers_in_one_order_that_differ_in_length(photo_tree, images, masks, words):
    with pytest.warns(UserWarning, match=words) as told:
        build(str(photo_tree.files[0]), images, masks)
    assert [warning.filename for warning in told] == [__file__]


@pytest.mark.parametrize(
    ("images", "masks"),
    [
        ((7, {}), (7, {})),
        ((7, {}), (6, {"shuffle_seed": 1})),
        ((7, {"num_shards": 2, "shard_id": 0}), (6, {"num_shards": 1, "shard_id": 0})),
        ((7, {"pad_last_batch": True}), (7, {"pad_last_batch": True})),
    ],
)
def test_readers_that_are_pairs_or_have_orders_of_their_own(photo_tree, images, masks):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(str(photo_tree.files[0]), images, masks)
