"""The data sets of the benchmarks: shares of formats, and files that are what their recipes say."""

from __future__ import annotations

import io
from collections import Counter

import numpy as np
import pytest
from PIL import Image

from penstock.benchmarks.natural_data import (
    FULL,
    HALF,
    ORIENTATION,
    Recipe,
    cut_out,
    data_set,
    encoded,
    linked,
    natural,
    web,
)

COUNT = 4000


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_the_natural_mix_has_the_shares_and_sizes_of_imagenet(random):
    recipes = [natural(random, number) for number in range(COUNT)]
    jpegs = [recipe for recipe in recipes if recipe.form == "JPEG" and recipe.mode != "CMYK"]
    shares = Counter("gray" if r.mode == "L" else r.subsampling for r in jpegs)
    expected = {FULL: 0.78, HALF: 0.19, "gray": 0.03}
    assert {key: shares[key] / len(jpegs) for key in expected} == pytest.approx(expected, abs=0.03)
    pixels = [r.pixels for r in recipes]
    percentiles = np.percentile(pixels, (5, 25, 50, 75)) / 1000
    np.testing.assert_allclose(percentiles, (47, 167, 188, 188), rtol=0.15)
    # The largest pictures differ so much that this percentile of them varies.
    assert 370_000 < np.percentile(pixels, 95) < 700_000
    for some in (recipes, recipes[:1024]):  # the sizes of progressive files are those of all
        progressive = [r.pixels for r in some if r.progressive]
        assert len(progressive) == len(some) // 100
        assert np.mean(progressive) == pytest.approx(np.mean(pixels), rel=0.25)
    others = Counter((r.form, r.mode) for r in recipes)
    assert others["PNG", "RGB"] == others["JPEG", "CMYK"] == COUNT // 1000
    assert {r.suffix for r in recipes} == {".jpg"}  # also of files that are PNG


def test_the_web_mix_has_many_sizes_and_formats(random):
    recipes = [web(random, number) for number in range(COUNT)]
    assert {r.suffix for r in recipes} == {".jpg", ".png", ".webp"}
    assert 200_000 <= min(r.pixels for r in recipes) < 250_000
    assert 11_000_000 < max(r.pixels for r in recipes) <= 12_000_000
    progressive = [r.progressive for r in recipes if r.form == "JPEG"]
    assert np.mean(progressive) == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(20_000, subsampling=FULL),
        Recipe(20_000, subsampling=HALF, progressive=True),
        Recipe(20_000, mode="L", turned=True),
        Recipe(20_000, mode="CMYK", subsampling=FULL),
        Recipe(20_000, form="PNG"),
        Recipe(20_000, form="WEBP"),
    ],
)
def test_files_are_what_their_recipes_say(recipe, random):
    scene = random.integers(0, 256, (300, 400, 3), np.uint8)
    image = Image.open(io.BytesIO(encoded(cut_out(scene, recipe.pixels, random), recipe)))
    assert (image.format, image.mode) == (recipe.form, recipe.mode)
    assert image.width * image.height == pytest.approx(recipe.pixels, rel=0.05)
    assert bool(image.info.get("progressive")) == recipe.progressive
    assert image.getexif().get(ORIENTATION, 1) == (6 if recipe.turned else 1)


def test_a_folder_of_photographs_is_cut_up_once(random, tmp_path, monkeypatch):
    source = tmp_path / "photographs"
    source.mkdir()
    Image.fromarray(random.integers(0, 256, (600, 800, 3), np.uint8)).save(source / "one.png")
    monkeypatch.setattr("penstock.benchmarks.common.PHOTOS", tmp_path)
    root = data_set("natural", 10, source)
    files = sorted(path for path in root.rglob("*.jpg"))
    times = [path.stat().st_mtime_ns for path in files]
    assert len(files) == 10
    assert data_set("natural", 10, source) == root
    assert [path.stat().st_mtime_ns for path in files] == times


def test_files_with_several_names(tmp_path):
    folder = tmp_path / "set"
    for number in range(3):
        path = folder / f"class_{number % 2}" / f"{number:06}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes([number]))
    for _ in range(2):  # ranks may do so at one time
        root = linked(folder, 4)
    assert root == tmp_path / "set_x4"
    found = sorted(path.read_bytes() for path in root.glob("class_*/*.jpg"))
    assert found == sorted([bytes([number]) for number in range(3)] * 4)
