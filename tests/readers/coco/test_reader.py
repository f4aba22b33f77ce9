"""`fn.readers.coco`: what its arguments give."""

import json
from itertools import chain

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError, DecodeError, SourceError

from .data import CROWD, annotation, write_coco


def run(count, reader=None, **arguments):
    def define():
        return (reader or fn.readers.coco)(name="reader", **arguments)

    with pipeline_def(define, batch_size=count, num_threads=1)() as pipe:
        return [[np.array(row) for row in output.rows()] for output in pipe.run()]


def test_images_come_by_id_with_their_boxes(tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 9, 7), annotation(2, 2), annotation(3, 9, 1)])
    images, boxes, labels = run(3, **arguments)
    assert [image.tobytes() for image in images] == [b"2.jpg", b"5.jpg", b"9.jpg"]
    assert [label.tolist() for label in labels] == [[1], [], [3, 2]]
    assert [box.shape for box in boxes] == [(1, 4), (0, 4), (2, 4)]


def test_the_older_name(tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 2)])
    with pytest.warns(DeprecationWarning, match="use fn.readers.coco"):
        older = run(3, fn.coco_reader, **arguments)
    assert str(older) == str(run(3, **arguments))


def test_shuffled_shards_hold_every_image_once(coco_tree):
    def read(shard):
        arguments = {"file_root": coco_tree.root, "annotations_file": coco_tree.instances}
        shards = {"num_shards": 3, "shard_id": shard, "random_shuffle": True}
        return [int(row[0]) for row in run(4, **arguments, **shards, image_ids=True)[3]]

    assert sorted(chain.from_iterable(map(read, range(3)))) == list(range(7, 85, 7))


def test_images_come_with_the_bound_of_their_class(coco_tree):
    cost = {"by": np.arange(1, 13), "budget": 24, "buckets": [6, 12], "pad_to": "bound"}
    arguments = {"file_root": coco_tree.root, "annotations_file": coco_tree.instances}
    images, _, _, ids, bounds = run(12, **arguments, image_ids=True, batch_cost=cost)
    assert len(images) == len(ids)
    # Image 7 * n has the length n.
    assert [float(bound) for bound in bounds] == [6 if row[0] <= 42 else 12 for row in ids]


def test_masks_are_those_of_pycocotools(coco_tree):
    mask_api = pytest.importorskip("pycocotools.mask")
    arguments = {"file_root": coco_tree.root, "annotations_file": coco_tree.instances}
    *_, masks, ids = run(12, **arguments, pixelwise_masks=True, image_ids=True)
    content = json.loads(coco_tree.instances.read_text())
    labels = {category["id"]: label for label, category in enumerate(content["categories"], 1)}
    shapes = {image["id"]: (image["height"], image["width"]) for image in content["images"]}
    expected = {image: np.zeros(shape, np.int32) for image, shape in shapes.items()}
    for record in content["annotations"]:
        height, width = shapes[record["image_id"]]
        stored = record["segmentation"]
        if isinstance(stored, list):
            stored = [np.float32(polygon).astype(float).tolist() for polygon in stored]
        rle = mask_api.frPyObjects(stored, height, width)
        runs = mask_api.merge(rle) if isinstance(rle, list) else rle
        with pytest.warns(DeprecationWarning, match="__array__ implementation"):
            mask = mask_api.decode(runs).astype(np.int32)
        np.maximum(
            expected[record["image_id"]],
            mask * labels[record["category_id"]],
            out=expected[record["image_id"]],
        )
    for mask, image in zip(masks, ids, strict=True):
        np.testing.assert_array_equal(mask[..., 0], expected[int(image[0])])


def test_keypoints(tmp_path):
    annotations = [annotation(1, 2, keypoints=[1, 2, 2, 3, 4, 1]), annotation(2, 2)]
    *_, keypoints = run(3, **write_coco(tmp_path, annotations), keypoints=True)
    assert keypoints[0].tolist() == [[[1, 2, 2], [3, 4, 1]], [[0, 0, 0], [0, 0, 0]]]
    assert keypoints[1].shape == (0, 2, 3)


def test_panoptic_segmentations(coco_tree):
    images, boxes, _, ids, panoptic, segments = run(
        12,
        file_root=coco_tree.root,
        annotations_file=coco_tree.panoptic,
        panoptic_root=coco_tree.panoptic_root,
        image_ids=True,
    )
    assert len(images) == 12
    for image, box, pixels, segment in zip(ids, boxes, panoptic, segments, strict=True):
        assert len(box) == len(segment)
        assert set(np.unique(pixels)) <= {0, *segment.tolist()}
        assert all(number // 1000 == image[0] for number in segment)
    assert max(map(np.max, panoptic)) > 256


def test_polygons_of_one_and_two_points_have_no_pixels(tmp_path):
    points = [[1, 1, 9, 9], [4, 4], []]
    arguments = write_coco(
        tmp_path,
        [
            annotation(1, 2, 7, segmentation=points),
            annotation(2, 2, 3, segmentation=[[2, 2, 6, 2, 6, 6, 2, 6]]),
        ],
    )
    (mask, *_) = run(3, **arguments, pixelwise_masks=True)[3]
    assert np.unique(mask, return_counts=True)[1].tolist() == [20 * 30 - 16, 16]
    *_, polygons, vertices = run(3, **arguments, polygon_masks=True)
    assert polygons[0].tolist() == [[0, 0, 2], [0, 2, 3], [0, 3, 3], [1, 3, 7]]
    assert vertices[0][:3].tolist() == [[1, 1], [9, 9], [4, 4]]


def test_annotation_ids_may_come_twice(tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 2), annotation(1, 2, 7), annotation(1, 5)])
    labels = run(3, **arguments)[2]
    assert [row.tolist() for row in labels] == [[1, 3], [1], []]


def test_what_was_dropped_is_counted(tmp_path):
    annotations = [annotation(1, 2), annotation(2, 4), annotation(3, 5, bbox=(1, 1, 0, 0))]
    arguments = write_coco(tmp_path, annotations)

    @pipeline_def(batch_size=3, num_threads=1)
    def define():
        return fn.readers.coco(**arguments)

    pipe = define()
    with pytest.warns(UserWarning, match=r"1 of 3 .* id 2 \(image_id 4\)"):
        pipe.run()
    stats = str(pipe.stats())
    pipe.close()
    assert "annotations without an image" in stats
    assert "annotations below size_threshold" in stats


def test_an_image_that_is_missing_is_replaced(tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 2)])
    (tmp_path / "5.jpg").unlink()

    @pipeline_def(batch_size=3, num_threads=1, on_error="replace")
    def define():
        return fn.readers.coco(**arguments, pixelwise_masks=True, image_ids=True)

    with define() as pipe:
        outputs = pipe.run()
    assert list(outputs[0].valid) == [True, False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"annotations_file": None}, "needs annotations_file, preprocessed_annotations or path"),
        ({"preprocessed_annotations": "x"}, "one of them"),
        ({"polygon_masks": True, "pixelwise_masks": True}, "not both"),
        ({"save_preprocessed_annotations": True}, "needs a folder"),
        ({"save_preprocessed_annotations_dir": "x"}, "writes, which is not given"),
        *(
            (
                {"annotations_file": None, "preprocessed_annotations": "x"} | changed,
                f"{next(iter(changed))} cannot be combined with pre.*, which stay as the call",
            )
            for changed in ({"ltrb": True}, {"ratio": True}, {"size_threshold": 2.0})
        ),
        ({"panoptic_root": "x", "keypoints": True}, "panoptic annotations have no"),
        (
            {"annotations_file": None, "preprocessed_annotations": "x", "images": ["a"]},
            "images cannot be combined",
        ),
        ({"images": ["8.jpg"]}, "'8.jpg', which is not among"),
    ],
)
def test_arguments_that_do_not_fit(tmp_path, arguments, message):
    given = write_coco(tmp_path, [annotation(1, 2)]) | arguments
    with pytest.raises(ArgumentError, match=message):
        run(1, **{name: value for name, value in given.items() if value is not None})


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ([annotation(4, 2, 44)], "annotation with id 4 has the category_id 44, which is not"),
        ([annotation(4, None)], r"byte \d+: the annotation with id 4: 'image_id' is missing"),
        ([annotation(4, 2, bbox=(1, 2, 3))], r"byte \d+: the annotation with id 4: 'bbox' is"),
        ([annotation(4, 2, segmentation=[[1, 2, 3]])], "with id 4: a polygon has an odd number"),
        ([annotation(4, 2, segmentation=[[1, float("nan")]])], "with id 4: .* finite numbers"),
        (
            [annotation(4, 2, segmentation={"size": [20, 30], "counts": "52203"})],
            "with id 4: the runs of an RLE cover 16 pixels, but its size has 600",
        ),
        (
            [annotation(4, 2, segmentation={"size": [30, 20], "counts": [600]})],
            "annotation with id 4 has an RLE of size",
        ),
    ],
)
def test_annotations_that_cannot_be_right_are_named(tmp_path, annotations, message):
    arguments = write_coco(tmp_path, annotations)
    with pytest.raises(DecodeError, match=message):
        run(1, **arguments, pixelwise_masks=True)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.99])
def test_a_file_that_is_cut_off_names_the_byte(tmp_path, share):
    arguments = write_coco(tmp_path, [annotation(n, 2) for n in range(20)])
    path = tmp_path / "instances.json"
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DecodeError, match=r"instances\.json: the file .* at byte \d+"):
        run(3, **arguments)


def test_a_file_that_selects_no_image(tmp_path):
    arguments = write_coco(tmp_path, [])
    with pytest.raises(SourceError, match="has no image that the arguments select"):
        run(1, **arguments, skip_empty=True)


def test_errors_name_the_annotation(tmp_path):
    crowd = CROWD | {"counts": [7]}
    arguments = write_coco(tmp_path, [annotation(1, 2), annotation(8, 2, segmentation=crowd)])
    with pytest.raises(DecodeError, match="annotation with id 8: the runs of an RLE cover 7"):
        run(3, **arguments, pixelwise_masks=True)
    assert len(run(3, **arguments)) == 3  # nobody asks for masks
    path = tmp_path / "instances.json"
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(DecodeError, match=r"instances\.json: the file .* byte \d+"):
        run(3, **arguments)
    path.unlink()
    with pytest.raises(OSError, match=r"instances\.json"):
        run(3, **arguments)


def test_annotations_and_images_behind_urls(web, tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 2)])
    for path in tmp_path.iterdir():
        web.objects[path.name] = path.read_bytes()
    remote = {"file_root": web.url, "annotations_file": f"{web.url}/instances.json"}
    assert str(run(3, **remote)) == str(run(3, **arguments))


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.jpg", "http://127.0.0.1/a.jpg"])
def test_annotations_behind_a_url_name_no_other_files(web, name):
    content = {"images": [{"id": 1, "file_name": name}], "annotations": []}
    web.objects["a.json"] = json.dumps(content).encode()
    with pytest.raises(SourceError, match="may not name the file"):
        run(1, file_root="images", annotations_file=f"{web.url}/a.json")


@pytest.mark.parametrize("missing", [{}, {"bbox": None}, {"bbox": []}])
def test_annotations_without_a_box_have_that_of_their_mask(tmp_path, missing):
    judge, mask_api = map(pytest.importorskip, ("pycocotools.coco", "pycocotools.mask"))
    polygon = [[1, 1, 12, 1, 12, 9, 1, 9]]
    annotations = [annotation(1, 2, segmentation=polygon), annotation(2, 2, segmentation=[])]
    for each in annotations:
        del each["bbox"]
    arguments = write_coco(tmp_path, [annotation | missing for annotation in annotations])
    coco = judge.COCO(arguments["annotations_file"])
    area = mask_api.area(coco.annToRLE(coco.anns[1]))

    @pipeline_def(batch_size=3, num_threads=1)
    def masks():
        return tuple(fn.readers.coco(**arguments, pixelwise_masks=True))

    told = r"dropped are annotations without a box and a mask \(1\)$"
    pipe = masks()
    with pytest.warns(RuntimeWarning, match=told):
        pipe.build()
    with pipe:
        _, boxes, labels, drawn = pipe.run()
        assert np.array(boxes.at(0)).tolist() == [[1, 1, 11, 8]]
        assert np.array(labels.at(0)).tolist() == [1]
        assert np.count_nonzero(np.array(drawn.at(0))) == area == 88
        assert "annotations without a box and a mask" in str(pipe.stats())


@pytest.mark.parametrize(
    ("boxes", "why"),
    [
        ([None] * 2, r"annotations without a box and a mask \(2\)"),
        ([[0, 0, 0.05, 0.05]] * 2, r"annotations below size_threshold \(2\)"),
        ([], "none"),
    ],
)
def test_boxes_that_no_image_has_are_told(tmp_path, boxes, why):
    annotations = [annotation(i, 2, segmentation=[]) | {"bbox": box} for i, box in enumerate(boxes)]
    arguments = write_coco(tmp_path, annotations)
    told = rf"instances\.json: none of the 3 images has a box; dropped are {why}$"
    with pytest.warns(RuntimeWarning, match=told):
        run(1, **arguments)


def test_files_of_lvis(tmp_path):
    (tmp_path / "train2017").mkdir()
    (tmp_path / "train2017" / "000000000007.jpg").write_bytes(b"seven")
    url = "http://images.cocodataset.org/train2017/000000000007.jpg"
    content = {
        "info": {"version": "v1.0"},
        "images": [{"id": 7, "coco_url": url, "height": 20, "width": 30, "neg_category_ids": [4]}],
        "annotations": [annotation(1, 7)],
        "categories": [{"id": 3, "name": "thing", "frequency": "r", "synset": "thing.n.01"}],
    }
    path = tmp_path / "lvis.json"
    path.write_text(json.dumps(content))
    images, boxes, labels = run(1, file_root=str(tmp_path), annotations_file=str(path))
    assert images[0].tobytes() == b"seven"
    assert (boxes[0].tolist(), labels[0].tolist()) == ([[1, 2, 3, 4]], [1])


@pytest.mark.parametrize("ids", [("b", "a"), (1 << 40, 1 << 41), ("uuid-1", 5)])
def test_ids_that_are_no_numbers_of_32_bits(tmp_path, ids):
    images = [
        {"id": id_, "file_name": f"{n}.jpg", "height": 20, "width": 30} for n, id_ in enumerate(ids)
    ]
    arguments = write_coco(
        tmp_path, [annotation("x", ids[1], id=ids[0], bbox=[1, 2, 3, 4])], images
    )
    names, _, labels = run(2, **arguments)
    expected = {b"0.jpg": [], b"1.jpg": [1]}
    assert {n.tobytes(): label.tolist() for n, label in zip(names, labels, strict=True)} == expected
    with pytest.raises(DecodeError, match=r"image id .* is no number of 32 bits"):
        run(2, **arguments, image_ids=True)


def test_mixtures_read_images_of_several_sets_together(tmp_path, recwarn):
    sets = {}
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        sets[name] = write_coco(tmp_path / name, [annotation(1, 9, 7), annotation(2, 2)])

    def mixed(**options):
        return fn.readers.mix({k: fn.readers.coco(**own) for k, own in sets.items()}, **options)

    images, _, labels, source = run(6, mixed)
    assert [image.tobytes() for image in images] == [
        *(b"2.jpg", b"2.jpg", b"5.jpg", b"5.jpg", b"9.jpg", b"9.jpg")
    ]
    assert [label.tolist() for label in labels] == [[1], [1], [], [], [3], [3]]
    assert [int(number) for number in source] == [0, 1] * 3
    assert not recwarn.list


def test_mixtures_tell_of_other_categories(tmp_path):
    sets = {}
    for name, category in (("a", "cup"), ("b", "dog")):
        (tmp_path / name).mkdir()
        categories = [{"id": 3, "name": category}]
        sets[name] = write_coco(tmp_path / name, [annotation(1, 9)], categories=categories)
    with pytest.warns(RuntimeWarning, match=r"1 in output 2 is 'cup' in .* 'a', and 'dog' in 'b'"):
        run(3, lambda **o: fn.readers.mix({k: fn.readers.coco(**v) for k, v in sets.items()}, **o))


def test_images_are_not_balanced_by_their_numbers(tmp_path):
    arguments = write_coco(tmp_path, [annotation(1, 9)])
    with pytest.raises(ArgumentError, match=r"by='label': fn.readers.coco knows no such column"):
        run(3, lambda **options: fn.readers.balance(fn.readers.coco(**arguments), **options))
