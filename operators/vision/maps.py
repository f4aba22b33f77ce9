"""Random maps of pixels as torchvision draws them: rotations, affine maps and perspectives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, FLOATS, REQUIRED, STR, param

AFFINE, PERSPECTIVE = "affine", "perspective"
_DRAWN = {AFFINE: 6, PERSPECTIVE: 9}


@register
class VisionMap(SampleOperator):
    """Draws a map of pixels of each image by the rules of one of torchvision's transforms.

    Inputs:
        extents: height, width, and any others: (2 or more,).

    Outputs:
        the map: (3, 3) float64. It maps pixels (x, y, 1) of the result to those of the image, whose
            corner has the coordinates 0.
    """

    name = "_vision_map"
    called = "RandomAffine"
    inputs = ("extents",)

    kind = param(
        STR,
        REQUIRED,
        "The transform: RandomAffine and RandomRotation, or RandomPerspective.",
        choices=(AFFINE, PERSPECTIVE),
    )
    degrees = param(FLOATS, (0.0, 0.0), "Range of the rotation in degrees, clockwise.")
    translate = param(
        FLOATS, (0.0, 0.0), "Largest translation right and down, as a part of width and height."
    )
    scale = param(FLOATS, (1.0, 1.0), "Range of the scale.")
    shear = param(
        FLOATS, (0.0, 0.0, 0.0, 0.0), "Ranges of the shear along x and along y in degrees."
    )
    center = param(FLOATS, (), "(x, y) of the point that stays; by default the center.")
    distortion_scale = param(FLOAT, 0.5, "By which part of the half sides corners may move.")
    p = param(FLOAT, 1.0, "Probability that pixels move.")

    def prepare(self) -> None:
        self.random_count = _DRAWN[self.kind]

    def sample(self, workspace: Workspace, extents: Array) -> Array:
        height, width = extents[:2].tolist()
        numbers = workspace.random.tolist()
        if self.kind == PERSPECTIVE:
            return self._perspective(height, width, *numbers)
        return self._affine(height, width, *numbers)

    def _affine(self, height: int, width: int, *numbers: float) -> Array:
        dx, dy = self.translate[0] * width, self.translate[1] * height
        ranges = (
            *(self.degrees, (-dx, dx), (-dy, dy), self.scale),
            *(self.shear[:2], self.shear[2:]),
        )
        drawn = (low + (high - low) * u for (low, high), u in zip(ranges, numbers, strict=True))
        degrees, right, down, scale, *shear = drawn
        center = self.center or (width * 0.5, height * 0.5)
        return affine_map(center, degrees, (round(right), round(down)), scale, shear)

    def _perspective(self, height: int, width: int, chance: float, *numbers: float) -> Array:
        if chance >= self.p:
            return np.eye(3)
        bound_x, bound_y = (
            int(self.distortion_scale * (side // 2)) + 1 for side in (width, height)
        )
        x0, y0, x1, y1, x2, y2, x3, y3 = (
            int(u * bound) for u, bound in zip(numbers, (bound_x, bound_y) * 4, strict=True)
        )
        right, bottom = width - bound_x, height - bound_y
        corners = (x0, y0), (right + x1, y1), (right + x2, bottom + y2), (x3, bottom + y3)
        last_x, last_y = width - 1, height - 1
        return perspective_map(corners, ((0, 0), (last_x, 0), (last_x, last_y), (0, last_y)))


def affine_map(
    center: object, degrees: float, translate: object, scale: float, shear: Any
) -> NDArray[np.float64]:
    """Return the map of torchvision's `affine`, from pixels of the result to those of the image.

    >>> affine_map((0.0, 0.0), 90.0, (0, 0), 1.0, (0.0, 0.0)).round(6).tolist()
    [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    turn, shear_x, shear_y = (math.radians(angle) for angle in (degrees, *shear))
    a, c = (f(turn - shear_y) / math.cos(shear_y) for f in (math.cos, math.sin))
    b = -a * math.tan(shear_x) - math.sin(turn)
    d = -c * math.tan(shear_x) + math.cos(turn)
    linear = np.array([[d, -b], [-c, a]]) / scale
    offset = np.array(center, float) - linear @ (np.array(center, float) + np.array(translate))
    return np.array([[*linear[0], offset[0]], [*linear[1], offset[1]], [0.0, 0.0, 1.0]])


def perspective_map(result: Any, image: Any) -> NDArray[np.float64]:
    """Return the map that takes four points of the result to four points of the image.

    >>> square = (0, 0), (9, 0), (9, 9), (0, 9)
    >>> bool(np.allclose(perspective_map(square, square), np.eye(3)))
    True
    """
    rows = [
        row
        for (x, y), (u, v) in zip(result, image, strict=True)
        for row in ([x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y])
    ]
    numbers = np.linalg.lstsq(np.array(rows, float), np.ravel(image).astype(float), rcond=None)[0]
    return np.append(numbers, 1.0).reshape(3, 3)
