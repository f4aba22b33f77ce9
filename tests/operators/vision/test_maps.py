"""Maps of pixels as torchvision draws them."""

# ruff: noqa: RUF012  (attributes of test classes, which nothing changes)

from __future__ import annotations

import numpy as np
import pytest

from penstock.operators.vision.maps import affine_map, perspective_map
from penstock.testing.operators import RandomConformance

from ...torchvision_library import load_torchvision
from ..running import RubbishWorkspace, make

EXTENTS = [np.array([60 + i, 90 - 20 * i, 3]) for i in range(3)]


class TestAffine(RandomConformance):
    operator = "_vision_map"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {
        "kind": "affine",
        "degrees": (-9, 20),
        "translate": (0.1, 0.2),
        "scale": (0.5, 2.0),
        "shear": (-5, 5, 0, 3),
    }


class TestPerspective(RandomConformance):
    operator = "_vision_map"
    layout = ""
    inputs = (EXTENTS,)
    arguments = {"kind": "perspective", "p": 0.7}


@pytest.mark.parametrize(
    "arguments",
    [
        ((45.0, 30.0), 17.0, (0, 0), 1.0, (0.0, 0.0)),
        ((45.0, 30.0), -33.0, (10, -7), 1.2, (12.0, 5.0)),
        ((0.0, 0.0), 200.0, (1, 2), 0.3, (-40.0, 0.0)),
    ],
)
def test_the_affine_map_is_torchvision_s(arguments):
    load_torchvision()
    from torchvision.transforms.functional import _get_inverse_affine_matrix

    center, *rest = arguments
    wanted = _get_inverse_affine_matrix([*center], *rest)
    np.testing.assert_allclose(affine_map(*arguments)[:2].ravel(), wanted, atol=1e-9)


def test_the_perspective_map_is_torchvision_s():
    load_torchvision()
    from torchvision.transforms.functional import _get_perspective_coeffs

    image, result = [[0, 0], [89, 0], [89, 59], [0, 59]], [[5, 9], [70, 3], [80, 40], [11, 50]]
    wanted = _get_perspective_coeffs(image, result)
    np.testing.assert_allclose(perspective_map(result, image).ravel()[:8], wanted, rtol=1e-4)


def test_corners_move_as_far_as_by_torchvision():
    load_torchvision()
    import torch
    from torchvision.transforms import v2

    torch.manual_seed(3)
    transform, image = v2.RandomPerspective(0.6, p=1.0), torch.zeros(3, 60, 90)
    theirs = np.array([transform.make_params([image])["coefficients"] for _ in range(2000)])
    operator = make("_vision_map", kind="perspective", distortion_scale=0.6)
    workspace, rng = RubbishWorkspace(), np.random.default_rng(1)
    ours = []
    for _ in range(2000):
        workspace.random = rng.random(operator.random_count)
        ours.append(operator.sample(workspace, np.array([60, 90, 3])).ravel()[:8])
    for a, b in zip(np.transpose(ours), theirs.T, strict=True):
        places = np.concatenate([a, b])
        below = (np.searchsorted(np.sort(c), places, "right") / len(c) for c in (a, b))
        assert np.abs(np.subtract(*below)).max() < 0.06


def test_nothing_moves_with_probability_zero():
    operator = make("_vision_map", kind="perspective", p=0.0)
    workspace = RubbishWorkspace()
    workspace.random = np.zeros(operator.random_count)
    np.testing.assert_array_equal(operator.sample(workspace, np.array([60, 90])), np.eye(3))
