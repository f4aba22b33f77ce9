"""docs/known_layouts.md, and SKILL.md's readers, on data that are named as the page says."""

import re

import numpy as np
import pytest
from PIL import Image

import penstock
from penstock import datasets, fn, pipeline_def, types

from . import known_layouts

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from penstock.plugin.pytorch import ClassificationIterator, GenericIterator  # noqa: E402
from penstock.tests.checkout import ROOT  # noqa: E402

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "known_layouts.md").read_text(), re.S)


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Return what the page defines, in a folder for the data."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names = {}
    for block in BLOCKS:
        exec(compile(block, "known_layouts.md", "exec"), names)
    return names


@pytest.fixture
def photos(tmp_path):
    return known_layouts.imagenet(tmp_path / "imagenet")


def labels_of(pipeline):
    """Return the labels of an epoch of training."""
    found = []
    with pipeline:
        loop = ClassificationIterator(
            pipeline,
            reader_name="reader",
            last_batch_policy="partial",
            batch_form="tuple",
            class_labels=True,
        )
        for images, labels in loop:
            assert images.shape[1:] == (3, 224, 224)
            assert labels.dtype == torch.int64
            found += labels.tolist()
    return sorted(found)


HALVES = [0] * 6 + [1] * 6


def test_imagenet(page, photos):
    assert labels_of(page["imagenet"]()) == HALVES
    with page["imagenet"]() as pipeline:
        assert pipeline.class_names() == {"reader": {"label": known_layouts.SYNSETS}}


@pytest.mark.parametrize("ending", ["jpg", "jpeg", "JPEG", "png"])
def test_webdataset(page, photos, tmp_path, ending):
    pytest.importorskip("webdataset")
    known_layouts.web_shards(tmp_path / "wds", photos, ending)
    assert labels_of(page["webdataset"]()) == HALVES


@pytest.mark.parametrize("format", ["webdataset", "lmdb"])
def test_the_names_that_conversions_write(page, photos, tmp_path, format):
    """Files in capitals come out in small letters, and the recipes of all pages find them."""
    pytest.importorskip("lmdb")
    datasets.convert("imagenet/train", "out", to=format)
    assert datasets.verify("imagenet/train", "out").ok
    with datasets.open_dataset("out") as dataset:
        assert dataset.read([0])[0].components["image"].extension == "jpeg"

    @pipeline_def(batch_size=4, num_threads=2)
    def reading(ext):
        entries = {"ext": ext, "dtypes": [types.UINT8, types.INT32], "name": "reader"}
        if format == "lmdb":
            encoded, labels = fn.readers.lmdb(path="out", **entries)
        else:
            encoded, labels = fn.readers.webdataset(paths="out/*.tar", **entries)
        return page["pictures"](encoded), labels

    skill = (ROOT / "SKILL.md").read_text()
    of_skill = re.search(r'webdataset\(paths=..., ext=\["([^"]+)"', skill)[1]
    for ext in (of_skill, "jpeg", "JPEG"):
        assert labels_of(reading([ext, "cls"])) == HALVES


def test_a_wrong_name_is_told_with_the_near_one(page, photos, tmp_path):
    pytest.importorskip("webdataset")
    known_layouts.web_shards(tmp_path / "wds", photos, "JPEG")

    @pipeline_def(batch_size=4, num_threads=2)
    def reading(**options):
        return fn.readers.webdataset(paths="wds/*.tar", ext=["jpg"], **options)

    with pytest.raises(penstock.SourceError) as error:
        reading(missing_component_behavior="error").build()
    assert "has no component 'jpg'; did you mean 'JPEG'? (it has JPEG, cls)" in str(error.value)
    with pytest.warns(UserWarning, match="has a component 'jpg'; did you mean 'JPEG'"):
        reading().build()

    @pipeline_def(batch_size=4, num_threads=2)
    def decoding():
        return fn.decoders.image(
            fn.readers.webdataset(
                paths="wds/*.tar", ext=["jpg"], missing_component_behavior="empty"
            )
        )

    with (
        pytest.warns(UserWarning, match="did you mean 'JPEG'"),
        pytest.raises(penstock.DecodeError, match="has no component of this name, as where"),
        decoding() as pipeline,
    ):
        pipeline.run()


@pytest.mark.parametrize("form", ["bytes", "paths"])
def test_hub(page, photos, tmp_path, form):
    pytest.importorskip("pyarrow")
    known_layouts.hub(tmp_path / "hub", photos, as_bytes=form == "bytes")
    assert labels_of(page["hub"]()) == HALVES
    assert labels_of(page["hub"](split="test")) == [0, 0]
    words = set()
    with page["captions"]() as pipeline:
        for (batch,) in GenericIterator(pipeline, ["image", "text", "size"], reader_name="reader"):
            for text, size in zip(batch["text"], batch["size"].flatten().tolist(), strict=True):
                words.add(bytes(text[:size].numpy()).decode())
    assert words == set(known_layouts.WORDS)


@pytest.mark.filterwarnings("default")  # of the library
@pytest.mark.parametrize("form", ["repository", "disk", "dictionary"])
def test_what_the_library_datasets_writes(page, photos, tmp_path, form):
    library = pytest.importorskip("datasets", reason="the library datasets is not installed")
    columns = {
        "image": [str(path) for path, _ in photos],
        "label": [label for _, label in photos],
        "caption": ["a b"] * len(photos),
    }
    features = library.Features(
        image=library.Image(),
        label=library.ClassLabel(names=[*known_layouts.SYNSETS]),
        caption=library.Value("string"),
    )
    data = library.Dataset.from_dict(columns, features=features)
    if form == "repository":
        (tmp_path / "hub" / "data").mkdir(parents=True)
        data.to_parquet("hub/data/train-00000-of-00001.parquet")
        data.select([0, 1]).to_parquet("hub/data/test-00000-of-00001.parquet")
    elif form == "disk":
        data.save_to_disk("hub/train")
    else:
        library.DatasetDict(train=data, test=data.select([0, 1])).save_to_disk("hub")
    assert labels_of(page["hub"]()) == HALVES


def test_im2rec(page, photos, tmp_path):
    known_layouts.im2rec(tmp_path / "im2rec", photos)
    assert labels_of(page["im2rec"]()) == HALVES
    (tmp_path / "im2rec" / "train.idx").unlink()
    assert labels_of(page["im2rec"]()) == HALVES


def detections(pipeline):
    """Return the boxes and the labels of each picture in an epoch, sorted."""
    found = []
    with pipeline:
        loop = GenericIterator(
            pipeline,
            ["images", "boxes", "labels"],
            reader_name="reader",
            last_batch_policy="partial",
        )
        for (batch,) in loop:
            assert batch["images"].shape[1:] == (224, 224, 3)
            for boxes, labels in zip(batch["boxes"], batch["labels"], strict=True):
                kept = labels.flatten() > 0
                found.append((boxes[kept].tolist(), labels.flatten()[kept].tolist()))
    return sorted(found)


def test_object_detection(page, tmp_path):
    pytest.importorskip("crc32c")
    known_layouts.object_detection(tmp_path / "tfod")
    found = detections(page["object_detection"]())
    expected = [np.float32(known_layouts.boxes_of(number)).tolist() for number in range(8)]
    assert [boxes for boxes, _ in found] == sorted(expected)
    assert all(labels == [1, 2, 3][: len(boxes)] for boxes, labels in found)
    assert datasets.inspect("tfod").samples == 8  # the map of labels is no data


def test_coco(page, tmp_path):
    known_layouts.coco(tmp_path / "coco")
    found = detections(page["coco"]())
    assert len(found) == 8
    assert {label for _, labels in found for label in labels} == {1, 2, 3}
    expected = sorted(box for number in range(8) for box in known_layouts.boxes_of(number))
    np.testing.assert_allclose(sorted(box for boxes, _ in found for box in boxes), expected, 1e-4)


def transcripts(pipeline):
    found = []
    with pipeline:
        names = ["audio", "samples", "text", "letters"]
        loop = GenericIterator(pipeline, names, reader_name="reader", last_batch_policy="partial")
        for (batch,) in loop:
            assert batch["samples"].min() > 3900
            for text, count in zip(batch["text"], batch["letters"].flatten().tolist(), strict=True):
                found.append(bytes(text[:count].numpy()).decode())
    return sorted(found)


def test_common_voice(page, tmp_path):
    pytest.importorskip("soundfile")
    known_layouts.common_voice(tmp_path / "cv" / "en")
    with pytest.warns(RuntimeWarning, match=r"2 of 6 files have no row in cv/en/train\.tsv"):
        assert transcripts(page["common_voice"]()) == sorted(known_layouts.WORDS)


def test_librispeech(page, tmp_path):
    pytest.importorskip("soundfile")
    known_layouts.librispeech(tmp_path / "librispeech" / "train-clean-100")
    page["write_table"]("librispeech/train-clean-100")
    expected = sorted(2 * [word.upper() for word in known_layouts.WORDS[:3]])
    assert transcripts(page["librispeech"]()) == expected


def striped(number):
    """Return a wide picture and its mask: stripes of eight gray levels."""
    mask = np.full((48, 64), number, np.uint8)
    mask[6 * number :] = 7 - number
    return Image.fromarray(np.repeat(mask[:, :, np.newaxis] * 30, 3, axis=2)), mask


def write_turned(picture, path):
    """Write a photograph whose EXIF data say that it is to be turned."""
    exif = Image.Exif()
    exif[0x0112] = 6
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, quality=95, exif=exif)


def ade20k(root):
    for number in range(8):
        picture, mask = striped(number)
        name = f"ADE_train_{number:08d}"
        write_turned(picture, root / f"images/training/{name}.jpg")
        path = root / f"annotations/training/{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(mask).save(path)


def voc(root):
    names = [f"2007_{number:06d}" for number in range(8)]
    for folder in ("SegmentationClass", "ImageSets/Segmentation"):
        (root / folder).mkdir(parents=True)
    for number, name in enumerate(names):
        picture, mask = striped(number)
        write_turned(picture, root / f"JPEGImages/{name}.jpg")
        colors = Image.fromarray(mask).convert("P")
        colors.putpalette([37 * value % 256 for value in range(768)])
        colors.save(root / f"SegmentationClass/{name}.png")
    (root / "ImageSets/Segmentation/train.txt").write_text("\n".join(names) + "\n")


@pytest.mark.parametrize("make", [ade20k, voc])
def test_segmentation(page, tmp_path, make):
    name = make.__name__
    make(tmp_path / name)
    if name == "voc":
        page["write_masks"](name)
    with page[name](name) as pipeline:
        for _ in range(2):
            images, masks = pipeline.run()
            levels, classes = images.as_array()[..., 0] / 30, masks.as_array()[..., 0]
            assert classes.max() < 8
            # The linear filter of the image mixes levels along the edges.
            assert (np.abs(levels - classes) < 0.5).mean() > 0.9
