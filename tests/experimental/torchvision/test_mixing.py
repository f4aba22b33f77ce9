"""AugMix blends images with chains of changes as torchvision does."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import ArgumentError
from penstock.experimental import torchvision as transforms
from penstock.experimental.torchvision import from_torchvision
from penstock.experimental.torchvision.auto_augment import CHANGES
from penstock.experimental.torchvision.mixing import _magnitudes

from .running import by_pipeline, by_torchvision


def test_magnitudes_are_torchvision_s(tv):
    space = tv.AugMix._AUGMENTATION_SPACE
    for name, (function, is_signed) in space.items():
        assert CHANGES[name].is_signed == is_signed
        theirs = function(10, 1, 1)
        if theirs is not None:
            np.testing.assert_allclose(_magnitudes(name), theirs, atol=1e-6)


def test_blends_of_one_change_are_torchvision_s(tv, photographs, device):
    import torch

    # A large alpha leaves no choice of the weights, and one change few results.
    transform = tv.AugMix(
        severity=2,
        mixture_width=1,
        chain_depth=1,
        alpha=1e12,
        interpolation=tv.InterpolationMode.NEAREST,
    )
    square = photographs[0].resize((54, 54))  # thirds of ninths of it are whole pixels
    tensor = torch.from_numpy(np.array(square).transpose(2, 0, 1).copy())
    wanted = []
    for name, (function, is_signed) in transform._AUGMENTATION_SPACE.items():
        values = function(10, 54, 54)
        magnitudes = {0.0} if values is None else {float(value) for value in values[:2]}
        for magnitude in magnitudes | {-magnitude for magnitude in magnitudes if is_signed}:
            changed = transform._apply_image_or_video_transform(
                tensor, name, magnitude, tv.InterpolationMode.NEAREST, {}
            )
            wanted.append((0.5 * tensor + 0.5 * changed).int().permute(1, 2, 0).numpy())

    def nearest(made):
        parts = [(np.abs(made - image).max(axis=2) > 1).mean() for image in wanted]
        assert min(parts) <= 0.02  # points between two pixels
        return int(np.argmin(parts))

    (theirs,) = by_torchvision(transform, [square], "pil")
    nearest(theirs.astype(int))  # what is wanted is right
    made = by_pipeline(transform, [square] * 30, "pil", device)
    assert len({nearest(image.astype(int)) for image in made}) > 8


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_weights_have_torchvision_s_distribution(tv, alpha):
    import torch

    image = np.full((8, 8, 3), 200, np.uint8)
    transform = tv.AugMix(severity=10, mixture_width=2, alpha=alpha)
    torch.manual_seed(3)
    count = 400
    tensor = torch.from_numpy(image.transpose(2, 0, 1).copy())
    theirs = np.array([transform(tensor).float().mean().item() for _ in range(count)])
    made = by_pipeline(transform, [image] * count, "tensor", "cpu")
    ours = np.array([sample.mean() for sample in made])
    assert abs(ours.mean() - theirs.mean()) < 4 * theirs.std() / np.sqrt(count) * np.sqrt(2)
    assert 0.85 < ours.std() / theirs.std() < 1.15


def test_images_without_changes_stay_but_for_the_sum_of_the_weights(tv):
    image = np.full((5, 7, 3), 96, np.uint8)  # the only level: four bits of it, below 255
    transform = tv.AugMix(severity=1)
    for made in by_pipeline(transform, [image] * 50, "pil", "cpu"):
        assert set(np.unique(made)) <= {95, 96}


def test_chains_have_one_to_three_changes(tv):
    from penstock.testing.agreement import on_device

    table = np.ones((1, 1, 2, 10), np.float32)
    arguments = {"table": table, "probabilities": np.ones((1, 1)), "rounds": 3, "fewest_rounds": 1}
    steps = np.stack(on_device("cpu", "_draw_steps", batch_size=3000, **arguments).outputs[0])
    lengths = steps[..., 0].sum(axis=1)
    assert (np.diff(steps[..., 0], axis=1) <= 0).all()  # the first ones
    counts = np.bincount(lengths.astype(int), minlength=4)
    assert counts[0] == 0
    assert (abs(counts[1:] - 1000) < 150).all()


def test_translations_and_their_limits(tv, photographs):
    assert from_torchvision([tv.AugMix(), tv.RandomChannelPermutation()]).report.complete
    with pytest.raises(ArgumentError, match="severity must be an integer from 1 to 10"):
        transforms.AugMix(severity=11)
    with pytest.raises(ArgumentError, match="alpha must be positive"):
        transforms.AugMix(alpha=0)
    bicubic = from_torchvision(tv.AugMix(interpolation="bicubic")).report
    assert "use nearest or bilinear" in str(bicubic)
    floats = [transforms.ToTensor(), transforms.AugMix()]
    with pytest.raises(ArgumentError, match="before the conversion to floats"):
        by_pipeline(floats, photographs, "pil", "cpu")


def test_channels_come_in_all_orders(tv, photographs, device):
    made = by_pipeline(tv.RandomChannelPermutation(), photographs[:1] * 40, "pil", device)
    image = np.asarray(photographs[0])
    orders = {(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)}
    wanted = {image[..., order].tobytes() for order in orders}
    assert {sample.tobytes() for sample in made} == wanted
