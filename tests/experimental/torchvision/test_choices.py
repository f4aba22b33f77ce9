"""Transforms that choose among transforms."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import penstock.experimental.torchvision as transforms
from penstock import ArgumentError
from penstock.experimental.torchvision import Compose, from_torchvision

from .running import by_pipeline

IMAGE = np.arange(8 * 10 * 3, dtype=np.uint8).reshape(8, 10, 3)


def shares(tv, transform, results, device="cpu", count=300):
    """Return how often each of the results comes out."""
    made = by_pipeline(transform, [IMAGE] * count, "pil", device)
    names = {np.ascontiguousarray(value).tobytes(): name for name, value in results.items()}
    counted = Counter(names[picture.tobytes()] for picture in made)
    return {name: counted[name] / count for name in results}


def test_all_or_none(tv, device):
    transform = tv.RandomApply(
        [tv.CenterCrop((8, 6)), tv.RandomHorizontalFlip(1.0), tv.Pad((2, 0))], p=0.3
    )
    changed = np.zeros_like(IMAGE)
    changed[:, 2:8] = IMAGE[:, 2:8][:, ::-1]
    found = shares(tv, transform, {"same": IMAGE, "changed": changed}, device)
    assert 0.2 < found["changed"] < 0.4


@pytest.mark.parametrize(("p", "wanted"), [(0.0, 0), (1.0, 1)])
def test_certainties(tv, p, wanted):
    transform = tv.RandomApply([tv.RandomInvert(1.0)], p=p)
    found = shares(tv, transform, {"same": IMAGE, "changed": 255 - IMAGE}, count=20)
    assert found["changed"] == wanted


def test_one_of_several(tv, device):
    transform = tv.RandomChoice(
        [tv.RandomHorizontalFlip(1.0), tv.RandomVerticalFlip(1.0), tv.RandomInvert(1.0)],
        p=[1, 2, 1],
    )
    results = {"left": IMAGE[:, ::-1], "up": IMAGE[::-1], "inverted": 255 - IMAGE}
    found = shares(tv, transform, results, device)
    assert 0.15 < found["left"] < 0.35
    assert 0.4 < found["up"] < 0.6
    assert 0.15 < found["inverted"] < 0.35


def test_sizes_may_differ_by_choice(tv):
    made = by_pipeline(
        tv.RandomChoice([tv.CenterCrop(4), tv.Resize(6)]), [IMAGE] * 40, "pil", "cpu"
    )
    assert {picture.shape for picture in made} == {(4, 4, 3), (6, 7, 3)}


def test_all_orders(tv):
    pads = [tv.Pad(1, fill=i) for i in (1, 2, 3)]
    made = by_pipeline(tv.RandomOrder(pads), [IMAGE] * 400, "pil", "cpu")
    counted = Counter(tuple(picture[i, 5, 0] for i in range(3)) for picture in made)
    assert len(counted) == 6
    assert all(35 < count < 105 for count in counted.values())


def test_choices_in_choices_and_sequences(tv, photographs, device):
    inner = tv.RandomApply([tv.ColorJitter(0.5)], p=0.5)
    transform = tv.Compose(
        [tv.Resize(40), tv.RandomChoice([tv.Compose([inner, tv.Pad(2)]), tv.Pad(2)])]
    )
    made = by_pipeline(transform, photographs, "pil", device)
    assert [picture.shape for picture in made] == [(44, 63, 3), (64, 44, 3), (44, 44, 3)]


def test_a_compose_with_a_choice():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    flip = transforms.RandomApply([transforms.RandomHorizontalFlip(1.0)], p=1.0)
    with Compose([flip]) as transform:
        tensor = torch.arange(2 * 3 * 4 * 5, dtype=torch.uint8).reshape(2, 3, 4, 5)
        assert torch.equal(transform(tensor), tensor.flip(-1))


def test_problems_within(tv):
    report = from_torchvision(tv.RandomApply([tv.Lambda(lambda image: image)])).report
    assert "in it, Lambda: it calls a function of yours" in str(report)
    report = from_torchvision(tv.RandomOrder([tv.Pad(1)] * 6)).report
    assert "1 to 5 transforms, not for 6" in str(report)


@pytest.mark.filterwarnings("ignore:The transform `ToTensor")
def test_images_of_two_types_are_refused(tv, photographs):
    with pytest.raises(ArgumentError, match=r"some images would be float32.*others uint8"):
        by_pipeline(tv.RandomApply([tv.ToTensor()]), photographs, "tensor", "cpu")
