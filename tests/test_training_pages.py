"""Pages that train: each has its example, which learns, resumes, and reads each format.

The notebooks are those of the examples, and run from top to bottom.
"""

import json
import re
import sys

import numpy as np
import pytest

from penstock import Pipeline, datasets, fn
from penstock.tests.examples import ROOT, epochs, example
from penstock.tests.two_ranks import run_on_two_ranks

EXAMPLES = ROOT / "examples"
PAGES = {
    "training": "train",
    "detector": "detection",
    "segmentation": "segmentation",
    "speech": "asr",
    "clips": "clips",
    "language": "language",
}

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


make_data = example("make_data")


def blocks(page):
    return re.findall(r"```python\n(.+?)```", (ROOT / "docs" / f"{page}.md").read_text(), re.S)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "photos"
    make_data.photos(folder, train=16, val=4)
    return folder


@pytest.mark.parametrize(("page", "name"), PAGES.items())
def test_a_page_has_its_example(page, name):
    assert blocks(page)[0] == (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_saved(photos, tmp_path, monkeypatch, capsys):
    train = example("train")

    def run(count):
        options = ["--classes", "8", "--epochs", str(count), "--save", str(tmp_path / "run.pt")]
        monkeypatch.setattr(sys, "argv", ["train.py", f"{photos}/train", f"{photos}/val", *options])
        train.main()
        return epochs(capsys.readouterr().out)

    first = run(1)
    assert [number for number, *_ in first] == [0]
    second = run(4)
    assert [number for number, *_ in second] == [1, 2, 3]
    assert second[-1][1] < 0.7 * first[0][1]
    assert second[-1][2] > 50  # chance: 12.5


THREE = """\
import sys

sys.path.append(sys.argv[1])
import asr, detection, language, torch.distributed, train

torch.distributed.init_process_group("gloo")
train.train("photos/train", "photos/val", 8, epochs=3, save="train.pt")
shapes = "shapes/train/images", "shapes/train/annotations.json"
shapes += "shapes/val/images", "shapes/val/annotations.json"
detection.train(*shapes, epochs=2, save="detection.pt")
asr.train("speech/train.json", "speech/val.json", "aeiousf", epochs=2, save="asr.pt")
language.train("texts/train", "texts/val", epochs=2, save="language.pt")
torch.distributed.destroy_process_group()
"""


@pytest.mark.slow
def test_two_ranks_train_one_model(photos, tmp_path):
    pytest.importorskip("soundfile")
    (tmp_path / "photos").symlink_to(photos)
    # 65 = 2 * 32 + 1: behind two full batches, one rank has a sample left, and the other has none.
    make_data.shapes(tmp_path / "shapes", train=65, val=9)
    make_data.speech(tmp_path / "speech", train=65, val=9)
    make_data.texts(tmp_path / "texts", train=65, val=9)
    (tmp_path / "three.py").write_text(THREE)
    result = run_on_two_ranks(tmp_path, "three.py", str(EXAMPLES), imports="torch._dynamo")
    for measure, name in (("accuracy", "train"), ("found", "detection"), ("letter errors", "asr")):
        found = epochs(result.stdout, measure)
        last = torch.load(tmp_path / f"{name}.pt")["epoch"]
        assert [number for number, *_ in found] == list(range(last + 1))  # one rank prints
        assert found[-1][1] < 0.9 * found[0][1], (name, found)
    assert [number for number, *_ in bits_of(result.stdout)] == [0, 1]


def bits_of(output):
    """Return number, loss and bits a byte of each epoch that was printed."""
    found = re.findall(r"epoch (\d+): loss ([\d.]+), ([\d.]+) bits", output)
    return [(int(number), float(loss), float(bits)) for number, loss, bits in found]


@pytest.mark.slow
def test_language_is_learned_and_the_run_goes_on(tmp_path, capsys):
    make_data.texts(tmp_path, train=64, val=8)
    language, parts = example("language"), (f"{tmp_path}/train", f"{tmp_path}/val")
    language.train(*parts, epochs=1, save=f"{tmp_path}/run.pt")
    language.train(*parts, epochs=3, save=f"{tmp_path}/run.pt")
    found = bits_of(capsys.readouterr().out)
    assert [number for number, *_ in found] == [0, 1, 2]
    assert found[-1][1] < 0.8 * found[0][1]
    assert found[-1][2] < 0.8 * found[0][2]


def test_texts_that_are_empty_or_one_token(tmp_path, capsys):
    language = example("language")
    for name, texts in (("train", ["a", "", "b"]), ("val", ["", "c"])):
        (tmp_path / name).mkdir()
        for i, text in enumerate(texts):
            (tmp_path / name / f"{i}.txt").write_text(text)
    language.train(f"{tmp_path}/train", f"{tmp_path}/val", epochs=2)
    assert bits_of(capsys.readouterr().out) == [(0, 0, 0), (1, 0, 0)]


def test_a_model_of_language_sees_no_other_text(tmp_path):
    make_data.texts(tmp_path, train=16, val=1)
    language = example("language")
    with language.batches_of(
        language.rows(f"{tmp_path}/train", False, "cpu"), "partial"
    ) as batches:
        tokens, cu_seqlens, positions = next(iter(batches))
    model, (_, first, second) = language.Model(), cu_seqlens[0, :3].tolist()
    other = tokens.clone()
    other[0, :first] = torch.randint(1, 256, (first,))
    # The losses of the second text alone count, and the first text has no part in them.
    only = torch.zeros_like(positions)
    only[0, first:second] = positions[0, first:second]
    with torch.no_grad():
        (loss, count), (same, _) = (model(each, cu_seqlens, only) for each in (tokens, other))
    assert count == second - first - 1
    assert loss == same


FORMATS = ("tfrecord", "webdataset", "parquet", "arrays")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "form"), list(enumerate(FORMATS, 1)))
def test_the_program_trains_from_other_formats(number, form, photos, tmp_path, capsys):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    train = example("train")
    exec(compile(blocks("training")[number], "training.md", "exec"), vars(train))
    for part in ("train", "val"):
        if form == "arrays":
            write_arrays(photos / part, tmp_path / part)
        else:
            datasets.convert(str(photos / part), str(tmp_path / part), to=form)
    with train.photographs(str(tmp_path / "val"), False, "cpu") as pipe:
        _, labels = pipe.run()
    assert np.bincount([int(np.ravel(row)[0]) for row in labels.rows()]).tolist() == [4] * 8
    train.train(str(tmp_path / "train"), str(tmp_path / "val"), 8, epochs=3)
    assert epochs(capsys.readouterr().out)[-1][2] > 25  # chance: 12.5


def write_arrays(folder, target):
    """Write the images of class folders as one array, and their labels."""
    cv2 = pytest.importorskip("cv2")
    paths = sorted(folder.rglob("*.jpg"))
    names = sorted({path.parent.name for path in paths})
    target.mkdir()
    images = [cv2.imread(str(path))[..., ::-1] for path in paths]
    np.save(target / "images.npy", np.stack(images))
    np.save(target / "labels.npy", np.array([names.index(path.parent.name) for path in paths]))


@pytest.mark.slow
def test_segmentation_is_learned(tmp_path, capsys):
    make_data.shapes(tmp_path, train=64, val=8)
    segmentation = example("segmentation")
    segmentation.train(f"{tmp_path}/train", f"{tmp_path}/val", 3, epochs=2)
    (_, before, _), (_, loss, found) = epochs(capsys.readouterr().out, "IoU")
    assert loss < 0.7 * before
    assert found > 60


def test_classes_without_pixels_are_no_part_of_the_mean(tmp_path, monkeypatch, capsys):
    class Ground(torch.nn.Module):
        def __init__(self, classes):
            super().__init__()
            self.scores = torch.nn.Parameter(9.0 * (torch.arange(classes) == 0))

        def forward(self, images):
            return self.scores[None, :, None, None].expand(len(images), -1, *images.shape[2:])

    make_data.shapes(tmp_path, train=8, val=4)
    segmentation = example("segmentation")
    monkeypatch.setattr(segmentation, "Network", Ground)
    for classes in (3, 21):
        segmentation.train(f"{tmp_path}/train", f"{tmp_path}/val", classes, epochs=1)
    (_, _, three), (_, _, all_of_voc) = epochs(capsys.readouterr().out, "IoU")
    assert three == all_of_voc > 20


def test_a_mask_follows_its_image(tmp_path):
    make_data.shapes(tmp_path, train=16, val=1)
    with example("segmentation").pairs(f"{tmp_path}/train", True, "cpu") as pipe:
        images, masks = pipe.run()
    for image, mask in zip(images.as_array(), masks.as_array()[..., 0], strict=True):
        assert set(np.unique(mask)) <= {0, 1, 2}
        red_over_blue = image[0] - image[2]
        if (mask == 1).any():
            assert (red_over_blue[mask == 1] < 0).mean() > 0.85  # disks are blue
        if (mask == 2).any():
            assert (red_over_blue[mask == 2] > 0).mean() > 0.85


def test_windows_of_the_detector_crop_its_images(tmp_path, monkeypatch):
    make_data.shapes(tmp_path, train=64, val=1)
    detection, drawn, draw = example("detection"), [], fn.random_bbox_crop

    def drawing(*inputs, **arguments):
        drawn.append(draw(*inputs, **arguments))
        return drawn[-1]

    monkeypatch.setattr(fn, "random_bbox_crop", drawing)
    given = f"{tmp_path}/train/images", f"{tmp_path}/train/annotations.json"
    with Pipeline(batch_size=64, num_threads=1, seed=7) as pipe:
        detection.scenes.__wrapped__(*given, True, "cpu", detection.anchor_boxes().numpy())
        ((_, shape, boxes, _),) = drawn
        pipe.set_outputs(shape, boxes)
        shapes, boxes = pipe.run()
    areas = np.prod(shapes.as_array(), axis=1)
    assert (areas < 0.95).mean() > 0.8
    assert areas.max() > 2 * areas.min()  # and not all alike
    assert sum(map(len, boxes.rows())) > 0.75 * 2 * 64  # a scene has two


MEASURES = {"train": "accuracy", "detection": "found", "asr": "letter errors", "clips": "accuracy"}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURES)
def test_a_notebook_runs_and_learns(name, tmp_path, monkeypatch, capsys):
    for library in {"asr": ["soundfile"], "clips": ["av"]}.get(name, ()):
        pytest.importorskip(library)
    text = (EXAMPLES / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    assert text == example("make_notebooks").notebook(name), "run examples/make_notebooks.py"
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "make_data.py").symlink_to(EXAMPLES / "make_data.py")
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.setattr(sys, "path", [*sys.path])
    names = {"__name__": "a_notebook"}
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}.ipynb", "exec"), names)
    sys.modules.pop("make_data")
    found = epochs(capsys.readouterr().out, MEASURES[name])
    assert found[-1][1] < 0.8 * found[0][1]  # the loss
    assert found[-1][2] < found[0][2] if name == "asr" else found[-1][2] > 40
