"""`fn.bbox_paste`: sizes shrink, corners also move."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError

from ..box_samples import outputs, random_boxes, sized

NUMBERS = {"ratio": 2.5, "paste_x": 0.2, "paste_y": 1.0}


def test_both_forms_of_boxes_agree():
    boxes = random_boxes(6)
    ((edges,),) = outputs("bbox_paste", [boxes], ltrb=True, **NUMBERS)
    ((sizes,),) = outputs("bbox_paste", [sized(boxes)], **NUMBERS)
    np.testing.assert_allclose(sized(edges), sizes, 0, 1e-6)


def test_the_whole_image_lies_at_its_position():
    ((box,),) = outputs("bbox_paste", [np.float32([0, 0, 1, 1])], **NUMBERS)
    np.testing.assert_allclose(box, [0.12, 0.6, 0.4, 0.4], 0, 1e-6)


@pytest.mark.parametrize("ratio", [0.99, -1.0, 0.0])
def test_canvases_are_not_smaller_than_the_image(ratio):
    with pytest.raises(ArgumentError, match=r"ratio is .* at least 1"):
        outputs("bbox_paste", [random_boxes(1)], ratio=ratio)
