"""`fn.readers.webdataset` in pipelines."""

import pytest

from penstock import DecodeError, fn, pipeline_def, types

from .test_source import save
from .test_text_numbers import LABELS, written  # noqa: F401  (fixtures)

pytestmark = pytest.mark.usefixtures("user_cache")


def test_a_batch_of_labels_is_what_a_loss_takes(written):  # noqa: F811
    @pipeline_def(batch_size=5, num_threads=1)
    def pipeline():
        return fn.readers.webdataset(
            paths=written, ext=["txt", "cls"], dtypes=[types.UINT8, types.INT32]
        )

    with pipeline() as pipe:
        texts, found = pipe.run()
    assert found.as_array().tolist() == [[label] for label in LABELS]
    assert found.dtype == types.INT32
    assert [texts.at(i).tobytes().decode() for i in range(5)] == [f"no {n}" for n in LABELS]


def test_a_pipeline_skips_what_does_not_fit(tmp_path):
    path = save(tmp_path / "a.tar", {f"{i}.x": bytes([i]) * (8 + (i == 2)) for i in range(4)})

    @pipeline_def(batch_size=4, num_threads=1, device_id=None, on_error="skip")
    def pipeline():
        return fn.readers.webdataset(paths=path, ext="x", dtypes="uint64")

    with pipeline() as built:
        (values,) = built.run()
        assert values.valid.tolist() == [True, True, False, True]
        assert values.at(3).tolist() == [0x0303030303030303]


@pipeline_def(batch_size=3, num_threads=1, device_id=None)
def labels_of(path, **options):
    return fn.readers.webdataset(
        paths=path, ext=["x", "cls"], dtypes=[types.UINT8, types.INT32], **options
    )


def test_samples_without_a_component_are_counted(tmp_path):
    path = save(tmp_path / "a.tar", {"0.x": b"0", "0.cls": b"7", "1.x": b"1", "2.x": b"2"})
    told = r"2 of 3 samples have no component 'cls', .* the first is sample 1 '1' of .*a\.tar\. "
    with pytest.warns(RuntimeWarning, match=told), labels_of(path) as pipe:
        _, labels = pipe.run()
    assert [label.tolist() for label in labels.rows()] == [[7], [], []]
    with labels_of(path, missing_component_behavior="empty") as pipe:  # the user knows
        pipe.run()


def test_an_empty_text_is_no_number(tmp_path):
    path = save(tmp_path / "a.tar", {"0.x": b"0", "0.cls": b"7", "1.x": b"1", "1.cls": b""})
    with labels_of(path) as pipe, pytest.raises(DecodeError, match=r"sample 1 '1'.*'' is no dec"):
        pipe.run()
