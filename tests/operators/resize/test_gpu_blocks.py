"""How blocks divide images: limits of shared memory, strips, and the variant of the kernel."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.resize import gpu_blocks
from penstock.operators.resize.axes import plan_axes
from penstock.operators.resize.filters import Filter
from penstock.operators.resize.gpu_blocks import ImageStacks, plan_blocks

SHARED_BYTES = 100 << 10  # of a multiprocessor


def stacks(height, width, channels=3, dtype="uint8", count=4):
    each = np.ones(count, np.int64)
    extents = np.column_stack([each * height, each * width])
    return ImageStacks(
        each.astype(np.uint64), each, extents, each * channels, np.dtype(dtype), None
    )


def axes(in_size, out_size, chosen, count=4):
    sizes = np.full(count, in_size), np.full(count, out_size)
    filters = (np.full(count, int(chosen)),) * 2
    return plan_axes(*sizes, np.zeros(count), sizes[0].astype(float), filters, True)


def blocks(before, after, chosen=Filter.LINEAR, channels=3, dtype="uint8", mixed=False):
    source, target = (stacks(*size, channels, dtype) for size in (before, after))
    both = (axes(a, b, chosen) for a, b in zip(before, after, strict=True))
    rounded = dtype == "uint8"
    return plan_blocks(source, target, *both, np.dtype(np.float32), rounded, SHARED_BYTES, mixed)


@pytest.mark.parametrize("after", [(224, 224), (75, 83), (600, 700)])
def test_blocks_cover_the_result(after):
    layout = blocks((375, 500), after)
    assert layout.threads % 32 == 0
    assert layout.strip * layout.strips[0] >= after[0]
    assert layout.items[0] == layout.strips[0] * -(-after[1] // layout.threads)
    assert layout.shared_bytes <= 64 << 10


def test_one_variant_for_each_kind_of_weights():
    linear, lanczos = (
        blocks((375, 500), (224, 224), chosen).macros for chosen in (Filter.LINEAR, Filter.LANCZOS3)
    )
    assert (linear["NEGATIVE"], lanczos["NEGATIVE"]) == (False, True)
    assert linear["DOT_ONE"] == 2 * lanczos["DOT_ONE"] == 1 << 15
    floats = blocks((375, 500), (224, 224), dtype="float32").macros
    assert (floats["WORDS"], floats["DOTS"], floats["DOT_ONE"]) == (False, False, 1)


@pytest.mark.parametrize(("mixed", "least", "most"), [(True, 1, 12), (False, 25, 100)])
def test_batches_of_many_sizes_need_few_variants(mixed, least, most):
    sizes = [(height, width) for height in range(60, 1300, 70) for width in range(60, 1300, 70)]
    layouts = [blocks(size, (224, 224), mixed=mixed) for size in sizes]
    variants = {tuple(layout.macros.items()) for layout in layouts if layout is not None}
    assert least <= len(variants) <= most


def test_many_weights_go_in_passes_of_their_own():
    assert blocks((4000, 500), (10, 500)) is None


def test_long_strips_only_where_the_device_is_occupied(tuned):
    before = blocks((375, 500), (224, 224))
    tuned(gpu_blocks, ENOUGH_THREADS=1 << 10)
    after = blocks((375, 500), (224, 224))
    assert after.strip > before.strip
    assert after.items[0] < before.items[0]


def test_some_of_the_samples():
    source = stacks(8, 9)._replace(channels=np.array([1, 2, 3, 4]))
    assert source.select(np.array([3, 1])).channels.tolist() == [4, 2]
