"""docs/datasets.md: each recipe converts, inspects and trains, with the labels of the source."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

import penstock
from penstock.cli.main import run as penstock_run
from penstock.datasets.formats.table import writers
from penstock.tests.checkout import ROOT
from penstock.tests.readers.mds import sets

torch = pytest.importorskip("torch")
image_library = pytest.importorskip("PIL.Image")
pytest.importorskip("lmdb")
pytest.importorskip("pyarrow")
soundfile = pytest.importorskip("soundfile")

PAGE = ROOT / "docs" / "datasets.md"
TEXT = PAGE.read_text(encoding="utf-8")
TRAINING = TEXT.split("## Training from each format\n")[1].split("\n## ")[0]
COUNT = 12
LABELS = [0] * 5 + [1] * 7
WORDS = ["a sea", "a fee", "so far", "ease"] * 3

# Type and shape of the labels, as the page's table has them.
FORMS = {
    "read_folder": ("int32", (1,)),
    "read_list": ("int32", (1,)),
    "read_tfrecord": ("int64", (1,)),
    "read_recordio": ("float32", (1,)),
    "read_webdataset": ("int32", (1,)),
    "read_energon": ("int32", (1,)),
    "read_lmdb": ("int32", (1,)),
    "read_caffe": ("int32", (1,)),
    "read_caffe2": ("int32", (1,)),
    "read_parquet": ("int64", ()),
    "read_mds": ("int64", ()),
}


def sections():
    """Return the text of each recipe by its title; "" is what comes before."""
    first, *rest = re.split(r"^### (.+)$", TRAINING, flags=re.MULTILINE)
    return {"": first} | dict(zip(rest[::2], rest[1::2], strict=True))


RECIPES = sections()


def commands(text):
    return re.findall(r"^\$ penstock (.+)$", text, flags=re.MULTILINE)


def code(text):
    return "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))


@pytest.fixture(autouse=True)
def sources(tmp_path, monkeypatch):
    """Make the data sets that the recipes convert, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setattr("os.fsync", lambda descriptor: None)
    random = np.random.default_rng(0)
    for number, label in enumerate(LABELS):
        folder = Path("train", ["cat", "dog"][label])
        folder.mkdir(parents=True, exist_ok=True)
        pixels = random.integers(0, 60, (40 + number, 50, 3), np.uint8) + 180 * label
        image_library.fromarray(pixels.astype(np.uint8)).save(
            folder / f"{number:03d}.JPEG"
        )  # as ImageNet names them
    _make_mds()
    _make_scenes()
    _make_speech(random)
    members = {}
    for number, label in enumerate(LABELS):
        members[f"{number:03d}.array"] = np.full((3, 4), label * 100 + number, np.int16)
        members[f"{number:03d}.label"] = np.int64(label)
    np.savez("volumes.npz", **members)


def _make_mds():
    samples = []
    for path, label in zip(sorted(Path("train").rglob("*.JPEG")), LABELS, strict=True):
        image = path.read_bytes()
        samples.append(np.uint32([len(image)]).tobytes() + image + np.int64([label]).tobytes())
    sets.put(sets.made({"image": ("jpeg", None), "label": ("int", 8)}, samples), Path("train-mds"))


def _make_scenes():
    Path("scenes").mkdir()
    images, annotations = [], []
    for number in range(COUNT):
        name = f"{number:03d}.jpg"
        image_library.new("RGB", (40, 20), (number, 0, 0)).save(Path("scenes", name))
        images.append({"id": number, "file_name": name, "width": 40, "height": 20})
        for box in range(1 + number % 3):
            annotation = {"id": len(annotations) + 1, "image_id": number, "category_id": 3}
            annotations.append(annotation | {"bbox": [4, 2, 10 + box, 10], "iscrowd": 0, "area": 1})
    categories = [{"id": 3, "name": "thing"}]
    content = {"images": images, "annotations": annotations, "categories": categories}
    Path("scenes", "annotations.json").write_text(json.dumps(content))


def _make_speech(random):
    lines = []
    for number, text in enumerate(WORDS):
        name = f"{number:03d}.flac"
        soundfile.write(name, random.normal(0, 0.1, 8000 + 300 * number), 16_000)
        seconds = (8000 + 300 * number) / 16_000
        lines.append({"audio_filepath": name, "duration": seconds, "text": text})
    Path("speech.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


class Recipe:
    """Runs a recipe; notes what its nets and its losses are given."""

    def __init__(self, title, capsys):
        self.names = {"__name__": "a_recipe"}
        self.means, self.labels, self.losses = [], [], []
        exec(compile(code(RECIPES[""]), str(PAGE), "exec"), self.names)
        self.names["model"].register_forward_hook(self._note_images)
        plain = self.names["cross_entropy"]

        def cross_entropy(logits, labels):
            self.labels += labels.tolist()
            self.losses.append(plain(logits, labels))
            return self.losses[-1]

        self.names["cross_entropy"] = cross_entropy
        for command in commands(RECIPES[title]):
            run(command, capsys)
        exec(compile(code(RECIPES[title]), str(PAGE), "exec"), self.names)

    def _note_images(self, model, inputs, output):
        self.means += inputs[0].mean((1, 2, 3)).tolist()


def run(command, capsys):
    status = penstock_run(shlex.split(command))
    output = capsys.readouterr().out
    assert status == 0, command
    if command.startswith("inspect"):
        assert f"{COUNT} samples" in output


@pytest.mark.slow
@pytest.mark.parametrize(
    "title",
    [
        "Class folders",
        "File lists",
        "TFRecord",
        "RecordIO",
        "WebDataset",
        "Energon",
        "LMDB",
        "Caffe and Caffe2",
        "Parquet and Hugging Face",
        "MDS",
    ],
)
def test_pictures(title, capsys):
    recipe = Recipe(title, capsys)
    epochs = len(re.findall(r"^train\(", code(RECIPES[title]), re.MULTILINE))
    assert sorted(recipe.labels) == sorted(LABELS * epochs)
    assert recipe.labels[:COUNT] != sorted(LABELS)  # they are shuffled
    assert [int(mean > 0) for mean in recipe.means] == recipe.labels  # each with its picture
    assert len(recipe.losses) == COUNT // 4 * epochs
    for name, read in recipe.names.items():
        if name in FORMS:
            with penstock.Pipeline(batch_size=4, num_threads=1) as pipe:
                pipe.set_outputs(*read())
                labels = pipe.run()[1].as_array()
            assert (labels.dtype.name, labels.shape) == (FORMS[name][0], (4, *FORMS[name][1]))
    assert all(loss.isfinite() for loss in recipe.losses)


def test_coco(capsys):
    recipe = Recipe("COCO", capsys)
    losses = recipe.names["detection_losses"]
    assert len(losses) == COUNT // 4
    assert all(map(math.isfinite, losses))
    batch = recipe.names["batch"]
    np.testing.assert_allclose(batch["boxes"][:, 0, :2], [[0.1, 0.1]] * 4, atol=1e-6)
    for boxes, labels in zip(batch["boxes"], batch["labels"], strict=True):
        assert labels.tolist() == [1 if box[0] >= 0 else -1 for box in boxes.tolist()]


def test_boxes(capsys):
    recipe = Recipe("YOLO, Pascal VOC and Open Images", capsys)
    for boxes in recipe.names["first_boxes"]:
        np.testing.assert_allclose(boxes[:, :2], [[0.1, 0.1]] * 4, atol=1e-6)


@pytest.mark.slow
def test_speech(capsys):
    recipe = Recipe("NeMo", capsys)
    texts = []
    plain = torch.nn.functional.ctc_loss

    def ctc_loss(log_odds, text, windows, letters):
        rows = zip(text.tolist(), letters.tolist(), strict=True)
        texts.extend(bytes(row[:length]).decode() for row, length in rows)
        return plain(log_odds, text, windows, letters)

    sources = [{"manifest_filepaths": "speech/manifest.json"}]
    sources.append({"manifest_filepaths": "speech-tar/manifest.json"})
    sources[1]["tarred_audio_filepaths"] = "speech-tar/*.tar"
    try:
        torch.nn.functional.ctc_loss = ctc_loss
        losses = [loss for source in sources for loss in recipe.names["train_speller"](**source)]
    finally:
        torch.nn.functional.ctc_loss = plain
    assert sorted(texts) == sorted(WORDS * 2)
    assert len(losses) == 2 * COUNT // 4
    assert all(map(math.isfinite, losses))


def test_numpy(capsys):
    recipe = Recipe("NumPy", capsys)
    seen = []
    recipe.names["classifier"].register_forward_hook(
        lambda model, inputs, output: seen.extend(inputs[0][:, 0, 0].tolist())
    )
    recipe.labels.clear()
    for read in ("read_stacks", "read_archives"):
        recipe.names["train_classifier"](recipe.names[read])
    assert sorted(recipe.labels) == sorted(LABELS * 2)
    assert [int(value >= 100) for value in seen] == recipe.labels
    assert all(loss.isfinite() for loss in recipe.losses)


def test_every_format_that_convert_writes_has_a_recipe():
    shown = set(re.findall(r"--to ([\w-]+)", TRAINING))
    assert shown == set(writers())


def test_fields_of_json():
    """The recipe without a training: an archive of the package webdataset has such components."""
    webdataset = pytest.importorskip("webdataset")
    names = {"__name__": "a_recipe"}
    exec(compile(code(RECIPES[""]), str(PAGE), "exec"), names)
    blocks = re.findall(r"```python\n(.*?)```", RECIPES["WebDataset"], re.S)
    exec(compile(blocks[1], str(PAGE), "exec"), names)
    Path("train-tar").mkdir()
    picture = next(Path("train").rglob("*.JPEG")).read_bytes()
    with webdataset.TarWriter("train-tar/a.tar") as writer:
        for number in range(4):
            scores = {"scores": {"quality": number / 2}}
            writer.write({"__key__": f"{number}", "jpg": picture, "json": scores})
    with penstock.Pipeline(batch_size=4, num_threads=1) as pipe:
        pipe.set_outputs(*names["read_scores"]())
        assert pipe.run()[1].as_array().tolist() == [0.0, 0.5, 1.0, 1.5]
