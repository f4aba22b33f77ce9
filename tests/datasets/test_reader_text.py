"""The calls that `inspect` prints run, for each format."""

import io

import numpy as np
import pytest

from penstock import Pipeline, datasets, fn, pipeline_def, tfrecord, types
from penstock.datasets.formats.table import writers
from penstock.datasets.reader_text import path_of
from penstock.testing import made

soundfile = pytest.importorskip("soundfile")

CONTENT = {"npy": "arrays", "npz": "arrays", "coco": "detections"}
CONTENT |= dict.fromkeys(("yolo", "voc", "openimages"), "detections")


def sound(number):
    """Return a quarter of a second as a FLAC file."""
    file = io.BytesIO()
    signal = np.random.default_rng(number).normal(0, 0.1, 4000)
    soundfile.write(file, signal, 16_000, format="FLAC")
    return file.getvalue()


def speech(count=4):
    return [
        datasets.Sample(
            f"{i:03d}",
            {
                "audio": datasets.Encoded(sound(i), "flac"),
                "text": f"word {i}",
                "duration": 0.25,
            },
        )
        for i in range(count)
    ]


def written(root, name):
    samples = speech() if name.startswith("nemo") else made.CONTENTS[CONTENT.get(name, "images")]()
    classes = ("a", "b") if name == "folder" else ()
    return made.write(root, samples, name, classes), samples


@pytest.mark.parametrize("name", [name for name in writers() if name != "npz"])
def test_the_call_runs_and_reads_the_samples(tmp_path, name):
    root, samples = written(tmp_path / "set", name)
    report = datasets.inspect(root)
    assert report.reader

    @pipeline_def(batch_size=len(samples), num_threads=1)
    def reading():
        outputs = []
        for call in report.reader:
            made = eval(call, {"fn": fn, "types": types, "tfrecord": tfrecord})
            made = made.values() if isinstance(made, dict) else made
            outputs += made if isinstance(made, list | tuple | type({}.values())) else [made]
        return tuple(outputs)

    with reading() as pipe:
        outputs = pipe.run()
        assert all(len(output) == len(samples) for output in outputs)
        contents = sorted(np.array(row).tobytes() for row in outputs[0].rows())
        others = [[np.array(row) for row in output.rows()] for output in outputs[1:]]
    images = [sample.components.get("image") for sample in samples]
    if images[0] is not None:
        assert contents == sorted(bytes(image.data) for image in images)
    labels = [sample.components.get("label") for sample in samples]
    if images[0] is not None and labels[0] is not None:
        assert sorted(row.item() for row in others[0]) == sorted(labels)


def test_the_call_reads_captions(tmp_path):
    samples = [
        datasets.Sample(f"{i}", {"caption": f"a dog {i}", "image": datasets.Encoded(b"..", "jpg")})
        for i in range(2)
    ]
    made.write(tmp_path / "set", samples, "parquet", ())
    (call,) = datasets.inspect(tmp_path / "set").reader
    assert "columns=['image', 'caption']" in call


@pytest.mark.parametrize("name", ["nemo", "nemo-tar"])
def test_the_call_reads_transcripts(tmp_path, name):
    root, _ = written(tmp_path / "set", name)
    (call,) = datasets.inspect(root).reader
    with Pipeline(4, 1) as pipe:
        pipe.set_outputs(*eval(call, {"fn": fn}))
        _, texts = pipe.run()
        assert [bytes(row) for row in texts.rows()] == [f"word {i}".encode() for i in range(4)]


def test_members_of_several_names_have_no_reader(tmp_path):
    root, _ = written(tmp_path / "set", "npz")
    assert datasets.inspect(root).reader == ()


def test_patterns_stand_for_many_files(tmp_path):
    numbered = [f"s3://b/x-{i:03d}-of-120.tar" for i in range(120)]
    assert path_of(numbered) == "s3://b/x-{000..119}-of-120.tar"
    assert path_of(numbered[:1] + numbered[2:]) == numbered[:1] + numbered[2:]
    files = [str(tmp_path / f"{name}.tar") for name in ("apple", "pear")]
    for file in files:
        (tmp_path / file).write_text("")
    assert path_of(files) == f"{tmp_path}/*.tar"
    (tmp_path / "plum.tar").write_text("")
    assert path_of(files) == files
