"""`fn.readers.webdataset` in pipelines."""

from penstock import fn, pipeline_def, types

from .test_source import save
from .test_text_numbers import LABELS, user_cache, written  # noqa: F401  (fixtures)


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
