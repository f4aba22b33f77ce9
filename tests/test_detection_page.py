"""docs/detection.md: boxes, masks and keypoints stay with their images."""

from __future__ import annotations

import pytest

from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "detection.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## Boxes, masks and keypoints together\n")[1]

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def test_all_of_a_scene_moves_together(coco_tree, tmp_path, monkeypatch):
    (tmp_path / "images").symlink_to(coco_tree.root)
    (tmp_path / "annotations.json").symlink_to(coco_tree.instances)
    monkeypatch.chdir(tmp_path)
    names = {}
    program = SECTION.partition("```python\n")[2].partition("```")[0]
    definitions, loop, _ = program.partition("for (batch,) in batches:")
    exec(compile(definitions, str(PAGE), "exec"), names)
    assert loop
    seen = points_seen = 0
    for (batch,) in names["batches"]:
        for sample in zip(*(batch[name] for name in names["names"]), strict=True):
            image, mask, boxes, labels, points, visible = sample
            height, width, _ = image.shape
            assert mask.shape == (height, width, 1)
            assert min(height, width) == 96
            assert len(boxes) == len(labels) == len(visible)
            seen += len(boxes)
            assert (boxes > -0.1).all()
            assert (boxes[:, 2:] < torch.tensor([width, height]) + 0.1).all()
            rows = zip(boxes, labels, points.reshape(len(boxes), -1, 2), visible, strict=True)
            for box, label, own, marks in rows:
                own = own[marks > 0]  # the fixtures' keypoints are vertices of the polygon
                points_seen += len(own)
                assert (own >= box[:2] - 0.01).all()
                assert (own <= box[2:] + 0.01).all()
                left, top, right, bottom = box.round().int().tolist()
                inside = mask[max(top, 0) : bottom, max(left, 0) : right]
                assert (inside >= label).any()  # where masks overlap, the highest label is seen
    assert seen > 20
    assert points_seen > 20
