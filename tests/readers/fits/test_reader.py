"""`fn.experimental.readers.fits` in pipelines."""

import json

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.errors import ArgumentError, DecodeError, SourceError

from ...fits_files import fits

IMAGES = [np.random.default_rng(i).random((4, 5)).astype("f4") for i in range(6)]
COUNTS = [np.full((2, 3), i, "i2") for i in range(6)]


@pytest.fixture
def folder(tmp_path):
    for i, (image, count) in enumerate(zip(IMAGES, COUNTS, strict=True)):
        (tmp_path / f"{i}.fits").write_bytes(fits(image, count))
    return tmp_path


def reading(count=1, batch_size=3, pipeline=None, **arguments):
    @pipeline_def(batch_size=batch_size, num_threads=2, **(pipeline or {}))
    def definition():
        found = fn.experimental.readers.fits(**arguments)
        return tuple(found) if isinstance(found, list | tuple) else found

    with definition() as pipe:
        return [pipe.run() for _ in range(count)]


def test_a_folder(folder):
    (first,), (second,) = reading(2, file_root=str(folder))
    np.testing.assert_array_equal(first.as_array(), np.stack(IMAGES[:3]))
    np.testing.assert_array_equal(second.as_array(), np.stack(IMAGES[3:]))
    assert first.source_info() == [f"{folder}/{i}.fits" for i in range(3)]
    assert first.layout() == ""


def test_two_outputs_of_a_list(folder):
    (folder / "list.txt").write_text("3.fits\n1.fits\n")
    ((counts, images),) = reading(
        batch_size=2, file_list=str(folder / "list.txt"), hdu_indices=[3, 2]
    )
    np.testing.assert_array_equal(counts.as_array(), np.stack([COUNTS[3], COUNTS[1]]))
    np.testing.assert_array_equal(images.as_array(), np.stack([IMAGES[3], IMAGES[1]]))


def test_dtypes_are_declarations(folder):
    given = {"hdu_indices": [2, 3], "dtypes": [types.FLOAT, types.INT16]}
    ((images, counts),) = reading(file_root=str(folder), **given)
    assert (images.dtype, counts.dtype) == (types.FLOAT, types.INT16)
    with pytest.raises(ArgumentError, match="2 hdu_indices, but 1 dtypes"):
        reading(file_root=str(folder), hdu_indices=[2, 3], dtypes=types.FLOAT)
    with pytest.raises(ArgumentError, match=r"no FITS image is of the type float16"):
        reading(file_root=str(folder), dtypes=[types.FLOAT16])


def test_every_epoch_has_every_sample_once(folder):
    arguments = {"file_root": str(folder), "hdu_indices": 3, "random_shuffle": True}
    found = reading(4, **arguments)
    numbers = [int(row[0, 0]) for (batch,) in found for row in batch.as_array()]
    assert sorted(numbers[:6]) == sorted(numbers[6:]) == list(range(6))


def test_a_damaged_file_is_replaced(folder, tmp_path):
    (folder / "1.fits").write_bytes(fits(IMAGES[1])[:5800])
    with pytest.raises(DecodeError, match=r"1\.fits: HDU 2, at offset 2880: .*cut off"):
        reading(file_root=str(folder))
    log = tmp_path / "bad.jsonl"
    options = {"on_error": "skip", "quarantine_log": str(log)}
    ((batch,),) = reading(file_root=str(folder), pipeline=options)
    np.testing.assert_array_equal(batch.valid, [True, False, True])
    assert "1.fits" in json.loads(log.read_text().splitlines()[0])["source"]


def test_an_image_of_another_form_is_replaced_by_one_of_the_usual_form(folder):
    for i in (1, 3, 4):
        (folder / f"{i}.fits").write_bytes(fits(COUNTS[i], COUNTS[i]))
    (folder / "4.fits").unlink()
    with pytest.raises(DecodeError, match=r"1\.fits: .* type int16, where most .* float32"):
        reading(file_root=str(folder))
    ((batch,),) = reading(file_root=str(folder), pipeline={"on_error": "skip"})
    np.testing.assert_array_equal(batch.valid, [True, False, True])
    assert batch.as_array().dtype == np.float32


def test_arguments_that_cannot_be(folder):
    for arguments, message in [
        ({}, "needs file_root, files or file_list"),
        ({"files": "a", "file_list": "b"}, "either files or file_list, not both"),
        ({"files": "a", "hdu_indices": []}, "hdu_indices is empty"),
        ({"files": "a", "hdu_indices": 0}, "hdu_indices"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            reading(**arguments)
    with pytest.raises(SourceError, match=r"fits.*names no file"):
        reading(file_root=str(folder), file_filter="*.fit")
