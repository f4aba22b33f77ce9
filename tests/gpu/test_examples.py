"""The programs of the pages that train: each learns with `device="cuda"`."""

import re

import pytest

from ..examples import ROOT, epochs, example

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A function that draws a data set; returns its two parts."""
    folder = tmp_path_factory.mktemp("data")

    def drawn(kind, train, val):
        getattr(example("make_data"), kind)(folder / kind, train=train, val=val)
        return str(folder / kind / "train"), str(folder / kind / "val")

    return drawn


@pytest.fixture(autouse=True)
def a_cuda_device():
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no CUDA")
    torch.manual_seed(0)


def test_classes_are_learned_and_the_run_goes_on(data, tmp_path, capsys):
    train = example("train")
    parts, save = data("photos", 16, 4), str(tmp_path / "run.pt")
    train.train(*parts, 8, epochs=2, device="cuda", save=save)
    train.train(*parts, 8, epochs=4, device="cuda", save=save)
    found = epochs(capsys.readouterr().out, "accuracy")
    assert len(found) == 4
    assert found[-1][1] < 0.8 * found[0][1]
    assert found[-1][2] > 40


def test_boxes_are_learned(data, capsys):
    (train, val), detection = data("shapes", 64, 8), example("detection")
    images = [(f"{part}/images", f"{part}/annotations.json") for part in (train, val)]
    detection.train(*images[0], *images[1], epochs=3, device="cuda")
    found = epochs(capsys.readouterr().out, "found")
    assert found[-1][1] < 0.8 * found[0][1]


def test_masks_are_learned(data, capsys):
    example("segmentation").train(*data("shapes", 64, 8), 3, epochs=2, device="cuda")
    found = epochs(capsys.readouterr().out, "IoU")
    assert found[-1][1] < 0.7 * found[0][1]
    assert found[-1][2] > 60


def test_letters_are_learned(data, capsys):
    pytest.importorskip("soundfile")
    manifests = [f"{part}.json" for part in data("speech", 65, 9)]
    example("asr").train(*manifests, "aeiousf", epochs=6, device="cuda")
    found = epochs(capsys.readouterr().out, "letter errors")
    assert found[-1][1] < 0.8 * found[0][1]


def test_clips_are_learned(data, capsys):
    pytest.importorskip("av")
    example("clips").train(*data("videos", 16, 4), 4, epochs=6, device="cuda")
    found = epochs(capsys.readouterr().out, "accuracy")
    assert found[-1][1] < 0.8 * found[0][1]


def test_jax_learns_from_batches_of_the_gpu(data, capsys):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    page = (ROOT / "docs" / "jax.md").read_text(encoding="utf-8")
    program = re.findall(r"```python\n(.*?)```", page, re.S)[0]
    program = program.replace("image(encoded)", 'image(encoded, device="mixed")')
    program = program.replace('"photos"', repr(data("photos", 16, 4)[0]))
    names = {"__name__": "an_example"}
    exec(compile(program, "jax.md", "exec"), names)
    losses = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    assert len(losses) == 3
    assert losses[2] < losses[0]
    assert {device.platform for device in names["batch"]["image"].devices()} == {"gpu"}


def test_language_is_learned(data, capsys):
    language = example("language")
    language.train(*data("texts", 128, 8), epochs=6, device="cuda")
    found = re.findall(r"loss ([\d.]+), ([\d.]+) bits", capsys.readouterr().out)
    assert len(found) == 6
    assert all(
        float(last) < 0.7 * float(first) for first, last in zip(found[0], found[-1], strict=True)
    )


def test_attention_by_bounds_is_attention_by_a_mask(data):
    language = example("language")
    folder, _ = data("texts", 128, 8)
    with language.batches_of(language.rows(folder, False, "cuda"), "partial") as batches:
        batch = next(iter(batches))
    model = language.Model()
    with torch.no_grad():
        wanted, count = model(*(part.cpu() for part in batch))
        found, found_count = model.cuda()(*batch)
    assert count == found_count > 2000
    assert abs(float(found) - float(wanted)) < 5e-3 * float(wanted)  # bfloat16
