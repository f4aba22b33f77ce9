"""`Compose`: images of Pillow and tensors, in and out."""

from __future__ import annotations

import numpy as np
import pytest

import penstock.experimental.torchvision as transforms
from penstock.engine.errors import ArgumentError
from penstock.experimental.torchvision import Compose

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture
def tensor(photographs):
    """A photograph as a tensor."""
    return torch.from_numpy(np.array(photographs[0]).transpose(2, 0, 1).copy())


def test_an_image_gives_an_image(photographs):
    with Compose([transforms.Resize(40), transforms.CenterCrop(30)]) as transform:
        made = transform(photographs[0])
        assert (made.size, made.mode) == ((30, 30), "RGB")
        assert transform(photographs[0].convert("L")).mode == "L"
        assert transform(photographs[0].convert("RGBA")).mode == "RGBA"
        wanted = photographs[0].resize((59, 40), 2).crop((14, 5, 44, 35))
        np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def test_a_tensor_gives_a_tensor(tensor):
    with Compose([transforms.CenterCrop(30)], batch_size=3) as transform:
        made = transform(tensor)
        assert (made.shape, made.dtype) == ((3, 30, 30), torch.uint8)
        assert transform(torch.stack([tensor] * 2)).shape == (2, 3, 30, 30)
        assert transform(tensor.float()).dtype == torch.float32
        assert transform(tensor[:1]).shape == (1, 30, 30)


def test_transforms_say_what_comes_out(photographs, tensor):
    with Compose([transforms.PILToTensor()]) as transform:
        np.testing.assert_array_equal(transform(photographs[0]), tensor)
    with Compose([transforms.ToPILImage()]) as transform:
        np.testing.assert_array_equal(np.asarray(transform(tensor)), np.asarray(photographs[0]))
        pictures = transform(torch.stack([tensor] * 2))
        assert [picture.size for picture in pictures] == [photographs[0].size] * 2
    with Compose([transforms.Resize(40), transforms.ToPureTensor()]) as transform:
        assert transform(photographs[0]).shape == (3, 40, 59)
    with Compose([transforms.ToTensor(), transforms.ToPILImage()]) as transform:
        np.testing.assert_array_equal(
            np.asarray(transform(photographs[0])), np.asarray(photographs[0])
        )


def test_work_on_the_gpu(photographs, tensor, device):
    ops = [transforms.Resize(40, device=device), transforms.ColorJitter(0.5, device=device)]
    with Compose(ops, seed=4) as transform, Compose(ops, seed=4) as again:
        np.testing.assert_array_equal(
            np.asarray(transform(photographs[0])), np.asarray(again(photographs[0]))
        )


def test_transforms_on_both_devices(photographs, tensor, device):
    ops = [transforms.Resize(40, device=device), transforms.CenterCrop(30), transforms.Pad(1)]
    with Compose(ops) as transform:
        assert transform(photographs[0]).size == (32, 32)
        assert transform(tensor).shape == (3, 32, 32)


def test_samples_of_a_tensor_differ_and_calls_do(tensor):
    with Compose([transforms.RandomCrop(30)], seed=4) as transform:
        first = transform(torch.stack([tensor] * 4))
        assert len({picture.sum().item() for picture in first}) > 1
        assert not torch.equal(first, transform(torch.stack([tensor] * 4)))
    with Compose([transforms.RandomCrop(30)], seed=4) as transform:
        assert torch.equal(first, transform(torch.stack([tensor] * 4)))


def test_it_works_after_an_error(tensor):
    with Compose([transforms.RandomCrop(60)]) as transform:
        with pytest.raises(ArgumentError, match="larger than the image"):
            transform(tensor[:, :20])
        assert transform(tensor).shape == (3, 60, 60)


def test_transforms_of_torchvision_are_translated(tv, photographs):
    theirs = [tv.Resize(40), tv.CenterCrop(30)]
    with Compose(theirs) as transform:
        wanted = tv.Compose(theirs)(photographs[0])
        np.testing.assert_array_equal(np.asarray(transform(photographs[0])), np.asarray(wanted))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (7, TypeError, "images of Pillow and tensors"),
        (torch.zeros(3, 4), ArgumentError, r"\(3, 4\)"),
        (torch.zeros(5, 4, 4), ArgumentError, "1 to 4 channels"),
        (torch.zeros(3, 3, 4, 4), ArgumentError, "batch_size=3"),
    ],
)
def test_what_is_refused(given, error, message):
    with (
        Compose([transforms.CenterCrop(2)], batch_size=2) as transform,
        pytest.raises(error, match=message),
    ):
        transform(given)


def test_other_modes_are_refused(photographs):
    cmyk = photographs[0].convert("CMYK")
    with (
        Compose([transforms.CenterCrop(2)]) as transform,
        pytest.raises(ArgumentError, match="mode 'CMYK'"),
    ):
        transform(cmyk)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: transforms.Resize(0), "positive"),
        (lambda: transforms.Resize(None), "max_size must be given"),
        (lambda: transforms.Resize((3, 4), max_size=5), "one number"),
        (lambda: transforms.Resize(5, max_size=5), "above size"),
        (lambda: transforms.Resize(5, 9), "Pillow's numbers"),
        (lambda: transforms.Resize(5, "linear"), "InterpolationMode"),
        (lambda: transforms.CenterCrop((1, 2, 3)), "one or two"),
        (lambda: transforms.Pad(-1), "negative"),
        (lambda: transforms.Pad((1, 2, 3)), "one, two or four"),
        (lambda: transforms.Pad(1, padding_mode="wrap"), "padding_mode"),
        (lambda: transforms.RandomHorizontalFlip(1.1), "from 0 to 1"),
        (lambda: transforms.RandomResizedCrop(4, scale=(1.0, 0.5)), "least, largest"),
        (lambda: transforms.RandomResizedCrop(4, scale=(0.0, 0.5)), "positive"),
        (lambda: transforms.ColorJitter(brightness=-1), "negative"),
        (lambda: transforms.ColorJitter(hue=0.6), "hue"),
        (lambda: transforms.Grayscale(2), "1 or 3"),
        (lambda: transforms.GaussianBlur(4), "odd"),
        (lambda: transforms.GaussianBlur(3, 0), "positive"),
        (lambda: transforms.RandomRotation(5, expand=True), "keep their size"),
        (lambda: transforms.RandomRotation(-5), "negative"),
        (lambda: transforms.RandomRotation(5, 3), "bicubic"),
        (lambda: transforms.RandomAffine(5, translate=(0.1, 2)), "from 0 to 1"),
        (lambda: transforms.RandomAffine(5, scale=(0, 2)), "positive"),
        (lambda: transforms.RandomPerspective(1.5), "0 to 1"),
        (lambda: transforms.Normalize([0.0], [0.0]), "std must not be 0"),
        (lambda: transforms.RandomPosterize(9), "bits"),
        (lambda: transforms.ToDtype("int64"), "uint8 or float32"),
        (lambda: transforms.CenterCrop(4, device="tpu"), "'cpu' or 'gpu'"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: transforms.CenterCrop("a"),
        lambda: transforms.RandomCrop(4, padding="a"),
        lambda: transforms.Pad((1, 2, 3)),
        lambda: transforms.Pad(1, fill="a"),
        lambda: transforms.RandomResizedCrop(4, ratio=1.0),
        lambda: transforms.Normalize(0.5, [0.5]),
        lambda: transforms.Normalize("a", [0.5]),
    ],
)
def test_wrong_types(make):
    with pytest.raises(TypeError, match="must be"):
        make()


def test_a_transform_is_not_called_by_itself(tensor):
    with pytest.raises(RuntimeError, match=r"use Compose\(\[Resize"):
        transforms.Resize(4)(tensor)
