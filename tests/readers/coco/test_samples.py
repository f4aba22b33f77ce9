import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.readers.coco import samples as samples_module
from penstock.readers.coco.samples import check_sizes, to_samples
from penstock.readers.coco.selection import Selected, select

from .data import CATEGORIES, CROWD, IMAGES, annotation, parsed


def samples(annotations, images=IMAGES, *, polygons=False, runs=False, **arguments):
    selected = Selected(**arguments)
    coco, _ = select(parsed(annotations, images), selected, "some.json")
    return to_samples(coco, selected, "some.json", polygons=polygons, runs=runs, image_ids=True)


def test_labels():
    annotations = [annotation(1, 2, 7), annotation(2, 2, 3), annotation(3, 2, 1)]
    assert samples(annotations).labels.tolist() == [3, 1, 2]
    assert samples(annotations, avoid_class_remapping=True).labels.tolist() == [7, 3, 1]
    assert samples([]).labels.tolist() == []


@pytest.mark.parametrize("categories", [CATEGORIES, []])
def test_a_category_that_does_not_exist(categories):
    coco = parsed([annotation(1, 2, 4)], categories=categories)
    with pytest.raises(DecodeError, match="annotation with id 1 has the category_id 4"):
        to_samples(coco, Selected(), "some.json", polygons=False, runs=False, image_ids=True)
    selected = Selected(avoid_class_remapping=True)
    found = to_samples(coco, selected, "some.json", polygons=False, runs=False, image_ids=True)
    assert found.labels.tolist() == [4]


@pytest.mark.parametrize(
    ("annotations", "images", "message"),
    [
        (
            [annotation(1, 1 << 40)],
            [IMAGES[0] | {"id": 1 << 40}],
            "id 1099511627776 is no number",
        ),
        ([annotation(1, 2, 1 << 40)], IMAGES, "category id 1099511627776 is no number"),
        ([], [IMAGES[0] | {"height": 0}], "id 5 has the size 0 x 30"),
        ([], [IMAGES[0] | {"height": 1 << 20, "width": 1 << 20}], "masks and ratio=True need"),
        (
            [annotation(6, 2, segmentation={"size": [30, 20], "counts": [600]})],
            IMAGES,
            r"annotation with id 6 has an RLE of size \[30, 20\], but .* size \[20, 30\]",
        ),
    ],
)
def test_numbers_that_cannot_be_used(annotations, images, message):
    with pytest.raises(DecodeError, match=message):
        samples(annotations, images, runs=True, avoid_class_remapping=True)


def test_ratio_divides_boxes_vertices_and_keypoints():
    annotations = [annotation(1, 2, bbox=(3, 2, 6, 10), keypoints=[15, 10, 2])]
    found = samples(annotations, polygons=True, ratio=True, ltrb=True)
    size = np.array([30, 20], np.float32)
    np.testing.assert_array_equal(found.boxes, [np.float32([3, 2, 9, 12]) / np.tile(size, 2)])
    triangle = np.float32([[1, 1], [5, 1], [5, 5]])
    np.testing.assert_array_equal(found.polygons.vertices, triangle / size)
    assert found.keypoints.tolist() == [[[0.5, 0.5, 2]]]


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_polygons_of_several_boxes(tuned, at_once):
    tuned(samples_module, POLYGONS_AT_ONCE=at_once)
    annotations = [
        annotation(1, 9, segmentation=[[1, 1, 2, 2, 3, 3], [4, 4, 5, 5]]),
        annotation(2, 2, segmentation=[[6, 6, 7, 7]]),
        annotation(3, 9, segmentation=[[], [8, 8, 9, 9]]),
    ]
    polygons = samples(annotations, polygons=True).polygons
    assert polygons.vertices[:, 0].tolist() == [6, 7, 1, 2, 3, 4, 5, 8, 9]
    assert polygons.vertex_bounds.tolist() == [0, 2, 2, 9]
    of_9 = [[0, 0, 3], [0, 3, 5], [1, 5, 5], [1, 5, 7]]
    assert polygons.polygons.tolist() == [[0, 0, 2], *of_9]
    assert polygons.bounds.tolist() == [0, 1, 1, 5]


def test_masks_stay_in_pixels():
    found = samples([annotation(1, 2)], runs=True, ratio=True)
    assert found.polygons.vertices.tolist() == [[1, 1], [5, 1], [5, 5]]


def test_runs_belong_to_boxes():
    annotations = [annotation(1, 5), annotation(2, 9), annotation(3, 9, segmentation=CROWD)]
    runs = samples(annotations, runs=True).runs
    assert runs.boxes.tolist() == [1]
    assert runs.bounds.tolist() == [0, 0, 0, 1]
    assert runs.runs.tolist() == CROWD["counts"]


def test_sizes():
    check_sizes(np.array([1, 1 << 14]), np.array([1 << 28, 1 << 14]), "some.json")
    for height, width in ((0, 5), (5, -1), ((1 << 28) + 1, 1), (1 << 62, 1 << 62)):
        with pytest.raises(DecodeError, match=r"image 1 \(from 0\) has the size"):
            check_sizes(np.array([1, height]), np.array([1, width]), "some.json")


def test_numbers_beyond_float32():
    huge = annotation(1, 2, bbox=(1, 1, 3e38, 3e38), segmentation=[[1, 1, 1e300, 1, 5, 5]])
    found = samples([huge | {"keypoints": [1e300, 0, 2]}], polygons=True, ltrb=True)
    assert np.isinf(found.polygons.vertices[1, 0])
    assert np.isinf(found.keypoints[0, 0, 0])
    assert len(samples([annotation(1, 2, bbox=(1, 1, 1e300, 5))]).boxes) == 0
