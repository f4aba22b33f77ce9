"""Data sets of the Hugging Face hub: Parquet files, `save_to_disk`, and a data set in memory."""

import json

import numpy as np
import pytest

from penstock import ArgumentError, fn, pipeline_def, types

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
torch = pytest.importorskip("torch")

FEATURES = {
    "image": {"_type": "Image"},
    "label": {"names": ["cat", "dog"], "_type": "ClassLabel"},
}


@pytest.fixture
def rows(photos):
    """Return the table that the package datasets makes of the pictures."""
    files = sorted((photos / "train").rglob("*.jpg"))
    columns = {
        "image": [{"bytes": file.read_bytes(), "path": file.name} for file in files],
        "label": [("cat", "dog").index(file.parent.name) for file in files],
    }
    metadata = {"huggingface": json.dumps({"info": {"features": FEATURES}})}
    return pa.table(columns).replace_schema_metadata(metadata)


@pytest.fixture(params=["hub", "disk"])
def path(rows, tmp_path, request):
    if request.param == "hub":
        folder = tmp_path / "hub" / "data"
        folder.mkdir(parents=True)
        for split in ("train", "test"):
            name = f"{split}-00000-of-00001.parquet"
            pq.write_table(rows, folder / name, row_group_size=5)
        return str(folder / "train-*.parquet")
    folder = tmp_path / "disk"
    folder.mkdir()
    with pa.ipc.new_stream(folder / "data-00000-of-00001.arrow", rows.schema) as writer:
        writer.write_table(rows, max_chunksize=5)
    for name in ("state.json", "dataset_info.json"):
        (folder / name).write_text("{}")
    return str(folder)


def test_an_epoch_of_training(path):
    from penstock.plugin.pytorch import ClassificationIterator

    @pipeline_def(batch_size=4, num_threads=2)
    def pipeline():
        encoded, labels = fn.readers.parquet(
            path=path, columns=["image", "label"], random_shuffle=True, name="reader"
        )
        image = fn.resize(fn.decoders.image(encoded), size=(16, 16))
        return fn.crop_mirror_normalize(image, dtype=types.FLOAT, std=[255] * 3), labels

    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 16 * 16, 2))
    pipe = pipeline()
    seen = []
    for (batch,) in ClassificationIterator(pipe, reader_name="reader"):
        loss = torch.nn.functional.cross_entropy(model(batch["data"]), batch["label"])
        loss.backward()
        assert loss.isfinite()
        bright = batch["data"].mean((1, 2, 3)) > 0.5
        assert bright.long().tolist() == batch["label"].tolist()
        seen += batch["label"].tolist()
    assert sorted(seen) == [0] * 8 + [1] * 8
    assert pipe.reader_meta("reader")["class_names"] == {"label": ("cat", "dog")}


def test_rows_that_are_dicts_say_to_return_a_tuple():
    data = [{"image": np.zeros((2, 2, 3), np.uint8), "label": number} for number in range(4)]

    def pipeline(source):
        @pipeline_def(batch_size=4, num_threads=1)
        def define():
            image, label = fn.external_source(source=source, num_outputs=2, batch=False)
            return image, label

        return define()

    with (
        pipeline(data) as pipe,
        pytest.raises(ArgumentError, match=r"such as \(sample\['image'\], sample\['label'\]\)"),
    ):
        pipe.run()
    values = [(row["image"], row["label"]) for row in data]
    with pipeline(values) as pipe:
        assert pipe.run()[1].as_array().tolist() == [0, 1, 2, 3]
