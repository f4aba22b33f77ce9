import numpy as np
import pytest

from penstock.formats.rasterize import Toggles, paint, polygon_toggles, run_toggles

mask_api = pytest.importorskip("pycocotools.mask")
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

FORMS = {
    "any": lambda points: points,
    "whole": np.round,
    "tenths": lambda points: np.round(points, 1),
    "hundredths": lambda points: np.round(points, 2),
    "a grid of two": lambda points: np.round(points / 10) * 2,
    "each twice": lambda points: np.round(np.repeat(points, 2, axis=0), 1),
    "thin": lambda points: points * (1, 0.02),
    "huge": lambda points: points * 20,
}


def masks_of(toggles, height, width):
    """Return the mask of each region."""
    masks = []
    for start, end in zip(toggles.bounds[:-1], toggles.bounds[1:], strict=True):
        mask = np.full((height, width), -1, np.int32)
        one = Toggles(toggles.positions[start:end], np.array([0, end - start]))
        paint(one, np.array([1]), mask)
        masks.append(mask)
    return masks


def pycocotools_masks(polygons, height, width):
    return [
        mask_api.decode(mask_api.frPyObjects([polygon.ravel().tolist()], height, width))[..., 0]
        for polygon in polygons
    ]


@pytest.mark.parametrize("form", FORMS)
def test_polygons_as_pycocotools_draws_them(form):
    rng = np.random.default_rng(7)
    for _ in range(120):
        height, width = rng.integers(1, 90, 2).tolist()
        corners = rng.integers(3, 14, 3)
        polygons = [FORMS[form](rng.uniform(-25, 110, (n, 2))) for n in corners]
        bounds = np.concatenate([[0], np.cumsum([len(polygon) for polygon in polygons])])
        toggles = polygon_toggles(np.concatenate(polygons), bounds, height, width)
        expected = pycocotools_masks(polygons, height, width)
        np.testing.assert_array_equal(masks_of(toggles, height, width), expected)


def test_each_polygon_may_have_a_size_of_its_own():
    rng = np.random.default_rng(5)
    polygons = [rng.uniform(-5, 50, (4, 2)) for _ in range(20)]
    sizes = rng.integers(1, 40, (20, 2))
    toggles = polygon_toggles(np.concatenate(polygons), np.arange(0, 81, 4), *sizes.T)
    for number, (polygon, (height, width)) in enumerate(zip(polygons, sizes, strict=True)):
        alone = polygon_toggles(polygon, np.array([0, 4]), int(height), int(width))
        start, end = toggles.bounds[number : number + 2]
        np.testing.assert_array_equal(toggles.positions[start:end], alone.positions)


def test_polygons_without_an_area_cover_nothing():
    points = np.array([[3.0, 3.0], [1.0, 1.0], [9.0, 9.0]])
    toggles = polygon_toggles(points, np.array([0, 0, 1, 3, 3]), 12, 12)
    assert not np.any(masks_of(toggles, 12, 12))


def test_coordinates_beyond_all_bounds():
    points = np.array([[-1e300, -1e300], [1e300, -1e300], [1e300, 1e300], [-1e300, 1e300]])
    (mask,) = masks_of(polygon_toggles(points, np.array([0, 4]), 5, 6), 5, 6)
    assert mask.all()


def test_run_lengths():
    rng = np.random.default_rng(1)
    masks = [(rng.random((9, 11)) < density).astype(np.uint8) for density in (0, 0.3, 1, 0.6)]
    flat = [np.concatenate([[0], mask.T.ravel(), [2]]) for mask in masks]
    runs = [np.diff(np.flatnonzero(np.diff(mask)), prepend=0) for mask in flat]
    bounds = np.concatenate([[0], np.cumsum([len(run) for run in runs])])
    toggles = run_toggles(np.concatenate(runs).astype(np.uint32), bounds)
    np.testing.assert_array_equal(masks_of(toggles, 9, 11), masks)


@pytest.mark.parametrize("largest", [5, 255, 256, 1 << 30])
def test_the_highest_label_stays(largest):
    rng = np.random.default_rng(2)
    polygons = [rng.uniform(0, 40, (4, 2)) for _ in range(7)]
    toggles = polygon_toggles(np.concatenate(polygons), np.arange(0, 29, 4), 40, 40)
    labels = np.array([3, 1, 2, 3, largest, 1, 2])
    image = np.empty((40, 40), np.int32)
    paint(toggles, labels, image)
    masks = np.array(pycocotools_masks(polygons, 40, 40), np.int32)
    np.testing.assert_array_equal(image, (masks * labels[:, None, None]).max(axis=0))


def test_no_region_gives_the_background():
    image = np.full((3, 4), 9, np.int32)
    paint(Toggles(np.empty(0, np.int64), np.array([0])), np.empty(0, np.int32), image)
    assert not image.any()
