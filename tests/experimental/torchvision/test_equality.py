"""What pipelines make of photographs equals what torchvision makes of these."""

from __future__ import annotations

import numpy as np
import PIL
import pytest

from .running import by_pipeline, by_torchvision

pytestmark = pytest.mark.filterwarnings("ignore:Anti-alias option is always applied")

# Transforms by a name, with the largest difference; those with random numbers leave no choice.
EQUAL = {
    "resize to a side": lambda tv: tv.Resize(57),
    "resize to a size": lambda tv: tv.Resize((40, 150), tv.InterpolationMode.BICUBIC),
    "resize by Lanczos": lambda tv: tv.Resize((77, 33), tv.InterpolationMode.LANCZOS),
    "resize to nearest": lambda tv: tv.Resize(130, tv.InterpolationMode.NEAREST),
    "resize to a longer side": lambda tv: tv.Resize(None, max_size=71),
    "resize within a side": lambda tv: tv.Resize(60, max_size=70),
    "resize without antialias": lambda tv: tv.Resize(31, antialias=False),
    "center crop": lambda tv: tv.CenterCrop((50, 61)),
    "larger center crop": lambda tv: tv.CenterCrop((120, 99)),
    "pad": lambda tv: tv.Pad((1, 2, 3, 4), fill=7),
    "pad in colors": lambda tv: tv.Pad(2, fill=(1, 2, 3)),
    "pad with edge": lambda tv: tv.Pad(9, padding_mode="edge"),
    "pad by reflection": lambda tv: tv.Pad((9, 5), padding_mode="reflect"),
    "pad symmetrically": lambda tv: tv.Pad((9, 5), padding_mode="symmetric"),
    "scaled rectangle": lambda tv: tv.ScaleJitter((70, 91), (0.9, 0.9)),
    "shortest size": lambda tv: tv.RandomShortestSize([57]),
    "shortest size within a side": lambda tv: tv.RandomShortestSize(57, max_size=64),
    "one size of a range": lambda tv: tv.RandomResize(57, 58),
    "no zoom": lambda tv: tv.RandomZoomOut(p=0.0),
    "flip": lambda tv: tv.RandomHorizontalFlip(1.0),
    "no flip": lambda tv: tv.RandomHorizontalFlip(0.0),
    "vertical flip": lambda tv: tv.RandomVerticalFlip(1.0),
    "one gray": lambda tv: tv.Grayscale(1),
    "three grays": lambda tv: tv.Grayscale(3),
    "random gray": lambda tv: tv.RandomGrayscale(1.0),
    "brightness": lambda tv: tv.ColorJitter(brightness=(1.3, 1.3)),
    "contrast": lambda tv: tv.ColorJitter(contrast=(1.5, 1.5)),
    "saturation": lambda tv: tv.ColorJitter(saturation=(0.3, 0.3)),
    "hue": lambda tv: tv.ColorJitter(hue=(0.1, 0.1)),
    "invert": lambda tv: tv.RandomInvert(1.0),
    "posterize": lambda tv: tv.RandomPosterize(3, 1.0),
    "solarize": lambda tv: tv.RandomSolarize(100, 1.0),
    "autocontrast": lambda tv: tv.RandomAutocontrast(1.0),
    "equalize": lambda tv: tv.RandomEqualize(1.0),
    "sharpen": lambda tv: tv.RandomAdjustSharpness(2.3, 1.0),
    "smooth": lambda tv: tv.RandomAdjustSharpness(0.4, 1.0),
    "several": lambda tv: tv.Compose([tv.Resize(70), tv.CenterCrop(64), tv.Grayscale(3)]),
}


@pytest.mark.parametrize("kind", ["pil", "tensor"])
@pytest.mark.parametrize("name", EQUAL)
def test_bytes_are_equal(tv, photographs, device, name, kind):
    transform = EQUAL[name](tv)
    if kind == "tensor" and isinstance(transform, tv.RandomAutocontrast):
        pytest.skip("see the test of stretched levels")
    if name == "resize to a size" and kind == "pil" and int(PIL.__version__.split(".")[0]) < 13:
        pytest.skip("Pillow resizes first along the rows since 13")
    try:
        wanted = by_torchvision(transform, photographs, kind)
    except NotImplementedError as error:
        if "lanczos" not in str(error):
            raise
        pytest.skip(f"this PyTorch lacks it: {error}")
    made = by_pipeline(transform, photographs, kind, device)
    for ours, theirs in zip(made, wanted, strict=True):
        assert ours.dtype == theirs.dtype == np.uint8
        np.testing.assert_array_equal(ours, theirs)


def test_stretched_levels_of_tensors_are_one_off(tv, photographs, device):
    transform = tv.RandomAutocontrast(1.0)
    wanted = by_torchvision(transform, photographs, "tensor")
    made = by_pipeline(transform, photographs, "tensor", device)
    for ours, theirs in zip(made, wanted, strict=True):
        assert np.abs(ours.astype(int) - theirs).max() <= 1


@pytest.mark.parametrize("kind", ["pil", "tensor"])
def test_a_few_blurred_bytes_are_one_off(tv, photographs, device, kind):
    transform = tv.GaussianBlur((7, 3), (0.8, 0.8))
    wanted = by_torchvision(transform, photographs, kind)
    for ours, theirs in zip(by_pipeline(transform, photographs, kind, device), wanted, strict=True):
        differences = np.abs(ours.astype(int) - theirs)
        assert differences.max() <= 1
        assert (differences > 0).mean() < 1e-3


MOVED = {
    "rotation": (0, lambda tv: tv.RandomRotation((17, 17), fill=9)),
    "affine": (
        0,
        lambda tv: tv.RandomAffine((-33, -33), None, (1.2, 1.2), (12, 12), fill=(1, 2, 3)),
    ),
    "smooth rotation": (1, lambda tv: tv.RandomRotation((17, 17), tv.InterpolationMode.BILINEAR)),
    "rotation about a point": (0, lambda tv: tv.RandomRotation((-8, -8), center=(3, 20))),
    "no perspective": (0, lambda tv: tv.RandomPerspective(p=0.0)),
}


@pytest.mark.parametrize("kind", ["pil", "tensor"])
@pytest.mark.parametrize(("largest", "make"), MOVED.values(), ids=MOVED)
def test_nearly_all_moved_pixels_are_equal(tv, photographs, device, kind, largest, make):
    transform = make(tv)
    wanted = by_torchvision(transform, photographs, kind)
    made = by_pipeline(transform, photographs, kind, device)
    for ours, theirs in zip(made, wanted, strict=True):
        differences = np.abs(ours.astype(int) - theirs).max(axis=0 if kind == "tensor" else 2)
        # Pillow does not blend an image's edge with the fill, and torchvision does so twice.
        border = 0.03 if largest else 0.003
        assert (differences > largest).mean() < border


def floats(tv, *transforms):
    """Return transforms of floats from 0 to 1."""
    import torch

    return tv.Compose([tv.ToImage(), tv.ToDtype(torch.float32, scale=True), *transforms])


MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
REAL = {
    "conversion": (0, lambda tv: floats(tv)),
    "normalize": (1e-6, lambda tv: floats(tv, tv.Normalize(MEAN, STD))),
    "normalize bytes as floats": (1e-5, lambda tv: floats(tv, tv.Normalize([0.0] * 3, [0.1] * 3))),
    "resize": (2e-5, lambda tv: floats(tv, tv.Resize(57))),
    "resize before": (1e-6, lambda tv: tv.Compose([tv.Resize(57), floats(tv)])),
    "color": (1e-5, lambda tv: floats(tv, tv.ColorJitter(contrast=(1.5, 1.5)))),
    "hue": (1e-5, lambda tv: floats(tv, tv.ColorJitter(hue=(0.2, 0.2)))),
    "gray": (1e-6, lambda tv: floats(tv, tv.Grayscale())),
    "blur": (1e-6, lambda tv: floats(tv, tv.GaussianBlur(5, (1.1, 1.1)))),
    "pad": (0, lambda tv: floats(tv, tv.Pad(4, fill=0.5))),
    "flip of what is normalized": (
        1e-6,
        lambda tv: floats(tv, tv.Normalize(MEAN, STD), tv.RandomHorizontalFlip(1.0)),
    ),
    "invert": (0, lambda tv: floats(tv, tv.RandomInvert(1.0))),
    "no invert": (0, lambda tv: floats(tv, tv.RandomInvert(0.0))),
    "posterize": (0, lambda tv: floats(tv, tv.RandomPosterize(3, 1.0))),
    "solarize": (0, lambda tv: floats(tv, tv.RandomSolarize(0.4, 1.0))),
    "two normalizations": (
        1e-5,
        lambda tv: floats(tv, tv.Normalize(MEAN, STD), tv.Normalize(MEAN, STD)),
    ),
}


@pytest.mark.parametrize("kind", ["pil", "tensor"])
@pytest.mark.parametrize(("largest", "make"), REAL.values(), ids=REAL)
def test_floats_are_close(tv, photographs, device, kind, largest, make):
    transform = make(tv)
    wanted = by_torchvision(transform, photographs, kind)
    made = by_pipeline(transform, photographs, kind, device)
    for ours, theirs in zip(made, wanted, strict=True):
        assert ours.dtype == theirs.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=max(largest, 0))


def test_older_transforms_are_translated(photographs, device):
    from ...torchvision_library import load_torchvision

    load_torchvision()
    from torchvision import transforms

    transform = transforms.Compose(
        [transforms.Resize(60), transforms.CenterCrop(50), transforms.ToTensor()]
    )
    wanted = by_torchvision(transform, photographs, "pil")
    made = by_pipeline(transform, photographs, "pil", device)
    np.testing.assert_allclose(made, wanted, rtol=0, atol=1e-7)


def test_floats_become_bytes_again(tv, photographs, device):
    import torch

    transform = floats(tv, tv.ToDtype(torch.uint8, scale=True))
    wanted = by_torchvision(transform, photographs, "tensor")
    for ours, theirs in zip(
        by_pipeline(transform, photographs, "tensor", device), wanted, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
