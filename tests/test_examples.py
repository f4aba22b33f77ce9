"""The examples run, and draw what they read."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys

import cv2
import numpy as np
import pytest

from penstock.tests.checkout import SOURCES
from penstock.tests.examples import ROOT, example


@pytest.fixture(scope="module")
def patches_3d():
    return example("patches_3d")


def test_the_demo_s_sheet_shows_originals_beside_augmented_pictures(tmp_path, capsys):
    demo = example("demo")
    demo.make_pictures(tmp_path / "pictures", 16)
    demo.read_epoch(tmp_path / "pictures")
    printed = capsys.readouterr()
    assert "16 images of pictures" in printed.out
    assert "\r" not in printed.err  # which is no terminal
    demo.contact_sheet(tmp_path / "pictures", tmp_path / "sheet.png")
    assert cv2.imread(str(tmp_path / "sheet.png")).shape == (4 * 260, 4 * 460, 3)
    original, augmented = (
        demo.tile(np.zeros((168, 224, 3)), "a"),
        demo.tile(np.ones((9, 9, 3)), "b"),
    )
    assert original.shape == augmented.shape == (248, 224, 3)


@pytest.mark.slow
def test_the_gallery_draws_all_operators_that_are_here(tmp_path, monkeypatch, capsys):
    gallery = example("gallery")
    monkeypatch.setattr(sys, "argv", ["gallery.py", "--page", str(tmp_path / "page.png")])
    assert gallery.main() == 0
    calls = [call for calls in gallery.chosen_calls([]).values() for call in calls]
    assert f"{len(calls)} calls drawn" in capsys.readouterr().out
    assert {"crop", "rotate", "warp_affine", ""} <= set(map(gallery.operator_of, calls))
    assert not gallery.is_there("fn.no_operator(image)")
    page = cv2.imread(str(tmp_path / "page.png"))
    assert page.shape[1] == gallery.ACROSS * (2 * gallery.WIDTH + 3 * gallery.GAP)


def test_the_gallery_shows_the_call_s_result():
    gallery = example("gallery")
    ((call, before, after),) = gallery.pictures_of(
        ["fn.flip(image, horizontal=1)"], gallery.drawn()
    )
    assert call == "fn.flip(image, horizontal=1)"
    np.testing.assert_array_equal(after, before[:, ::-1])


@pytest.mark.slow
def test_patches_of_volumes(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "patches_3d.py")]
    command += ["--side", "96", "--volumes", "2", "--patches", "40", "--picture", "drawn.png"]
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "40 patches of volumes_96" in result.stdout
    if importlib.util.find_spec("torch"):
        first, last = re.findall(r"loss: ([\d.]+) at first, ([\d.]+) after", result.stdout)[0]
        assert float(last) < float(first)
    assert cv2.imread(str(tmp_path / "drawn.png")).shape == (2 * 196, 4 * 196, 3)


def test_images_and_labels_are_of_one_window(tmp_path, patches_3d):
    images, labels = patches_3d.make_volumes(tmp_path, 2, 80)
    with patches_3d.patch_pipeline(images * 8, labels * 8, 80, "cpu") as pipe:
        image, label = pipe.run()
    assert image.as_array().shape == label.as_array().shape == (16, 64, 64, 64)
    volumes = [np.lib.stride_tricks.sliding_window_view(np.load(p), (64, 64, 64)) for p in images]
    for row, marks, origin in zip(image.rows(), label.rows(), image.source_info(), strict=True):
        number = images.index(origin)
        at = np.argwhere(volumes[number][:, :, :, 0, 0, 0] == row[0, 0, 0])
        ((z, y, x),) = at
        wanted = np.load(labels[number])[z : z + 64, y : y + 64, x : x + 64]
        np.testing.assert_array_equal(marks, wanted)


def test_boxes_of_ssd_lie_on_their_objects(tmp_path):
    ssd = example("ssd")
    tree, anchors = ssd.make_data_set(tmp_path / "scenes", 16), ssd.ssd_anchors()
    assert anchors.shape == (8732, 4)
    with ssd.ssd_pipeline(str(tree.root), str(tree.instances), anchors) as pipe:
        outputs = pipe.run()
        ssd.draw_sheet(outputs, anchors, tmp_path / "sheet.png")
        images, offsets, classes, boxes, labels = (output.rows() for output in outputs)
        assert {image.shape for image in images} == {(3, 300, 300)}
        assert {offset.shape for offset in offsets} == {(8732, 4)}
        for chosen, box, label in zip(classes, boxes, labels, strict=True):
            assert len(box) == len(label) > 0
            assert set(chosen[chosen > 0].tolist()) <= set(label.tolist())
            assert (chosen > 0).any()
    assert cv2.imread(str(tmp_path / "sheet.png")).shape == (4 * 308, 4 * 308, 3)


def test_masks_polygons_and_boxes_of_mask_rcnn_fit_their_images(tmp_path):
    mask_rcnn = example("mask_rcnn")
    tree = mask_rcnn.make_data_set(tmp_path / "scenes", 8, (120, 160))
    crowds, sheet = 0, tmp_path / "sheet.png"
    with mask_rcnn.mask_rcnn_pipeline(str(tree.root), str(tree.instances), 200, 260) as pipe:
        for _ in range(2):
            outputs = pipe.run()
            mask_rcnn.draw_sheet(outputs, sheet)
            _, height, width = outputs[0].shape()[0]
            assert height % 32 == width % 32 == 0
            assert cv2.imread(str(sheet)).shape == (2 * (height + 8), 2 * (width + 8), 3)
            for sample in zip(*(output.rows() for output in outputs), strict=True):
                image, mask, boxes, labels, polygons, vertices, (h, w) = map(np.asarray, sample)
                assert (h == 200 and w <= 260) or (h <= 200 and w == 260) or (w == 200)
                assert (image.shape, mask.shape) == ((3, height, width), (height, width, 1))
                for padding in (image[:, h:], image[:, :, w:], mask[h:], mask[:, w:]):
                    assert not padding.any()
                assert (boxes >= -0.1).all()
                assert (boxes[:, 2:] <= np.array([w, h]) + 0.1).all()
                crowds += len(boxes) - len(np.unique(polygons[:, 0]))
                check_instances(mask[:h, :w, 0], boxes, labels, polygons, vertices)
    assert crowds > 0


def check_instances(mask, boxes, labels, polygons, vertices):
    """Check that polygons span their boxes, and lie on pixels of their label."""
    for instance in np.unique(polygons[:, 0]).tolist():
        own = [vertices[a:b] for _, a, b in polygons[polygons[:, 0] == instance].tolist()]
        corners = np.concatenate(own)
        spanned = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
        np.testing.assert_allclose(boxes[instance], spanned, atol=0.1)
        drawn = np.zeros(mask.shape, np.uint8)
        cv2.fillPoly(drawn, [np.rint(polygon).astype(np.int32) for polygon in own], 1)
        seen = mask[cv2.erode(drawn, np.ones((5, 5), np.uint8)) > 0]  # the highest label is seen
        assert seen.size
        assert (seen >= labels[instance]).mean() > 0.98
