import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engine.errors import DecodeError
from penstock.formats import json_arrays
from penstock.formats.coco.instances import parse_instances, parse_panoptic

IMAGES = [{"id": i, "file_name": f"{i}.jpg", "height": 20, "width": 30} for i in (5, 2, 9)]
CATEGORIES = [{"id": 3, "name": "cat"}, {"id": 1}]


def annotation(number, image, **members):
    return {
        "id": number,
        "image_id": image,
        "category_id": 3,
        "bbox": [1, 2.5, number, 4],
        "area": 4,
        "iscrowd": 0,
        "segmentation": [[1, 1, 5, 1, 5, number]],
    } | members


def parse(content, **options):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    return parse_instances(io.BytesIO(text), "some.json", **options)


def content_of(annotations, images=IMAGES, categories=CATEGORIES):
    return {"images": images, "annotations": annotations, "categories": categories}


@pytest.mark.parametrize("window", [1, 300, 1 << 17])
def test_annotations_are_sorted_by_image(tuned, window):
    tuned(json_arrays, WINDOW_BYTES=window)
    annotations = [annotation(n, (9, 2, 4, 9)[n % 4]) for n in range(40)]
    with pytest.warns(UserWarning, match="10 of 40 annotations are dropped"):
        coco = parse(content_of(annotations), segmentations=True)
    assert coco.image_ids.tolist() == [2, 5, 9]
    assert coco.file_names == ["2.jpg", "5.jpg", "9.jpg"]
    assert coco.bounds.tolist() == [0, 10, 10, 30]
    of_2, of_9 = list(range(1, 40, 4)), [n for n in range(40) if n % 4 in (0, 3)]
    assert coco.annotations.ids.tolist() == of_2 + of_9
    assert coco.annotations.boxes[:, 2].tolist() == of_2 + of_9
    segmentations = coco.annotations.segmentations
    last = segmentations.vertices[segmentations.polygons[:, 1]] - 1
    assert segmentations.coordinates[last].tolist() == of_2 + of_9
    assert coco.without_image == 10
    assert (coco.category_ids.tolist(), coco.category_names) == ([3, 1], ["cat", ""])


def test_images_and_annotations_are_taken():
    coco = parse(content_of([annotation(n, (9, 2)[n % 2]) for n in range(6)]), segmentations=True)
    taken = coco.take(np.array([2, 0, 2]))
    assert taken.file_names == ["9.jpg", "2.jpg", "9.jpg"]
    assert taken.annotations.ids.tolist() == [0, 2, 4, 1, 3, 5, 0, 2, 4]
    kept = taken.keep(taken.annotations.ids > 1)
    assert kept.bounds.tolist() == [0, 2, 4, 6]
    assert kept.annotations.ids.tolist() == [2, 4, 3, 5, 2, 4]


def test_a_file_without_annotations():
    coco = parse({"images": IMAGES})
    assert coco.bounds.tolist() == [0, 0, 0, 0]
    assert parse({"images": []}, segmentations=True, keypoints=True).bounds.tolist() == [0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"annotations": []}, "no array 'images'"),
        (content_of([], [*IMAGES, IMAGES[0]]), "two images have the id 5"),
        (content_of([], IMAGES, CATEGORIES * 2), "two categories have the id 1"),
        (content_of([annotation(7, None)]), "with id 7: 'image_id' is missing"),
        (content_of([annotation(7, 2, bbox=[1, 2, 3])]), "with id 7: 'bbox' is .1, 2, 3."),
        (content_of([annotation(7, 2, bbox="x")]), "'bbox' is 'x', where a list of 4 numbers"),
        (content_of([annotation([1], 2)]), r"with id \[1\]: 'id' is \[1\]"),
        (content_of([annotation(1, 2, segmentation=[[1]])]), "with id 1: a polygon has an odd"),
        (content_of([annotation(1, 2), 7]), "annotation 1 .from 0.: 7 is no JSON object"),
        (content_of([], [{"id": 1}]), "the image with id 1: 'file_name' is missing"),
        (content_of([], IMAGES, [{"name": "x"}]), "category 0 .from 0.: 'id' is missing"),
    ],
)
def test_what_is_wrong_is_named(content, message):
    with pytest.raises(DecodeError, match=message) as caught:
        parse(content, segmentations=True)
    assert "some.json" in str(caught.value)


def test_the_offset_of_an_annotation_is_named():
    annotations = [annotation(n, 2) for n in range(3)] + [annotation(8, 2, bbox=["ä"])]
    text = json.dumps(content_of(annotations), ensure_ascii=False).encode()
    with pytest.raises(DecodeError, match=r"byte \d+: the annotation with id 8") as caught:
        parse(text)
    offset = int(str(caught.value).split("byte ")[1].split(":")[0])
    assert text[offset:].startswith(b'{"id": 8')


def test_nan_is_left_for_the_caller():
    text = json.dumps(content_of([annotation(1, 2, bbox=[1, 2, float("nan"), 4])])).encode()
    assert np.isnan(parse(text).annotations.boxes[0, 2])


def test_panoptic_annotations():
    segments = [{"id": 70, "category_id": 3, "bbox": [1, 2, 3, 4]}, {"id": 71, "category_id": 1}]
    annotations = [
        {"image_id": 9, "file_name": "9.png", "segments_info": segments},
        {"image_id": 2, "file_name": "2.png", "segments_info": segments[:1]},
    ]
    text = json.dumps(content_of(annotations)).encode()
    coco = parse_panoptic(io.BytesIO(text), "some.json")
    assert coco.panoptic_names == ["2.png", "", "9.png"]
    assert coco.annotations.ids.tolist() == [70, 70, 71]
    assert coco.bounds.tolist() == [0, 1, 1, 3]
    assert coco.take(np.array([2])).panoptic_names == ["9.png"]


@given(st.data())
def test_a_damaged_file_is_parsed_or_refused(data):
    text = bytearray(json.dumps(content_of([annotation(n, 2) for n in range(4)])).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + 1] = data.draw(st.sampled_from([b'"', b"{", b"]", b",", b"-", b"\xff", b""]))
    try:
        coco = parse(bytes(text[: data.draw(st.integers(0, len(text)))]), segmentations=True)
    except DecodeError:
        return
    assert coco.bounds[-1] == len(coco.annotations)


@pytest.mark.parametrize("missing", [{"bbox": None}, {"bbox": []}, {}])
@pytest.mark.parametrize("window", [1, 1 << 17])
def test_boxes_that_are_missing_are_those_of_the_masks(tuned, window, missing):
    tuned(json_arrays, WINDOW_BYTES=window)
    polygon = [[1, 1, 12, 1, 12, 9, 1, 9]]
    run_lengths = {"size": [20, 30], "counts": [45, 5, 550]}
    masks = [polygon, run_lengths, None, [], polygon, polygon]
    annotations = []
    for number, mask in enumerate(masks):
        each = annotation(number, 5 if number < 5 else 77, segmentation=mask)
        del each["bbox"]
        annotations.append(each | missing)
    annotations.append(annotation(6, 5, bbox=[0, 0, 0, 0]))
    with pytest.warns(UserWarning, match="because no image has their image_id"):
        coco = parse(content_of(annotations))
    boxes = coco.annotations.boxes.tolist()
    assert boxes == [[1, 1, 11, 8], [2, 5, 1, 5], [0] * 4, [0] * 4, [1, 1, 11, 8], [0] * 4]
    assert coco.annotations.lack_box.tolist() == [False, False, True, True, False, False]
    assert coco.without_image == 1


@pytest.mark.parametrize("size", [{"height": 0}, {"width": 0}])
def test_a_mask_without_box_and_size_is_named(size):
    each = annotation(1, 5, id="a1")
    del each["bbox"]
    images = [IMAGES[0] | size]
    with pytest.raises(DecodeError, match="annotation with id 'a1': there is no 'bbox', and its"):
        parse(content_of([each], images))


IDS = ["b", "a", 1 << 40, 3, (1 << 62) + 1, 1 << 70, -(1 << 70), "3", 7.0]


@pytest.mark.parametrize("first", ["images", "annotations"])
def test_ids_of_any_kind(first):
    images = [{"id": id_, "file_name": f"{n}.jpg"} for n, id_ in enumerate(IDS)]
    annotations = [annotation(1, id_, id=id_, category_id="c") for id_ in reversed(IDS)]
    annotations += [annotation(1, "none"), annotation(2, "7")]
    content = content_of(annotations, images, [{"id": "c", "name": "cat"}])
    members = sorted(content, reverse=first == "images")
    with pytest.warns(UserWarning, match=r"id 1 \(image_id 'none'\), id 2 \(image_id '7'\)\."):
        coco = parse({name: content[name] for name in members})
    assert [name[0] for name in coco.file_names] == list("382014567")
    assert np.diff(coco.bounds).tolist() == [1] * len(IDS)
    shown = [coco.ids.shown(id_) for id_ in coco.annotations.ids.tolist()]
    assert shown == ["3", "7", str(1 << 40), "'b'", "'a'", *map(str, IDS[4:7]), "'3'"]
    assert coco.without_image == 2
    assert len(set(coco.annotations.category_ids.tolist() + coco.category_ids.tolist())) == 1


@pytest.mark.parametrize("as_image_id", [str, lambda number: number + 100])
def test_annotations_of_which_none_has_an_image_are_an_error(as_image_id):
    annotations = [annotation(n, as_image_id(image)) for n, image in enumerate((5, 2))]
    shown = repr(as_image_id(5))
    with pytest.raises(DecodeError, match=f"has image_id {shown}, and the first image has id 2"):
        parse(content_of(annotations))


def test_the_first_annotations_without_an_image_are_named():
    annotations = [annotation(n, (2, 77)[n % 2]) for n in range(10)]
    with pytest.warns(UserWarning, match=r"5 of 10 .* id 5 \(image_id 77\) and 2 more\."):
        parse(content_of(annotations))


def test_ids_that_come_twice_are_shown_as_they_are():
    images = [{"id": "x", "file_name": "a.jpg"}, {"id": "x", "file_name": "b.jpg"}]
    with pytest.raises(DecodeError, match="two images have the id 'x'"):
        parse(content_of([], images))


def test_images_of_lvis():
    url = "http://images.cocodataset.org/train2017/000000000007.png"
    image = {
        "id": 7,
        "coco_url": url,
        "flickr_url": "http://farm9.staticflickr.com/7.jpg",
        "height": 20,
        "width": 30,
        "neg_category_ids": [1, 2, 3],
        "not_exhaustive_category_ids": [],
    }
    coco = parse(content_of([annotation(1, 7)], [image, image | {"id": 8, "file_name": "b.png"}]))
    assert coco.file_names == ["train2017/000000000007.png", "b.png"]


@pytest.mark.parametrize("member", ["images", "annotations", "categories"])
def test_a_member_that_comes_twice_is_named(member):
    text = json.dumps(content_of([annotation(1, 5)]))
    again = f'{text[:-1]}, "{member}": []}}'.encode()
    with pytest.raises(DecodeError, match=rf"the member '{member}' comes twice, .* byte \d+;"):
        parse(again)


@pytest.mark.parametrize("rest", [b"{}", b"\0", b', "annotations": []}', b"]", b"x" * 1000])
def test_what_follows_the_object_is_named(rest):
    text = json.dumps(content_of([annotation(1, 5)])).encode()
    assert len(parse(text + b" \r\n\t")) == 3
    with pytest.raises(DecodeError, match=f"more than one JSON value: .* at byte {len(text) + 1}$"):
        parse(text + b"\n" + rest)
