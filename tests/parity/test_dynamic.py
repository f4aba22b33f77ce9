"""Programs of dynamic mode, against NVIDIA DALI's dynamic mode on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import penstock.types
from penstock.experimental import dynamic as ours

dali: Any = pytest.importorskip("nvidia.dali.experimental.dynamic")
dali_types: Any = pytest.importorskip("nvidia.dali.types")

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(0, 255, (24, 32, 3), np.uint8)
OTHER = RNG.integers(0, 255, (20, 16, 3), np.uint8)
ENCODED = cv2.imencode(".png", IMAGE)[1].reshape(-1)
SOUND = RNG.standard_normal(4000).astype(np.float32)
BOXES = np.float32([[0.1, 0.1, 0.5, 0.6], [0.3, 0.2, 0.9, 0.9]])

Program = Callable[[Any, Any], Any]
PROGRAMS: dict[str, Program] = {
    "numbers": lambda n, t: [n.tensor(x) for x in (3, 2.5, True, [1, 2], [[1.0]], [1 << 31])],
    "arrays": lambda n, t: [n.as_tensor(x) for x in (IMAGE, np.arange(3), np.ones(2), SOUND)],
    "conversion": lambda n, t: [
        n.tensor([1, 200, 300], dtype=n.uint8 if n is None else n.int16),
        n.as_tensor(np.float64([1.4, 1.6, -2.5]), dtype=n.int32),
        n.cast(n.tensor([0, 3]), dtype=n.bool),
    ],
    "arithmetic": lambda n, t: [
        n.tensor([5, 6, 7]) + 1,
        n.tensor([5, 6, 7]) / 2,
        n.tensor(np.uint8([5, 6, 7])) * n.tensor(np.int8([-1, 1, 2])),
        2.5 - n.tensor([5, 6, 7]),
        n.tensor([5, 6, 7]) // 2,
        -n.tensor(np.float32([5, 6])),
        n.tensor([5, 6]) > 5,
        n.tensor([5, 6]) & 4,
    ],
    "broadcast": lambda n, t: n.tensor(np.ones((3, 1))) * n.tensor([1, 2]),
    "batches and tensors": lambda n, t: n.batch([[1, 2], [3, 4, 5]]) * n.tensor(2),
    "math": lambda n, t: [
        n.math.sqrt(n.tensor([1, 4])),
        n.math.max(n.tensor([1, 4]), 2),
        n.math.clamp(n.tensor(np.float32([1, 4])), 2.0, 3.0),
        n.math.sin(n.batch([0.5, 1.5])),
    ],
    "slices": lambda n, t: [
        n.as_tensor(IMAGE)[2:-2, ::2, 0],
        n.as_tensor(IMAGE)[..., -1],
        n.as_tensor(IMAGE)[n.tensor(3)],
        n.as_tensor(IMAGE)[::-1][1:],
    ],
    "slices of samples": lambda n, t: [
        n.batch([IMAGE, OTHER]).slice[1:5, 0],
        n.batch([IMAGE, OTHER]).slice[n.batch([1, 2]), : n.batch([3, 4])],
    ],
    "one tensor of a batch": lambda n, t: [
        n.as_tensor(n.batch([[1, 2], [3, 4]])),
        n.as_tensor(n.batch([[1, 2], [3]]), pad=True),
        n.Batch.broadcast([1.5, 2], 3),
    ],
    "decode and flip": lambda n, t: n.flip(n.decoders.image(ENCODED, output_type=t.BGR)),
    "crop": lambda n, t: n.crop_mirror_normalize(
        n.batch([IMAGE, OTHER], layout="HWC"), crop=(8, 9), mirror=n.batch([0, 1]), mean=[9.0]
    ),
    "crop by position": lambda n, t: n.crop(
        n.tensor(IMAGE, layout="HWC"), crop=[8, 9], crop_pos_x=n.tensor(0.2)
    ),
    "slice operator": lambda n, t: n.slice(
        n.tensor(IMAGE, layout="HWC"), start=[2, 3], shape=[5, 6], axes=[0, 1]
    ),
    "reshape": lambda n, t: [
        n.reshape(n.tensor(IMAGE), shape=[-1, 6]),
        n.reinterpret(n.tensor(np.float32([1, 2])), dtype=n.uint8),
        n.expand_dims(n.tensor(SOUND), axes=[0]),
        n.transpose(n.tensor(IMAGE, layout="HWC"), perm=[2, 0, 1]),
    ],
    "reductions": lambda n, t: [
        n.reductions.mean(n.tensor(IMAGE), axes=[0, 1]),
        n.reductions.max(n.batch([IMAGE, OTHER])),
        n.reductions.sum(n.tensor(IMAGE, layout="HWC"), axis_names="C"),
    ],
    "fill": lambda n, t: [
        n.zeros(shape=[2, 3]),
        n.ones(shape=[2], batch_size=2),
        n.full(3.5, shape=[2]),
        n.zeros_like(n.tensor(SOUND)),
        n.one_hot(n.tensor([1, 2]), num_classes=4),
    ],
    "join": lambda n, t: [
        n.cat(n.tensor(IMAGE), n.tensor(IMAGE), axis=1),
        n.stack(n.batch([[1, 2]]), n.tensor([3, 4])),
        n.permute_batch(n.batch([1, 2, 3]), indices=[2, 0, 1]),
    ],
    "boxes": lambda n, t: [
        n.bb_flip(n.tensor(BOXES), ltrb=True),
        n.coord_transform(n.tensor(BOXES[:, :2].copy()), MT=[1.0, 0.0, 2.0, 0.0, 1.0, 3.0]),
    ],
    "sound": lambda n, t: [
        n.preemphasis_filter(n.tensor(SOUND)),
        n.to_decibels(n.tensor(np.abs(SOUND) + 1)),
        *n.nonsilent_region(n.batch([SOUND, SOUND[:3000]])),
    ],
    "transforms": lambda n, t: [
        n.transforms.rotation(angle=30.0),
        n.transforms.scale(n.transforms.translation(offset=[1.0, 2.0]), scale=[2.0, 3.0]),
        n.transforms.rotation(angle=n.batch([0.0, 90.0])),
    ],
    "shapes": lambda n, t: n.peek_image_shape(ENCODED),
    "pad": lambda n, t: [
        n.pad(n.batch([[1, 2, 3], [4]]), fill_value=-1),
        n.pad(n.tensor([1, 2]), shape=[4]),
    ],
    "erase": lambda n, t: n.erase(
        n.tensor(IMAGE, layout="HWC"), anchor=[1.0, 1.0], shape=[3.0, 3.0], axis_names="HW"
    ),
    "lookup": lambda n, t: n.lookup_table(n.tensor([0, 1, 2]), keys=[1], values=[7.0]),
    "sequence": lambda n, t: n.sequence_rearrange(
        n.tensor(np.stack([IMAGE, IMAGE[::-1]]), layout="FHWC"), new_order=[1, 0, 1]
    ),
}


def parts(value: Any) -> Iterator[tuple[str, str, str | None, Any]]:
    """Yield class, dtype, layout and values of each tensor and batch of a result."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from parts(each)
        return
    value.evaluate()
    kind = type(value).__name__
    samples = list(value.tensors) if kind == "Batch" else [value]
    for sample in samples:
        layout = (value.layout or "").strip("*") or None
        yield kind, value.dtype.name, layout, np.asarray(sample)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same(name):
    program = PROGRAMS[name]
    expected = list(parts(program(dali, dali_types)))
    found = list(parts(program(ours, penstock.types)))
    assert [call[:3] for call in found] == [call[:3] for call in expected]
    for one, other in zip(found, expected, strict=True):
        assert one[3].shape == other[3].shape
        np.testing.assert_allclose(
            one[3].astype(float), other[3].astype(float), rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("seed", [0, 5, (1 << 64) - 1])
def test_generators_have_the_same_words_and_states(seed):
    mine, theirs = ours.random.RNG(seed), dali.random.RNG(seed)
    for skipped in (0, 1, 7, 1 << 40):
        mine.advance(skipped)
        theirs.advance(skipped)
        assert [mine() for _ in range(9)] == [theirs() for _ in range(9)]
        assert mine.state == str(theirs.state)
        assert ours.random.RNG(state=str(theirs.state))() == theirs.clone()()


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for number in range(10):
        (tmp_path / f"{number}.bin").write_bytes(bytes([number] * 3))
    return [str(tmp_path / f"{number}.bin") for number in range(10)]


@pytest.mark.parametrize("batch_size", [1, 3, 5])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"shard_id": 1, "num_shards": 3},
        {"shard_id": 1, "num_shards": 3, "stick_to_shard": True},
        {"num_shards": 2, "pad_last_batch": True},
    ],
    ids=str,
)
def test_readers_have_the_same_epochs(files, batch_size, options):
    def epochs(module: Any) -> Any:
        reader = module.readers.File(files=files, **options)
        return [
            [
                [part[3].tolist() for part in parts((data, labels))]
                for data, labels in reader.next_epoch(batch_size=batch_size)
            ]
            for _ in range(3)
        ]

    assert epochs(ours) == epochs(dali)


@pytest.mark.parametrize("cycle", ["no", "quiet", "raise"])
def test_sources_have_the_same_items(cycle):
    def items(module: Any) -> list[Any]:
        source = module.ExternalSource([[1, 2], [3, 4]], cycle=cycle, layout="X")
        found: list[Any] = []
        for batch_size in (None, 2, None, 2, None):
            try:
                found.append([str(part) for part in parts(source(batch_size=batch_size))])
            except StopIteration:
                found.append("end")
        return found

    assert items(ours) == items(dali)


def test_imread_gives_the_same(tmp_path):
    paths = [str(tmp_path / name) for name in ("a.png", "b.png")]
    for path, image in zip(paths, (IMAGE, OTHER), strict=True):
        cv2.imwrite(path, image)
    for form in (paths[0], Path(paths[0]), paths, tuple(paths)):
        for options in ({}, {"output_type": "GRAY"}):
            results = []
            for module, types in ((ours, penstock.types), (dali, dali_types)):
                named = {key: getattr(types, value) for key, value in options.items()}
                results.append([str(part) for part in parts(module.imread(form, **named))])
            assert results[0] == results[1]


WRONG: dict[str, Callable[[Any], Any]] = {
    "two sizes": lambda n: n.batch([1, 2]) + n.batch([1, 2, 3]),
    "no samples": lambda n: n.batch([]),
    "no number": lambda n: n.batch([None]),
    "large numbers": lambda n: n.tensor([1 << 40]),
    "layout": lambda n: n.tensor([[1]], layout="HWC"),
    "item": lambda n: n.tensor([1, 2]).item(),
    "ragged": lambda n: n.batch([[1], [1, 2]]).torch(),
    "device": lambda n: n.Device("tpu"),
    "permutation": lambda n: n.batch_permutation(),
    "seed and state": lambda n: n.random.RNG(1, n.random.RNG(2).state),
    "outputs": lambda n: n.ExternalSource([1], num_outputs=2)(),
    "no argument": lambda n: n.ExternalSource(lambda info: 1),
    "threads": lambda n: n.EvalContext(num_threads=2, thread_pool=n.ThreadPool(2)),
    "zero threads": lambda n: n.set_num_threads(0),
    "broadcast of a batch": lambda n: n.Batch.broadcast(n.batch([1]), 2),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_raise_the_same_kinds(name):
    with pytest.raises(Exception) as theirs:
        WRONG[name](dali)
    with pytest.raises(theirs.type):
        WRONG[name](ours)
