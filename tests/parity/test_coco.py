"""The reader of COCO against DALI's: boxes, labels, polygons, masks, ids and preprocessed files."""

import numpy as np
import pytest

from penstock import fn, pipeline_def

from ..readers.coco.data import CROWD, annotation, write_coco

dali = pytest.importorskip("nvidia.dali")


def theirs(count, **arguments):
    pipeline = dali.Pipeline(count, 1, None, prefetch_queue_depth=1)
    with pipeline:
        pipeline.set_outputs(*dali.fn.readers.coco(**arguments))
    return described(pipeline.run())


def ours(count, **arguments):
    @pipeline_def(batch_size=count, num_threads=1, device_id=None)
    def definition():
        return fn.readers.coco(**arguments)

    with definition() as pipeline:
        return described(pipeline.run())


def described(outputs):
    """Return all that there is to see of a batch."""
    return [
        [
            (array.dtype.str, array.shape, array.tobytes(), output.layout())
            for array in (np.array(output.at(i)) for i in range(len(output)))
        ]
        for output in outputs
    ]


# DALI loses the run lengths of a label that has other polygons or run lengths in the same image,
# and the mask of an image with an empty segmentation: tests/readers/coco test these.
def arguments_of(tree):
    return {"file_root": str(tree.root), "annotations_file": str(tree.instances)}


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"ltrb": True},
        {"ratio": True},
        {"ltrb": True, "ratio": True, "image_ids": True},
        {"polygon_masks": True, "image_ids": True},
        {"polygon_masks": True, "ratio": True},
        {"pixelwise_masks": True, "include_iscrowd": False, "image_ids": True},
        {"skip_empty": True, "image_ids": True},
        {"include_iscrowd": False, "skip_empty": True},
        {"size_threshold": 40.0},
        {"avoid_class_remapping": True},
        {"pixelwise_masks": True, "include_iscrowd": False, "avoid_class_remapping": True},
        {"images": ["000084.jpg", "000007.jpg", "000084.jpg"], "image_ids": True},
        {"stick_to_shard": True, "num_shards": 3, "shard_id": 1},
    ],
    ids=str,
)
def test_outputs(coco_tree, arguments):
    arguments |= arguments_of(coco_tree)
    assert ours(14, **arguments) == theirs(14, **arguments)


@pytest.mark.filterwarnings("ignore:.*1 of 7 annotations are dropped")
@pytest.mark.filterwarnings("ignore:.*a negative width or height")
def test_odd_annotations(tmp_path):
    annotations = [
        annotation(1, 2, bbox=(1, 1, 0.1, 5)),
        annotation(1, 2, bbox=(-5, -5, 100, 100)),  # the id comes twice, the box leaves the image
        annotation(3, 4),  # there is no image 4
        annotation(4, 5, bbox=(1, 1, 0.05, 4)),
        annotation(5, 5, bbox=(1, 1, -3, 4)),
        annotation(6, 9, 7, segmentation=[[1, 1, 5, 5]]),
        annotation(7, 9, 1, iscrowd=1, segmentation=CROWD),
    ]
    arguments = write_coco(tmp_path, annotations)
    for masks in ({}, {"polygon_masks": True}, {"pixelwise_masks": True}):
        assert ours(3, **arguments, **masks) == theirs(3, **arguments, **masks)


@pytest.mark.filterwarnings("ignore:.*a negative width or height")
def test_a_box_of_size_zero_stays_if_the_threshold_is_zero(tmp_path):
    annotations = [annotation(1, 2, bbox=(1, 1, 0, 0)), annotation(2, 2, bbox=(1, 1, -1, 5))]
    arguments = write_coco(tmp_path, annotations) | {"size_threshold": 0.0}
    assert ours(3, **arguments) == theirs(3, **arguments)


@pytest.mark.parametrize(
    "masks",
    [{"polygon_masks": True}, {"pixelwise_masks": True, "include_iscrowd": False}],
    ids=str,
)
def test_each_reads_what_the_other_has_saved(coco_tree, tmp_path, masks):
    arguments = arguments_of(coco_tree) | masks | {"image_ids": True}
    expected = theirs(12, **arguments)
    for number, saving in enumerate((ours, theirs)):
        folder = tmp_path / str(number)
        folder.mkdir()
        saving(
            12,
            save_preprocessed_annotations=True,
            save_preprocessed_annotations_dir=str(folder),
            **arguments,
        )
        read = {
            "file_root": str(coco_tree.root),
            "preprocessed_annotations": str(folder),
            "image_ids": True,
        }
        read |= {name: True for name in masks if name != "include_iscrowd"}
        assert ours(12, **read) == theirs(12, **read) == expected
    names = sorted(path.name for path in (tmp_path / "0").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "1").iterdir())
    for name in names:
        assert (tmp_path / "0" / name).read_bytes() == (tmp_path / "1" / name).read_bytes()


def test_many_drawn_polygons_and_labels(tmp_path):
    rng = np.random.default_rng(0)
    images = [
        {"id": i, "file_name": f"{i}.jpg", "height": int(h), "width": int(w)}
        for i, (h, w) in enumerate(rng.integers(10, 70, (40, 2)))
    ]
    annotations = []
    for number in range(200):
        image = images[int(rng.integers(len(images)))]
        edges = (image["width"], image["height"])
        polygons = [
            np.round(rng.uniform((0, 0), edges, (int(rng.integers(3, 9)), 2)), 2).ravel().tolist()
            for _ in range(int(rng.integers(1, 4)))
        ]
        category, box = (3, 1, 7)[number % 3], np.round(rng.uniform(0, 40, 4), 3).tolist()
        annotations.append(annotation(number, image["id"], category, box, segmentation=polygons))
    arguments = write_coco(tmp_path, annotations, images)
    for masks in ({"polygon_masks": True}, {"pixelwise_masks": True}):
        assert ours(40, **arguments, **masks) == theirs(40, **arguments, **masks)
