"""The policies in pipelines: what samples get, on both devices, with and without conditionals."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from PIL import Image
from scipy.stats import chisquare

from penstock import ArgumentError, Pipeline, fn, pipeline_def, types
from penstock.auto_aug import augmentations as a
from penstock.auto_aug import auto_augment, rand_augment, trivial_augment
from penstock.auto_aug.core import Policy, augmentation, select
from penstock.testing.agreement import assert_rows, source

from ..operators.pictures import pictures
from ..operators.running import pixels

PICTURES = pictures(24, 33)
POLICIES = ("image_net", "reduced_image_net", "svhn", "reduced_cifar10")


def run(apply, rows, device="cpu", layout="HWC", *, seed=11, **options):
    """Return what `apply` makes of samples: a list of rows, or one for each output."""

    @pipeline_def(batch_size=len(rows), num_threads=2, seed=seed, **options)
    def pipeline():
        data = source(rows, layout)
        results = apply(data.gpu() if device == "gpu" else data)
        return tuple(results) if isinstance(results, list) else results

    with pipeline() as pipe:
        outputs = [[np.array(row) for row in each.as_cpu().rows()] for each in pipe.run()]
    return outputs if len(outputs) > 1 else outputs[0]


APPLIED = {
    **{name: partial(auto_augment.auto_augment, policy_name=name) for name in POLICIES},
    "rand_augment": partial(rand_augment.rand_augment, n=3, m=20),
    "by factors": partial(rand_augment.rand_augment, n=1, m=30, monotonic_mag=False),
    "trivial_augment": trivial_augment.trivial_augment_wide,
}


@pytest.mark.parametrize("name", APPLIED)
def test_samples_change_and_keep_their_form(name, device):
    rows = [picture for picture in PICTURES for _ in range(4)]
    results = run(APPLIED[name], rows, device)
    for row, result in zip(rows, results, strict=True):
        assert (result.shape, result.dtype) == (row.shape, row.dtype)
    assert sum((row != result).any() for row, result in zip(rows, results, strict=True)) > 8
    assert len({result.tobytes() for result in results}) > 8


@pytest.mark.parametrize("name", APPLIED)
def test_conditionals_change_nothing(name):
    wanted = run(APPLIED[name], PICTURES)
    assert_rows(run(APPLIED[name], PICTURES, enable_conditionals=True), wanted)


def test_the_frames_of_a_video_share_their_augmentations(device):
    still = [np.stack([picture] * 3) for picture in PICTURES for _ in range(4)]
    for name in ("image_net", "rand_augment", "trivial_augment"):
        for result in run(APPLIED[name], still, device, "FHWC"):
            np.testing.assert_array_equal(result, np.stack([result[0]] * 3))


def test_gray_images_are_augmented(device):
    gray = [picture[..., :1] for picture in PICTURES] * 4
    for name in APPLIED:
        assert [row.shape for row in run(APPLIED[name], gray, device)] == [r.shape for r in gray]


def test_devices_draw_the_same(device_stage):
    names = ["posterize", "solarize", "invert", "identity", "equalize"]
    suite = [each for each in rand_augment.get_rand_augment_suite() if each.name in names]

    def apply(data):
        return rand_augment.apply_rand_augment([*suite, a.invert], data, 2, 17)

    assert_rows(run(apply, PICTURES * 4, "gpu"), run(apply, PICTURES * 4))


def test_a_seed_decides_the_draws():
    def apply(seed):
        return lambda data: trivial_augment.trivial_augment_wide(data, seed=seed)

    first = run(apply(3), PICTURES, seed=1)
    assert_rows(run(apply(3), PICTURES, seed=2), first)
    other = run(apply(4), PICTURES, seed=1)
    assert any((x != y).any() for x, y in zip(first, other, strict=True))


SHIFTS = 1, 2, 4, 8


def shifting(pixels, negate):
    table = np.array([pixels, -pixels if pixels == 1 else pixels], np.float32)
    return a.translate_x_no_shape.augmentation(
        mag_range=table, randomly_negate=negate, name=f"shift_{pixels}"
    )


def shifts(rows):
    """Return how far a white line at column 32 has moved to the right."""
    return [int(np.flatnonzero(row[0, :, 0] > 200)[0]) - 32 for row in rows]


def lines(count):
    line = np.zeros((1, 65, 1), np.uint8)
    line[:, 32] = 255
    return [line] * count


def test_rand_augment_draws_evenly_and_negates_half():
    suite = [shifting(shift, negate=shift == 4) for shift in SHIFTS]
    found = shifts(run(lambda x: rand_augment.apply_rand_augment(suite, x, 2, 0, 2), lines(3000)))
    chances = {1: 2, 2: 2, 4: 1, -4: 1, 8: 2}
    expected = {}
    for first, second in itertools.product(chances, repeat=2):
        share = chances[first] * chances[second] / 64
        expected[first + second] = expected.get(first + second, 0) + share * len(found)
    assert set(found) == set(expected)
    seen = [found.count(each) for each in expected]
    assert chisquare(seen, list(expected.values())).pvalue > 0.01


def test_trivial_augment_draws_augmentations_and_bins_evenly():
    suite = [shifting(1, negate=False), shifting(2, negate=True), shifting(4, negate=False)]
    rows = run(lambda x: trivial_augment.apply_trivial_augment(suite, x, 2), lines(3000))
    found = shifts(rows)
    expected = {1: 1 / 6, -1: 1 / 6, 2: 1 / 6, -2: 1 / 6, 4: 1 / 3}
    assert set(found) == set(expected)
    seen = [found.count(each) for each in expected]
    assert chisquare(seen, [share * 3000 for share in expected.values()]).pvalue > 0.01


def test_auto_augment_follows_the_probabilities():
    one, two, four = (shifting(each, negate=False) for each in (1, 2, 4))
    policy = Policy("mine", 2, [[(one, 0.25, 0), (two, 0.5, 1)], [(four, 1.0, 0)]])
    found = shifts(run(lambda x: auto_augment.apply_auto_augment(policy, x), lines(3000)))
    expected = {0: 3 / 16, 1: 1 / 16, 2: 3 / 16, 3: 1 / 16, 4: 1 / 2}
    seen = [found.count(each) for each in expected]
    assert sum(seen) == len(found)
    assert chisquare(seen, [share * 3000 for share in expected.values()]).pvalue > 0.01


def test_relative_translations_need_the_shape(device):
    suite = [rand_augment.get_rand_augment_suite(use_shape=True)[0]]  # translate_x

    def apply(shape):
        return lambda data: rand_augment.apply_rand_augment(suite, data, 1, 30, shape=shape)

    for row in run(apply((10, 224)), [pixels(4, 300, 3)] * 8, device):
        assert sorted([(row[:, :100] == 128).all(), (row[:, -100:] == 128).all()]) == [False, True]
    nodes = run(lambda data: apply(data.shape())(data), [pixels(4, 224, 3)] * 8, device)
    assert all((row[:, :100] == 128).all() or (row[:, -100:] == 128).all() for row in nodes)
    with pytest.raises(ArgumentError, match=r"`translate_x` requires `shape`.*apply_rand_augment"):
        run(lambda data: rand_augment.apply_rand_augment(suite, data, 1, 30), PICTURES)


def test_excluded_augmentations_do_not_come():
    names = [each.name for each in trivial_augment.get_trivial_augment_wide_suite()]
    left = [name for name in names if name not in ("identity", "invert")]
    rows = run(lambda x: trivial_augment.trivial_augment_wide(x, excluded=left), PICTURES * 4)
    assert_rows(rows, PICTURES * 4)
    with pytest.raises(ArgumentError, match=r"`excluded` names no augmentation .*'rotat'"):
        run(lambda x: rand_augment.rand_augment(x, 1, 3, excluded=["rotat"]), PICTURES)


def test_results_are_pillow_s_on_request(device):
    suite = [a.sharpness.augmentation(mag_range=np.float32([-0.7]), randomly_negate=False)]

    def apply(data):
        return trivial_augment.apply_trivial_augment(suite, data, 1, pillow=True)

    from PIL import ImageEnhance

    for image, row in zip(PICTURES, run(apply, PICTURES, device), strict=True):
        factor = 1 + float(np.float32(-0.7))
        wanted = ImageEnhance.Sharpness(Image.fromarray(image)).enhance(factor)
        np.testing.assert_array_equal(row, np.asarray(wanted))


def test_boxes_and_masks_move_with_the_images(device):
    image = np.zeros((60, 80, 3), np.uint8)
    image[20:35, 30:50] = 255
    box = np.float32([[30 / 80, 20 / 60, 50 / 80, 35 / 60]])
    rows = [image] * 16

    def apply(data):
        mask = source([(row[..., 0] > 0).astype(np.int32) for row in rows], "HW")
        return rand_augment.rand_augment(
            data,
            2,
            12,
            max_translate_abs=10,
            boxes=source([box] * len(rows)),
            masks=mask.gpu() if device == "gpu" else mask,
            excluded=["equalize", "solarize", "auto_contrast"],
            fill_value=0,
        )

    images, boxes, masks = run(apply, rows, device)
    assert len({box.tobytes() for box in boxes}) > 5
    for moved, around, mask in zip(images, boxes, masks, strict=True):
        assert mask.dtype == np.int32
        y, x = np.nonzero(mask)
        measured = np.array([x.min() / 80, y.min() / 60, (x.max() + 1) / 80, (y.max() + 1) / 60])
        assert np.abs(around[0] - measured).max() < 4 / 60
        bright = moved.max(axis=2) > 127
        assert (bright != (mask > 0)).mean() < 0.02 or not bright.any()


def test_labels_without_changes_come_back():
    with pytest.warns(UserWarning, match="changes no sample"):
        images, boxes = run(
            lambda x: rand_augment.rand_augment(x, 0, 3, boxes=source([np.eye(4)] * 4)), PICTURES
        )
    assert_rows(images, PICTURES)
    assert len(boxes) == 4


@augmentation(mag_range=(1, 3))
def brighter(data, factor):
    return fn.cast_like(data * factor, data)


@augmentation
def blackened(data, _):
    return fn.erase(data, anchor=(0, 0), shape=(100, 100))


@pytest.mark.parametrize("conditionals", [False, True])
def test_functions_of_operators_are_augmentations_too(conditionals, device):
    suite = [brighter, blackened, a.invert, a.rotate]
    rows = [np.full((5, 6, 3), 20, np.uint8)] * 64
    results = run(
        lambda data: rand_augment.apply_rand_augment(suite, data, 1, 10, 11, fill_value=None),
        rows,
        device,
        enable_conditionals=conditionals,
    )
    levels = [int(row.max()) for row in results]
    assert set(levels) == {60, 0, 235, 20}
    assert chisquare([levels.count(each) for each in (60, 0, 235, 20)]).pvalue > 0.01


def test_a_pipeline_that_was_written_draws_the_same():
    rows = [pixels(9, 8, 3, seed=i) for i in range(4)]

    @pipeline_def(batch_size=4, num_threads=1, seed=6)
    def pipeline():
        data = fn.external_source(name="data", layout="HWC")
        return auto_augment.auto_augment(data)

    pipe = pipeline()
    results = []
    for each in (pipe, Pipeline.deserialize(pipe.serialize())):
        with each:
            each.feed_input("data", rows)
            results.append([np.array(row) for row in each.run()[0].rows()])
    assert_rows(results[0], results[1])


def test_sub_policies_may_mix_both_kinds():
    policy = Policy(
        "mine", 11, [[(a.invert, 1, None), (brighter, 0.5, 10)], [(blackened, 1, None)]]
    )
    rows = [np.full((5, 6, 3), 200, np.uint8)] * 64
    results = run(lambda data: auto_augment.apply_auto_augment(policy, data), rows)
    assert {int(row.max()) for row in results} == {55, 165, 0}


def test_boxes_do_not_move_with_functions_of_operators():
    boxes = [np.float32([[0, 0, 1, 1]])] * 4
    with pytest.raises(ArgumentError, match=r"boxes and masks move with .* blackened"):
        run(
            lambda data: trivial_augment.apply_trivial_augment(
                [blackened], data, 3, boxes=source(boxes)
            ),
            PICTURES,
        )


def test_select_runs_an_operation_on_its_own_samples_alone():
    seen = []

    def look(rows):
        seen.append(rows.copy())
        return rows

    def apply(data):
        which = source([np.int32(i % 3) for i in range(4)])
        watched = [
            lambda x: x & types.Constant(15).uint8(),
            lambda x: fn.python_function(x, function=look),
            lambda x: x[:1],
        ]
        return select(watched, which, data)

    rows = run(apply, PICTURES)
    np.testing.assert_array_equal(rows[0], PICTURES[0] & 15)
    np.testing.assert_array_equal(rows[1], PICTURES[1])
    np.testing.assert_array_equal(rows[2], PICTURES[2][:1])
    assert all((each == PICTURES[1]).all() for each in seen)
    with pytest.raises(ArgumentError, match="no operations"):
        select([], types.Constant(0))


@pytest.mark.parametrize(
    ("apply", "message"),
    [
        (
            lambda x: auto_augment.auto_augment(x, "imagenet"),
            "must be one of image_net",
        ),
        (
            lambda x: auto_augment.auto_augment(x, "reduced_image_net", shape=(3, 4)),
            "does not translate images, so it takes no `shape`",
        ),
        (lambda x: auto_augment.auto_augment(x, max_translate_rel=0.5), "needs the `shape`"),
        (
            lambda x: auto_augment.auto_augment(x, shape=(3, 4), max_translate_abs=5),
            "counts pixels",
        ),
        (lambda x: auto_augment.get_svhn_policy(x), "`use_shape` must be True or False"),
        (
            lambda x: auto_augment.apply_auto_augment(Policy("none", 9, []), x),
            r"Cannot run empty policy. Got Policy\(name='none'",
        ),
        (
            lambda x: auto_augment.apply_auto_augment(
                auto_augment.get_image_net_policy(), x, fillvalue=3
            ),
            "The kwarg `fillvalue` is not used by any",
        ),
        (lambda x: rand_augment.rand_augment(x, -1, 3), "`n` must be a non-negative integer"),
        (lambda x: rand_augment.rand_augment(x, 1, 31), r"from `\[0, 30\]` range. Got 31"),
        (lambda x: rand_augment.rand_augment(x, 1, 0, 0), "must be a positive integer"),
        (lambda x: rand_augment.apply_rand_augment([], x, 1, 3), "list cannot be empty"),
        (lambda x: trivial_augment.apply_trivial_augment([], x), "list cannot be empty"),
        (lambda x: trivial_augment.trivial_augment_wide(x, 0), "must be a positive integer"),
        (lambda x: auto_augment.auto_augment(fn.cast(x, dtype=types.FLOAT)), "uint8 images"),
    ],
)
def test_errors_say_what_is_wrong(apply, message):
    with pytest.raises(ArgumentError, match=message):
        run(apply, PICTURES)
