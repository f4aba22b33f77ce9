"""Twenty tasks for agents, and the programs that were written for them with SKILL.md alone.

Each test is a task. Its docstring is the task as an agent gets it, and its body the program, with
looks at the results. Data are named as the tools of the field name them.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock import fn, pipeline_def, tfrecord, types

from . import known_layouts

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from penstock.plugin.pytorch import (  # noqa: E402
    ClassificationIterator,
    DALIGenericIterator,
    RaggedIterator,
)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def photos(here):
    return known_layouts.imagenet(here / "photos")


def trained(encoded):
    images = fn.resize(fn.decoders.image_random_crop(encoded), size=(32, 32))
    mean, std = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]
    return fn.crop_mirror_normalize(images, mean=mean, std=std, mirror=fn.random.coin_flip())


def labels_of(pipe, **options):
    """Return the labels of one epoch."""
    loop = ClassificationIterator(
        pipe,
        reader_name="train",
        last_batch_policy="partial",
        batch_form="tuple",
        class_labels=True,
        **options,
    )
    return sorted(label for _, labels in loop for label in labels.tolist())


def test_1_class_folders(photos):
    """Train on class folders: batches of 4, images and int64 labels, each image once an epoch."""

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training(folder):
        encoded, labels = fn.readers.file(
            file_root=folder, random_shuffle=True, pad_last_batch=True, name="train"
        )
        return trained(encoded), labels

    with training("photos/train") as pipe:
        assert labels_of(pipe) == [0] * 6 + [1] * 6


def test_2_webdataset(photos, here):
    """Train on WebDataset shards with pictures and `.cls`."""
    pytest.importorskip("webdataset")
    known_layouts.web_shards(here / "wds", photos, "JPEG")

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.webdataset(
            paths="wds/*.tar",
            ext=["jpg;jpeg;png", "cls"],
            dtypes=[types.UINT8, types.INT64],
            random_shuffle=True,
            name="train",
        )
        return trained(encoded), labels

    with training() as pipe:
        assert labels_of(pipe) == [0] * 6 + [1] * 6


def test_3_parquet_of_the_hub(photos, here):
    """Train on the split `train` of a repository of the Hugging Face hub, and name the classes."""
    pytest.importorskip("pyarrow")
    known_layouts.hub(here / "hub", photos, as_bytes=True)

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.parquet(
            path="hub", columns=["image", "label"], split="train", random_shuffle=True, name="train"
        )
        return trained(encoded), labels

    with training() as pipe:
        assert labels_of(pipe) == [0] * 6 + [1] * 6
        assert pipe.class_names()["train"]["label"] == known_layouts.SYNSETS


def test_4_captions(photos, here):
    """Give pictures and captions of Parquet files as strings."""
    pytest.importorskip("pyarrow")
    known_layouts.hub(here / "hub", photos, as_bytes=True)

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, texts = fn.readers.parquet(
            path="hub", columns=["image", "caption"], split="train", name="train"
        )
        return trained(encoded), texts

    tags = [RaggedIterator.DENSE_TAG, RaggedIterator.SPARSE_LIST_TAG]
    loop = RaggedIterator(
        training(),
        ["images", "texts"],
        reader_name="train",
        output_types=tags,
        batch_form="tuple",
    )
    found = {bytes(text.numpy()).decode() for _, texts in loop for text in texts}
    assert found == set(known_layouts.WORDS)
    loop.close()


def test_5_recordio(photos, here):
    """Train on MXNet's RecordIO with class numbers for cross_entropy."""
    known_layouts.im2rec(here / "im2rec", photos)

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.mxnet(
            path="im2rec/train.rec", random_shuffle=True, name="train"
        )
        return trained(encoded), labels

    with training() as pipe:
        assert labels_of(pipe) == [0] * 6 + [1] * 6


def test_6_tfrecord(here):
    """Read pictures and their heights from TFRecords of TensorFlow's Object Detection."""
    pytest.importorskip("crc32c")
    known_layouts.object_detection(here / "tfod")

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def reading():
        found = fn.readers.tfrecord(
            path="tfod/train.record-*",
            features={
                "image/encoded": tfrecord.FixedLenFeature((), tfrecord.string, ""),
                "image/height": tfrecord.FixedLenFeature((), tfrecord.int64, 0),
            },
            name="train",
        )
        return trained(found["image/encoded"]), found["image/height"]

    loop = DALIGenericIterator(
        reading(), ["images", "heights"], reader_name="train", batch_form="tuple"
    )
    heights = [height for _, batch in loop for height in batch.flatten().tolist()]
    assert sorted(heights) == [60 + number for number in range(8)]
    loop.close()


def test_7_coco(here):
    """Train a detector on COCO: boxes and labels padded, with the true number of boxes."""
    known_layouts.coco(here / "coco")

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def detection():
        encoded, boxes, labels = fn.readers.coco(
            file_root="coco/train2017",
            annotations_file="coco/annotations/instances_train2017.json",
            ratio=True,
            ltrb=True,
            random_shuffle=True,
            name="train",
        )
        images = fn.resize(fn.decoders.image(encoded), size=(64, 64))
        count = fn.shapes(boxes)[0]
        return images, fn.pad(boxes, axes=[0], fill_value=-1), fn.pad(labels), count

    loop = DALIGenericIterator(
        detection(),
        ["images", "boxes", "labels", "count"],
        reader_name="train",
        batch_form="tuple",
    )
    counts = []
    for images, boxes, labels, count in loop:
        assert images.shape[1:] == (64, 64, 3)
        assert boxes.shape[2] == 4
        assert labels.shape[1] == boxes.shape[1] == count.max()
        counts += count.flatten().tolist()
    assert sorted(counts) == sorted(len(known_layouts.boxes_of(n)) for n in range(8))
    loop.close()


def test_8_regression_from_a_table(photos):
    """Train a regression of two numbers for each picture, which a CSV file holds."""
    rows = [f"{path.stem},{number},{number / 2}\n" for number, (path, _) in enumerate(photos[:6])]
    Path("t.csv").write_text("id,x,y\n" + "".join(rows))

    @pipeline_def(batch_size=2, num_threads=2, seed=1)
    def regression():
        encoded, places = fn.readers.file(
            file_root="photos/train/n01440764",
            table="t.csv",
            columns=[["x", "y"]],
            random_shuffle=True,
            name="train",
        )
        return trained(encoded), places

    loop = DALIGenericIterator(
        regression(), ["images", "places"], reader_name="train", batch_form="tuple"
    )
    found = [place for _, places in loop for place in places.tolist()]
    assert sorted(found) == [[number, number / 2] for number in range(6)]
    loop.close()


def test_9_validation_part(photos):
    """Hold back a part of the class folders for validation; no picture is in both."""

    @pipeline_def(batch_size=1, num_threads=2, seed=1)
    def part(split):
        return tuple(
            fn.readers.file(file_root="photos/train", split=split, split_by=0.7, name="train")
        )

    seen = []
    for split in ("train", "val"):
        with part(split) as pipe:
            seen += [bytes(pipe.run()[0].at(0)) for _ in range(pipe.epoch_size("train"))]
    assert len(seen) == len(set(seen)) == 12


def test_10_several_labels(photos):
    """Train with several labels a picture, given as an array of zeros and ones."""
    labels = np.eye(3, dtype=np.float32)[[0, 1, 2, 1]]

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, targets = fn.readers.file(
            files=[str(path) for path, _ in photos[:4]], labels=labels, name="train"
        )
        return trained(encoded), targets

    with training() as pipe:
        assert pipe.run()[1].as_array().tolist() == labels.tolist()


def test_11_segmentation(here):
    """Crop a picture and its mask alike, the mask without mixing its classes."""
    known_layouts.scenes(here / "scenes")
    names = sorted(path.name for path in Path("scenes/images").iterdir())

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def pairs():
        same = {"random_shuffle": True, "shuffle_seed": 1}
        encoded, _ = fn.readers.file(
            files=[f"scenes/images/{name}" for name in names], name="train", **same
        )
        masks, _ = fn.readers.file(files=[f"scenes/masks/{name}" for name in names], **same)
        image = fn.decoders.image(encoded)
        mask = fn.decoders.image(masks, output_type=types.GRAY)
        return fn.random_resized_crop([image, mask], size=(32, 32), interp_type=types.INTERP_NN)

    with pairs() as pipe:
        images, masks = pipe.run()
        np.testing.assert_array_equal(images.as_array()[..., 0], masks.as_array()[..., 0] * 30)


def test_12_speech(here):
    """Give log-mel features and texts of utterances that a manifest of NeMo lists."""
    pytest.importorskip("soundfile")
    known_layouts.librispeech(here / "speech")
    rows = [
        {"audio_filepath": str(path), "duration": 0.25, "text": path.stem}
        for path in sorted(Path("speech").rglob("*.flac"))
    ]
    Path("m.json").write_text("".join(json.dumps(row) + "\n" for row in rows))

    @pipeline_def(batch_size=3, num_threads=2, seed=1)
    def speech():
        audio, text = fn.readers.nemo_asr(
            manifest_filepaths=["m.json"], sample_rate=16000, read_sample_rate=False, name="train"
        )
        bands = fn.mel_filter_bank(fn.spectrogram(audio, nfft=512), nfilter=40)
        bands = fn.to_decibels(bands)
        return fn.pad(bands), fn.shapes(bands)[1], fn.pad(text), fn.shapes(text)[0]

    with speech() as pipe:
        bands, _, texts, sizes = pipe.run()
        assert bands.as_array().shape[1] == 40
        row, size = texts.as_array()[0], int(sizes.as_array().flat[0])
        assert bytes(row[:size]).decode() == "174-50561-0000"


def test_13_resume(photos):
    """Save the place in an epoch, and go on in another program with the rest of the epoch."""

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.file(
            file_root="photos/train", random_shuffle=True, name="train"
        )
        return trained(encoded), labels

    def opened():
        return ClassificationIterator(
            training(), reader_name="train", batch_form="tuple", class_labels=True
        )

    first = opened()
    begun = next(iter(first))[1].tolist()
    state = first.state_dict()
    first.close()
    second = opened()
    second.load_state_dict(state)
    rest = [label for _, labels in second for label in labels.tolist()]
    assert sorted(begun + rest) == [0] * 6 + [1] * 6
    second.close()


def test_14_bad_files(photos):
    """Train on although a file is damaged, and list the damaged files."""
    photos[0][0].write_bytes(b"no picture")

    @pipeline_def(batch_size=4, num_threads=2, seed=1, on_error="skip", quarantine_log="bad.jsonl")
    def training():
        encoded, labels = fn.readers.file(file_root="photos/train", name="train")
        return trained(encoded), labels

    with training() as pipe:
        assert len(labels_of(pipe)) == 12
    assert photos[0][0].name in Path("bad.jsonl").read_text()


def test_15_two_ranks(photos):
    """Divide the pictures between two ranks."""

    @pipeline_def(batch_size=1, num_threads=1, seed=1)
    def reading(rank):
        return tuple(
            fn.readers.file(
                file_root="photos/train",
                random_shuffle=True,
                shard_id=rank,
                num_shards=2,
                name="train",
            )
        )

    seen = set()
    for rank in range(2):
        with reading(rank) as pipe:
            seen |= {bytes(pipe.run()[0].at(0)) for _ in range(6)}
    assert len(seen) == 12


def test_16_own_function(photos):
    """Apply an own NumPy function to each decoded image."""

    def swapped(image):
        return image[..., ::-1]

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, _ = fn.readers.file(file_root="photos/train", name="train")
        images = fn.resize(fn.decoders.image(encoded), size=(8, 8))
        return images, fn.python_function(images, function=swapped)

    with training() as pipe:
        images, turned = pipe.run()
        np.testing.assert_array_equal(images.as_array()[..., ::-1], turned.as_array())


def test_17_own_source():
    """Make batches of a function that returns sample number i and its label, ten an epoch."""

    def sample(info):
        if info.idx_in_epoch >= 10:
            raise StopIteration
        return np.full(3, info.idx_in_epoch, np.float32), np.array([info.idx_in_epoch % 2])

    @pipeline_def(batch_size=5, num_threads=1)
    def pipeline():
        return tuple(fn.external_source(source=sample, batch=False, num_outputs=2))

    loop = DALIGenericIterator(pipeline(), ["data", "label"], batch_form="tuple")
    for _ in range(2):
        assert [int(x[0]) for data, _ in loop for x in data] == [*range(10)]
    loop.close()


def test_18_arrays(here):
    """Read a region of 2x3 from each `.npy` file of a folder."""
    (here / "arrays").mkdir()
    for number in range(4):
        np.save(here / "arrays" / f"{number}.npy", np.arange(100).reshape(10, 10) + number)

    @pipeline_def(batch_size=4, num_threads=1)
    def regions():
        return fn.readers.numpy(
            file_root="arrays", file_filter="*.npy", roi_start=[4, 5], roi_shape=[2, 3]
        )

    with regions() as pipe:
        expected = [(np.arange(100).reshape(10, 10) + n)[4:6, 5:8] for n in range(4)]
        np.testing.assert_array_equal(pipe.run()[0].as_array(), expected)


def test_19_convert_and_verify(photos):
    """Convert class folders to WebDataset shards on the command line, verify, and train."""
    command = [sys.executable, "-m", "penstock"]
    for line in ("convert photos/train shards/ --to webdataset", "verify photos/train shards/"):
        subprocess.run([*command, *line.split()], check=True, capture_output=True)

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.webdataset(
            paths="shards/*.tar",
            ext=["jpg;jpeg;png", "cls"],
            dtypes=[types.UINT8, types.INT64],
            name="train",
        )
        return trained(encoded), labels

    with training() as pipe:
        assert labels_of(pipe) == [0] * 6 + [1] * 6


def test_20_what_limits(photos):
    """Say where the time of a pipeline goes, and run its batches without PyTorch."""

    @pipeline_def(batch_size=4, num_threads=2, seed=1)
    def training():
        encoded, labels = fn.readers.file(file_root="photos/train", name="train")
        return trained(encoded), labels

    with training() as pipe:
        for _ in range(3):
            outputs = pipe.run()
            assert outputs[0].as_cpu().as_array().shape == (4, 3, 32, 32)
        assert re.search(r"decoders\.image_random_crop", str(pipe.stats()))
