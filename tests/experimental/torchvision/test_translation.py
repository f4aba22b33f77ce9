"""`from_torchvision`: reports, random numbers, boxes and masks."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def
from penstock.experimental.torchvision import from_torchvision

from .running import by_pipeline, by_torchvision


def test_a_report_says_what_cannot_be_translated_and_why(tv):
    transform = tv.Compose([tv.Resize(8), tv.Lambda(lambda image: image), tv.FiveCrop(4)])
    translation = from_torchvision(transform)
    assert not translation.report.complete
    assert str(translation.report).splitlines() == [
        "Resize: translated",
        "Lambda: NOT translated, it calls a function of yours; fn.python_function does",
        "FiveCrop: NOT translated, it makes several images of one; use fn.crop for each of them",
    ]
    with pytest.raises(ArgumentError, match=r"Lambda: it calls a function of yours.*FiveCrop"):
        translation(None)


def test_arguments_that_cannot_be_translated(tv):
    import torch

    made = from_torchvision([tv.RandomErasing(value="random"), tv.ToDtype(torch.int64)])
    assert [entry.reason[:14] for entry in made.report] == ["value='random'", "dtype is torch"]


def test_a_class_of_a_user_is_not_taken_for_its_base(tv):
    class Mine(tv.Resize):
        pass

    assert "no transform of torchvision" in str(from_torchvision(Mine(3)).report)


MADE = {
    "AugMix": lambda t: t.AugMix(),
    "AutoAugment": lambda t: t.AutoAugment(),
    "CenterCrop": lambda t: t.CenterCrop(9),
    "ColorJitter": lambda t: t.ColorJitter(0.1, 0.1),
    "Compose": lambda t: t.Compose([t.CenterCrop(9)]),
    "GaussianBlur": lambda t: t.GaussianBlur(3),
    "Grayscale": lambda t: t.Grayscale(),
    "Normalize": lambda t: t.Normalize([0.1], [0.2]),
    "PILToTensor": lambda t: t.PILToTensor(),
    "Pad": lambda t: t.Pad(2),
    "RandAugment": lambda t: t.RandAugment(),
    "RandomAdjustSharpness": lambda t: t.RandomAdjustSharpness(2),
    "RandomAffine": lambda t: t.RandomAffine(9, (0.1, 0.1), (0.8, 1.2), 5),
    "RandomApply": lambda t: t.RandomApply([t.CenterCrop(9)]),
    "RandomAutocontrast": lambda t: t.RandomAutocontrast(),
    "RandomChoice": lambda t: t.RandomChoice([t.CenterCrop(9), t.Resize(9)]),
    "RandomCrop": lambda t: t.RandomCrop(9, padding=2),
    "RandomEqualize": lambda t: t.RandomEqualize(),
    "RandomErasing": lambda t: t.RandomErasing(),
    "RandomGrayscale": lambda t: t.RandomGrayscale(),
    "RandomHorizontalFlip": lambda t: t.RandomHorizontalFlip(),
    "RandomInvert": lambda t: t.RandomInvert(),
    "RandomOrder": lambda t: t.RandomOrder([t.CenterCrop(9), t.Resize(9)]),
    "RandomPerspective": lambda t: t.RandomPerspective(),
    "RandomPosterize": lambda t: t.RandomPosterize(2),
    "RandomResizedCrop": lambda t: t.RandomResizedCrop(9),
    "RandomRotation": lambda t: t.RandomRotation(9),
    "RandomSolarize": lambda t: t.RandomSolarize(100),
    "RandomVerticalFlip": lambda t: t.RandomVerticalFlip(),
    "Resize": lambda t: t.Resize(9),
    "ToPILImage": lambda t: t.ToPILImage(),
    "TrivialAugmentWide": lambda t: t.TrivialAugmentWide(),
}


@pytest.mark.parametrize("name", MADE)
def test_transforms_of_both_versions_are_translated(tv, name):
    from torchvision import transforms

    for module in (transforms, tv):
        assert from_torchvision(MADE[name](module)).report.problems == []


PRESETS = {
    "ImageClassification": {"crop_size": 40, "resize_size": 48},
    "SemanticSegmentation": {"resize_size": 52},
    "ObjectDetection": {},
}


@pytest.mark.parametrize("kind", ["pil", "tensor"])
@pytest.mark.parametrize("name", PRESETS)
def test_transforms_of_pretrained_weights(tv, photographs, device, name, kind):
    from torchvision.transforms import _presets

    preset = getattr(_presets, name)(**PRESETS[name])
    assert str(from_torchvision(preset).report) == f"{name}: translated"
    wanted = by_torchvision(preset, photographs, kind)
    made = by_pipeline(preset, photographs, kind, device)
    is_exact = (device, kind) == ("cpu", "pil")  # else bytes within 1, divided by 255 and std
    for ours, theirs in zip(made, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 if is_exact else 0.02)


def test_a_segmentation_without_a_size(tv, photographs):
    from torchvision.transforms._presets import SemanticSegmentation

    preset = SemanticSegmentation(resize_size=None)
    (made,), (wanted,) = (
        by_pipeline(preset, photographs[:1], "pil", "cpu"),
        by_torchvision(preset, photographs[:1], "pil"),
    )
    np.testing.assert_allclose(made, wanted, atol=1e-5)


def test_sequences_in_sequences(tv):
    import torch

    inner = torch.nn.Sequential(tv.CenterCrop(9), tv.Identity())
    names = [entry.name for entry in from_torchvision([tv.Compose([tv.Resize(9), inner])]).report]
    assert names == ["Resize", "CenterCrop"]


def test_wrong_kinds_of_images_are_refused(tv):
    with pytest.raises(ArgumentError, match="'pil' or 'tensor'"):
        from_torchvision(tv.Resize(3), images="numpy")


def test_random_numbers_follow_the_seed(tv, photographs):
    transform = tv.Compose([tv.RandomResizedCrop(30), tv.ColorJitter(0.4, 0.4, 0.4, 0.1)])
    first = by_pipeline(transform, photographs, "pil", "cpu", seed=1)
    np.testing.assert_array_equal(by_pipeline(transform, photographs, "pil", "cpu", seed=1), first)
    assert (np.array(by_pipeline(transform, photographs, "pil", "cpu", seed=2)) != first).any()


@pytest.mark.parametrize("name", ["RandomHorizontalFlip", "RandomGrayscale", "RandomInvert"])
def test_half_of_the_images_change(tv, name):
    image = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    made = by_pipeline(getattr(tv, name)(p=0.5), [image] * 400, "pil", "cpu")
    changed = np.mean([(picture != image).any() for picture in made])
    assert 0.4 < changed < 0.6


def test_boxes_do_not_rotate(tv, photographs):
    @pipeline_def(batch_size=1)
    def rotated():
        images = fn.external_source(source=lambda: [np.asarray(photographs[0])], layout="HWC")
        boxes = fn.external_source(source=lambda: [np.zeros((1, 4), np.float32)])
        return from_torchvision(tv.RandomRotation(9))(images, boxes=boxes)

    with pytest.raises(ArgumentError, match="boxes under rotations"):
        rotated()


def test_one_rectangle_is_erased(tv, device):
    image = np.full((60, 90, 3), 200, np.uint8)
    transform = tv.Compose([tv.ToImage(), tv.RandomErasing(p=0.5, value=(1, 2, 3))])
    erased = 0
    for made in by_pipeline(transform, [image] * 40, "tensor", device):
        assert made.shape == (3, 60, 90)
        changed = (made != 200).all(axis=0)
        rows, columns = changed.any(axis=1), changed.any(axis=0)
        np.testing.assert_array_equal(changed, np.outer(rows, columns))
        assert {tuple(color) for color in made[:, changed].T.tolist()} <= {(1, 2, 3)}
        if changed.any():
            erased += 1
            assert 0.015 < changed.mean() < 0.34
            assert len(np.flatnonzero(rows)) == np.ptp(np.flatnonzero(rows)) + 1
    assert 8 < erased < 32


def test_definitions_with_conditions(tv, photographs):
    samples = [np.asarray(photograph) for photograph in photographs]
    transform = tv.Compose([tv.RandomApply([tv.RandomInvert(1.0)]), tv.RandomCrop(40)])

    def translated():
        images = fn.external_source(source=lambda: samples, layout="HWC")
        return from_torchvision(transform)(images)

    made = []
    for conditions in (False, True):
        define = pipeline_def(translated, enable_conditionals=conditions)
        with define(batch_size=3, num_threads=1, seed=5) as pipe:
            made.append(pipe.run()[0].as_array())
    np.testing.assert_array_equal(*made)


def test_images_without_a_layout_are_hwc_and_others_are_refused(tv):
    samples = [np.zeros((6, 8, 3), np.uint8)] * 2

    @pipeline_def(batch_size=2, num_threads=1)
    def translated(layout):
        images = fn.external_source(source=lambda: samples, layout=layout)
        return from_torchvision([tv.CenterCrop(4), tv.ToImage()])(images)

    with translated(None) as pipe:
        assert pipe.run()[0].as_array().shape == (2, 3, 4, 4)
    with pytest.raises(ArgumentError, match="layout 'CHW'"):
        translated("CHW")


def test_videos_get_one_set_of_parameters(tv, device):
    frames = np.random.default_rng(1).integers(0, 256, (1, 9, 11, 3), np.uint8)
    samples = [np.repeat(frames, 3, axis=0)] * 2
    transform = tv.Compose(
        [tv.RandomResizedCrop(6), tv.RandomHorizontalFlip(), tv.ColorJitter(0.5, 0.5), tv.ToImage()]
    )

    @pipeline_def(batch_size=2, num_threads=1, seed=3)
    def translated():
        videos = fn.external_source(source=lambda: samples, layout="FHWC")
        return from_torchvision(transform, device=device)(videos)

    with translated() as pipe:
        for video in pipe.run()[0].as_cpu().rows():
            assert video.shape == (3, 3, 6, 6)
            assert (np.asarray(video) == np.asarray(video)[:1]).all()


@pytest.mark.parametrize("name", ["TenCrop", "RandomIoUCrop", "ConvertBoundingBoxFormat"])
def test_what_is_refused_by_name(tv, name):
    arguments = {"ConvertBoundingBoxFormat": ("XYWH",), "TenCrop": (4,)}.get(name, ())
    (entry,) = from_torchvision(getattr(tv, name)(*arguments)).report
    assert entry.transform is None
    assert entry.reason != "there is no such transform here"


def tv_tensors():
    return importlib.import_module("torchvision.tv_tensors")


GEOMETRY = {
    "resize": lambda tv: tv.Resize((40, 150)),
    "crop": lambda tv: tv.CenterCrop((50, 61)),
    "pad": lambda tv: tv.Pad((1, 2, 3, 4), fill=7),
    "pad by kind": lambda tv: tv.Pad(3, fill={tv_tensors().Mask: 4, "others": 9}),
    "flip": lambda tv: tv.RandomHorizontalFlip(1.0),
    "vertical flip": lambda tv: tv.RandomVerticalFlip(1.0),
    "jitter": lambda tv: tv.ScaleJitter((70, 91), (0.9, 0.9)),
    "shortest": lambda tv: tv.RandomShortestSize([57], max_size=80),
    "all": lambda tv: tv.Compose(
        [tv.Resize(57), tv.CenterCrop(50), tv.RandomHorizontalFlip(1.0), tv.Grayscale(3)]
    ),
}


@pytest.mark.parametrize("make", GEOMETRY.values(), ids=GEOMETRY)
def test_boxes_and_masks_move_with_their_images(tv, photographs, device, make):
    import torch
    from torchvision import tv_tensors

    transform = make(tv)
    samples = [np.asarray(photograph) for photograph in photographs]
    boxes = [np.float32([[3, 4, 50, 60], [20, 1, 30, 40]])] * len(samples)
    masks = [sample[..., 0] // 64 for sample in samples]

    @pipeline_def(batch_size=len(samples), num_threads=2, seed=1)
    def translated():
        images = fn.external_source(source=lambda: samples, layout="HWC")
        corners = fn.external_source(source=lambda: boxes)
        classes = fn.external_source(source=lambda: masks, layout="HW")
        classes = classes.gpu() if device == "gpu" else classes
        function = from_torchvision(transform, images="tensor", device=device)
        return function(images, boxes=corners, masks=classes)

    with translated() as pipe:
        made = [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]
    for i, sample in enumerate(samples):
        image = tv_tensors.Image(torch.from_numpy(sample.transpose(2, 0, 1).copy()))
        given = tv_tensors.BoundingBoxes(boxes[i], format="XYXY", canvas_size=sample.shape[:2])
        wanted = transform(image, given, tv_tensors.Mask(masks[i].copy()))
        np.testing.assert_array_equal(made[0][i], wanted[0])
        np.testing.assert_allclose(made[1][i], wanted[1], rtol=0, atol=1e-3)
        np.testing.assert_array_equal(made[2][i], wanted[2])
