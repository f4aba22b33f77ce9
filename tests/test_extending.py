"""docs/extending.md: its examples run, and `penstock.extend` exports what they need."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import time
import zlib
from dataclasses import replace

import cv2
import numpy as np
import pytest

import penstock
from penstock import ArgumentError, DecodeError, Pipeline, SourceError, extend, fn, ops
from penstock.decoders.image.table import FORMATS
from penstock.engine.graph.operator import OPERATORS
from penstock.engine.processes import helper_processes
from penstock.readers import record_reader
from penstock.tests.checkout import ROOT

PAGE = ROOT / "docs" / "extending.md"
SAMPLES = [b"first", b"", b"third" * 1000]
NAMES = """
    ANY ANY_FLOAT ANY_FLOATS ARRAY ArgumentError BOOL BaseIterator BatchContext BatchOperator
    BatchRules CALLABLE DTYPE DTYPES DamagedFileError Damages DatasetFormat DecodeError
    DecodeRequest Encoded FLOAT FLOATS GpuRules IMAGE_TYPE INT INTERP INTS ImageFormat ImageHeader
    Input Kernel LAYOUT LayoutError Location MissingDependencyError OPTIONS OneFileWriter Pointers
    REQUIRED Reader ReaderCall RecordFiles RecordReader STR STRS Sample SampleOperator SequenceRules
    ShardInfo Source SourceError StoredImage StoredSamples Target TensorList TensorListCPU
    TensorListGPU Workspace Writer c_type check_numbers check_uniform checked_indices decode_error
    enter_errors expand_paths files_of function_of launch_elements layout_of lines_axis
    numbers_of_batch open_storages padded_numbers param pointwise register register_dataset_format
    register_format saturate struct_table
"""


def sections():
    """Return the text of each section by its title."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


SECTIONS = sections()
BLOCKS = {title: re.search(r"```python\n(.*?)```", text, re.S) for title, text in SECTIONS.items()}
EXAMPLES = {title: block[1] for title, block in BLOCKS.items() if block}


@pytest.fixture
def run_example():
    """Run the example of a section; forget its operators and formats after the test."""
    operators, formats = dict(OPERATORS), dict(FORMATS)

    def run(title):
        names = {"__name__": "an_extension"}
        exec(compile(EXAMPLES[title], str(PAGE), "exec"), names)
        return names

    yield run
    for table, before in ((OPERATORS, operators), (FORMATS, formats)):
        table.clear()
        table.update(before)
    for name in ("solarize", "solarize_on_both", "unpack"):
        vars(fn).pop(name, None)
        vars(ops).pop(name, None)
    for name in ("pile", "photos"):
        vars(fn.readers).pop(name, None)
        vars(ops.readers).pop(name.capitalize(), None)


def test_the_exported_names_stay():
    assert sorted(name for name in vars(extend) if name[0] != "_") == sorted(NAMES.split())
    assert "extend" in penstock.__all__


@pytest.mark.parametrize(
    ("title", "most"),
    [
        ("A format", 65),
        ("The same on the GPU", 40),
        ("A decoder", 40),
        ("A data set format", 60),
        ("A writer of data sets", 40),
    ],
)
def test_an_extension_is_a_short_file(title, most):
    assert len(EXAMPLES[title].splitlines()) <= most


def write_pile(path, samples):
    lengths = np.array([len(sample) for sample in samples], "<u4")
    head = b"PILE" + np.uint32(len(samples)).tobytes()
    path.write_bytes(head + lengths.tobytes() + b"".join(samples))
    return str(path)


@pytest.fixture
def piles(tmp_path):
    return [write_pile(tmp_path / f"{i}.pile", SAMPLES) for i in range(2)]


def test_a_format(run_example, piles, tmp_path):
    with pytest.raises(AttributeError, match="there is no operator 'pile'"):
        fn.readers.pile  # noqa: B018
    run_example("A format")
    assert "pile" in dir(fn.readers)
    assert "Pile" in dir(ops.readers)
    argument = "path (str | Sequence[str]): Paths, patterns or URLs of the files."
    assert argument in fn.readers.pile.__doc__
    pipe = Pipeline(batch_size=6, num_threads=2)
    pipe.set_outputs(fn.readers.pile(path=piles))
    with pipe:
        (batch,) = pipe.run()
    assert [row.tobytes() for row in batch.rows()] == SAMPLES * 2
    assert batch.source_info()[4] == f"{piles[1]}, record 1, offset 25"
    (tmp_path / "bad.pile").write_bytes(b"HEAP" + bytes(20))
    bad = Pipeline(batch_size=1, num_threads=1)
    bad.set_outputs(ops.readers.Pile(path=str(tmp_path / "bad.pile"))())
    with pytest.raises(SourceError, match="not with b'PILE'"):
        bad.build()


@pytest.mark.filterwarnings("ignore:.*1 file is damaged")
def test_a_cut_file_of_a_format(run_example, piles, tmp_path):
    """It is read up to the cut. If nothing is left, its error ends the run."""
    run_example("A format")
    os.truncate(piles[0], 30)
    pipe = Pipeline(batch_size=5, num_threads=1, on_error="skip")
    pipe.set_outputs(fn.readers.pile(path=piles))
    with pipe:
        (batch,) = pipe.run()
    assert [row.tobytes() for row in batch.rows()] == [*SAMPLES[:2], *SAMPLES]
    os.truncate(piles[0], 20)
    lost = Pipeline(batch_size=1, num_threads=1, on_error="skip")
    lost.set_outputs(fn.readers.pile(path=piles[0]))
    with pytest.raises(SourceError, match=r"0\.pile is cut off"):
        lost.build()


def test_a_reader_that_decodes(run_example, tmp_path):
    names = run_example("A format")
    exec(compile(EXAMPLES["A reader that decodes"], str(PAGE), "exec"), names)
    image = cv2.imencode(".png", np.full((2, 3, 3), 7, np.uint8))[1].tobytes()
    path = write_pile(tmp_path / "photos.pile", [image, image])
    with Pipeline(batch_size=2, num_threads=1) as pipe:
        pipe.set_outputs(*fn.readers.mix({"a": fn.readers.photos(path=path)}))
        images, source = pipe.run()
    assert images.as_array().tolist() == [[[[7] * 3] * 3] * 2] * 2
    assert source.as_array().tolist() == [0, 0]


def test_a_reader_that_does_not_say_that_it_decodes(run_example):
    """The message of a mixture names the class, and the line that it needs."""
    names = run_example("A format")
    example = EXAMPLES["A reader that decodes"].replace("    adds_operators = True\n", "")
    exec(compile(example, str(PAGE), "exec"), names)
    message = (
        "the source 'a' must be what one reader has returned, .* fn.decoders.image came after the "
        "reader. If fn.readers.photos adds this by itself, in its method `wrap`, write "
        "adds_operators = True into its class an_extension.Photos"
    )
    with Pipeline(batch_size=2, num_threads=1):
        with pytest.raises(ArgumentError, match=message):
            fn.readers.mix({"a": fn.readers.photos(path="photos.pile")})
        with pytest.raises(ArgumentError, match=r"came after the reader$"):
            fn.readers.mix({"a": fn.decoders.image(fn.readers.pile(path="photos.pile"))})


@pytest.fixture
def pile_module(run_example, tmp_path, monkeypatch):
    """The example as a module, from which sources can be pickled."""
    (tmp_path / "pile_example.py").write_text(EXAMPLES["A format"])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pile_example", raising=False)
    return importlib.import_module("pile_example")


@pytest.mark.usefixtures("pile_module")
def test_processes_read_the_records_of_a_format(piles, tuned):
    tuned(record_reader, MIN_CORES=1)
    tuned(helper_processes, WORTH_STARTING_SECONDS=0.0)
    pipe = Pipeline(batch_size=6, num_threads=1)
    pipe.set_outputs(fn.readers.pile(path=piles))
    with pipe:
        by_processes, end = 0, time.monotonic() + 60
        while time.monotonic() < end:
            (batch,) = pipe.run()
            assert [row.tobytes() for row in batch.rows()] == SAMPLES * 2
            by_processes += "of its own read" in str(pipe.stats())
            if by_processes == 5:
                return
    pytest.fail("no process has read")


def test_a_data_set_format_and_its_writer():
    """`tests/datasets/formats/test_table.py` runs the example, here and in other processes."""
    module = PAGE.parent.parent / "tests" / "datasets" / "json_lines.py"
    shown = EXAMPLES["A data set format"] + "\n\n" + EXAMPLES["A writer of data sets"]
    assert module.read_text(encoding="utf-8") == shown
    assert len(shown.splitlines()) <= 90


def test_an_operator_on_the_cpu(run_example):
    names = run_example("An operator on the CPU")
    assert names["solarize"] is fn.solarize
    image = np.array([[[0, 100, 200]]], np.uint8)
    with Pipeline(batch_size=2, num_threads=2) as pipe:
        limits = fn.external_source(source=[np.array([50.0, 150.0])], batch=True)
        pipe.set_outputs(fn.solarize(image), ops.Solarize(threshold=limits)(image))
    by_default, by_sample = pipe.run()
    assert by_default.as_array().tolist() == [[[[0, 100, 55]]]] * 2
    assert by_sample.as_array().tolist() == [[[[0, 155, 55]]], [[[0, 100, 55]]]]
    pipe.close()
    with pytest.raises(ArgumentError, match="from 0 to 255, but is 300"):
        fn.solarize(image, threshold=300)


def test_advice_for_users(run_example):
    run_example("Advice for users")
    data = np.arange(9, dtype=np.uint8)
    packed = np.frombuffer(zlib.compress(data), np.uint8)
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.unpack(packed))
    with pipe:
        assert pipe.run()[0].as_array()[0].tolist() == data.tolist()
        figures = pipe.stats()
    limited = replace(figures, consumer_wait_s=figures.wall_s, workers_cpu_s=1e9)
    busy = [
        replace(operator, busy_s=1.0)
        for operator in figures.operators
        if operator.operator == "unpack"
    ]
    limit = replace(limited, operators=tuple(busy)).limit
    assert limit.name == "decoding"
    assert "data that are not compressed" in limit.remedies


def farbfeld(pixels):
    height, width, _ = pixels.shape
    return (
        b"farbfeld"
        + b"".join(n.to_bytes(4, "big") for n in (width, height))
        + (pixels.astype(">u2").tobytes())
    )


def test_a_decoder(run_example):
    run_example("A decoder")
    pixels = np.random.default_rng(1).integers(0, 65536, (3, 5, 4), np.uint16)
    pipe = Pipeline(batch_size=1, num_threads=1)
    encoded = fn.external_source(source=lambda: [np.frombuffer(farbfeld(pixels), np.uint8)])
    images = fn.decoders.image(encoded, dtype=penstock.types.UINT16)
    pipe.set_outputs(images, fn.peek_image_shape(encoded), fn.decoders.image(encoded))
    with pipe:
        exact, shape, rounded = pipe.run()
    np.testing.assert_array_equal(exact.at(0), pixels[..., :3])
    assert shape.at(0).tolist() == [3, 5, 3]
    assert np.abs(rounded.at(0) - pixels[..., :3] / 257).max() <= 1
    cut = Pipeline(batch_size=1, num_threads=1)
    data = np.frombuffer(farbfeld(pixels)[:-1], np.uint8)
    cut.set_outputs(fn.decoders.image(fn.external_source(source=lambda: [data])))
    with cut, pytest.raises(DecodeError, match="farbfeld: pixels are missing at byte 135"):
        cut.run()


def test_an_iterator(run_example):
    views = run_example("An iterator for a framework")["Views"]
    pipe = Pipeline(batch_size=2, num_threads=1)
    pipe.set_outputs(fn.external_source(source=[np.array([[1, 2], [3, 4]])], cycle=None))
    with pipe:
        (batch,) = next(iter(views(pipe, ["numbers"])))
    assert batch["numbers"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.slow
def test_the_suites_test_extensions_outside_of_this_project(tmp_path):
    """The examples in a project of their own, whose tests are those of the page."""
    conftest, tests = re.findall(r"```python\n(.*?)```", SECTIONS["Tests"], re.S)
    files = {"conftest.py": conftest, "test_extensions.py": tests}
    files |= {
        "pile.py": EXAMPLES["A format"],
        "solarize.py": EXAMPLES["The same on the GPU"],
        "farbfeld.py": EXAMPLES["A decoder"],
        "json_lines.py": EXAMPLES["A data set format"] + EXAMPLES["A writer of data sets"],
        "views.py": EXAMPLES["An iterator for a framework"],
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir=."]
    done = subprocess.run(
        [sys.executable, *command, "test_extensions.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 80
