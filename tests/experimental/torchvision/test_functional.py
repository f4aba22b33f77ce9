"""The functions of `v2.functional` give what those of torchvision give."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.experimental.torchvision.v2 import functional

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

pytestmark = pytest.mark.filterwarnings("ignore:The function .* is deprecated")

CALLS = [
    ("resize", [[40, 50]]),
    ("center_crop", [[41, 28]]),
    ("crop", [5, 6, 30, 40]),
    ("crop", [-5, 50, 70, 100]),
    ("resized_crop", [5, 6, 30, 40, [20, 30]]),
    ("horizontal_flip", []),
    ("vertical_flip", []),
    ("pad", [[1, 2, 3, 4], 3, "constant"]),
    ("pad", [[5], 0, "reflect"]),
    ("rgb_to_grayscale", [1]),
    ("to_grayscale", [3]),
    ("get_size", []),
    ("get_image_size", []),
    ("get_dimensions", []),
]


@pytest.fixture(params=["image", "tensor", "batch"])
def given(request, photographs):
    """A photograph in three forms."""
    tensor = torch.from_numpy(np.array(photographs[0]).transpose(2, 0, 1).copy())
    forms = {"image": photographs[0], "tensor": tensor, "batch": torch.stack([tensor, tensor // 2])}
    return forms[request.param]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_results_are_equal(tv, given, name, arguments):
    wanted = getattr(tv.functional, name)(given, *arguments)
    made = getattr(functional, name)(given, *arguments)
    assert type(made) is type(wanted)
    np.testing.assert_array_equal(np.asarray(made), np.asarray(wanted))


def test_blur_and_normalization_are_close(tv, given):
    wanted = np.asarray(tv.functional.gaussian_blur(given, [5, 3], [1.1, 1.1])).astype(int)
    made = np.asarray(functional.gaussian_blur(given, [5, 3], [1.1, 1.1]))
    assert np.abs(made - wanted).max() <= 1
    if not isinstance(given, torch.Tensor):
        with pytest.raises(TypeError, match="to_tensor"):
            functional.normalize(given, [0.5], [0.5])
        return
    numbers = [0.4, 0.5, 0.6], [0.2, 0.3, 0.3]
    wanted = tv.functional.normalize(given / 255, *numbers)
    torch.testing.assert_close(
        functional.normalize(given / 255, *numbers), wanted, atol=1e-6, rtol=0
    )


def test_images_and_tensors_become_one_another(tv, photographs):
    for image in (photographs[0], photographs[0].convert("L")):
        tensor = functional.pil_to_tensor(image)
        assert torch.equal(tensor, tv.functional.pil_to_tensor(image))
        assert torch.equal(functional.to_tensor(image), tv.functional.to_tensor(image))
        np.testing.assert_array_equal(
            np.asarray(functional.to_pil_image(tensor)), np.asarray(image)
        )
    array = np.array(photographs[0])
    assert torch.equal(functional.to_tensor(array), tv.functional.to_tensor(array))
    assert functional.to_pil_image(torch.zeros(4, 5, 3), input_layout="HWC").size == (5, 4)


def test_work_on_the_gpu(device, photographs):
    made = functional.horizontal_flip(photographs[0], device=device)
    np.testing.assert_array_equal(np.asarray(made), np.asarray(photographs[0])[:, ::-1])


def test_random_blurs_differ_from_call_to_call(photographs):
    made = [np.asarray(functional.gaussian_blur(photographs[0], 9)) for _ in range(3)]
    assert len({picture.tobytes() for picture in made}) == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: functional.pil_to_tensor(torch.zeros(3, 4, 4)),
        lambda: functional.to_pil_image(np.zeros((3, 4, 4))),
        lambda: functional.get_size(7),
        lambda: functional.get_size(torch.zeros(3)),
        lambda: functional.crop(torch.zeros(3, 9, 9), 0.5, 0, 3, 3),
        lambda: functional.resize("a file", 4),
    ],
)
def test_other_inputs_are_refused(call):
    with pytest.raises(TypeError):
        call()
