"""`fn.readers.parquet` in pipelines: order, shards, shuffles, resuming, bad rows and URLs."""

import warnings
from collections import Counter

import numpy as np
import pytest

from penstock import ArgumentError, DecodeError, fn, pipeline_def, types

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

ROWS, GROUP, BATCH = 60, 10, 5


@pytest.fixture
def path(tmp_path):
    images = [{"bytes": bytes([i]) * (100 + i), "path": None} for i in range(ROWS)]
    rows = pa.table({"image": images, "label": list(range(ROWS))})
    pq.write_table(rows, tmp_path / "a.parquet", row_group_size=GROUP, compression="none")
    return str(tmp_path / "a.parquet")


def make(path, checkpoint=None, columns=("image", "label"), pipeline=None, **options):
    @pipeline_def(batch_size=BATCH, num_threads=1, checkpoint=checkpoint, **(pipeline or {}))
    def define():
        return tuple(fn.readers.parquet(path=path, columns=columns, name="reader", **options))

    return define()


def epoch(pipe, batches=ROWS // BATCH):
    labels = []
    for _ in range(batches):
        images, found = pipe.run()
        labels += found.as_array().tolist()
        assert [images.at(i)[0] for i in range(BATCH)] == labels[-BATCH:]
    return labels


def test_order_and_shards(path):
    with make(path) as pipe:
        assert epoch(pipe) == list(range(ROWS))
        assert pipe.epoch_size("reader") == ROWS
    with make(path, shard_id=1, num_shards=3, stick_to_shard=True) as pipe:
        assert epoch(pipe, 4) == list(range(20, 40))


def test_a_shuffle_holds_each_row_once_and_resumes(path):
    with make(path, random_shuffle=True, seed=3) as pipe:
        first = epoch(pipe)
        second = epoch(pipe, 4)
        state = pipe.checkpoint()
        rest = epoch(pipe, 8)
    assert sorted(first) == list(range(ROWS)) != first
    assert sorted(second + rest) == list(range(ROWS))
    with make(path, random_shuffle=True, seed=3, checkpoint=state) as pipe:
        assert epoch(pipe, 8) == rest


def test_a_global_shuffle_over_large_groups_gives_a_warning(path):
    message = r"row group of about 10 rows and 1 KiB .* shuffle_block=10 decodes each"
    with pytest.warns(UserWarning, match=message):
        make(path, random_shuffle=True, cache_bytes=1000).build()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(path, random_shuffle=True).build()  # the cache holds everything
        make(path, random_shuffle=True, cache_bytes=0, shuffle_block=GROUP).build()
        make(path, cache_bytes=0).build()


def test_an_object_is_opened_by_one_request_and_read_by_another(tmp_path, web):
    for number in range(2):
        name = f"{number}.parquet"
        rows = {"image": [b"x" * 100_000] * BATCH, "label": list(range(BATCH))}
        pq.write_table(pa.table(rows), tmp_path / name, compression="none", use_dictionary=False)
        web.objects[name] = (tmp_path / name).read_bytes()
        web.tags[name] = f'"{number}"'
    urls = [f"{web.url}/{name}" for name in web.objects]

    @pipeline_def(batch_size=BATCH, num_threads=1, prefetch_queue_depth=1)
    def define():
        return fn.readers.parquet(path=urls, columns=["label"], prefetch_queue_depth=1)

    with define() as pipe:
        for _ in range(2):
            assert pipe.run()[0].as_array().tolist() == list(range(BATCH))
    counts = Counter(name for name, _ in web.requests)
    assert counts == {"0.parquet": 2, "1.parquet": 2}
    assert sum(wanted == "bytes=-65536" for _, wanted in web.requests) == 2


@pytest.mark.parametrize("shuffle", [{}, {"random_shuffle": True, "shuffle_block": GROUP}])
def test_each_row_group_is_read_once_an_epoch(path, web, shuffle):
    """With a cache of one group; the window of the shuffle has two groups."""
    with open(path, "rb") as file:
        web.objects["a.parquet"] = file.read()
    options = shuffle | ({"shuffle_window": 2} if shuffle else {})
    url = web.url + "/a.parquet"
    with make(url, cache_bytes=0, prefetch_queue_depth=0, **options) as pipe:
        pipe.build()
        web.requests.clear()
        assert sorted(epoch(pipe)) == list(range(ROWS))
    ranges = Counter(wanted for _, wanted in web.requests)
    assert len(ranges) == 2 * ROWS // GROUP  # one a column and group
    # Batches of the next epoch are read ahead: the groups of one window come again.
    again = [range_ for range_, count in ranges.items() if count > 1]
    assert len(again) <= 4
    assert max(ranges.values()) <= 2


def test_a_row_that_is_missing_is_skipped(tmp_path):
    rows = pa.table({"image": [b"a", None, b"c", b"d", b"e", b"f"], "label": list(range(6))})
    pq.write_table(rows, tmp_path / "a.parquet")
    path = str(tmp_path / "a.parquet")
    with make(path) as pipe, pytest.raises(DecodeError, match=r"a\.parquet row 1: the column 'im"):
        pipe.run()
    with make(path, pipeline={"on_error": "replace"}) as pipe:
        assert 1 not in pipe.run()[1].as_array().tolist()


def test_where_samples_come_from(path):
    with make(path) as pipe:
        images, _ = pipe.run()
    assert images.source_info()[3] == f"{path} row 3"


def test_names_of_classes_in_reader_meta(tmp_path):
    features = '{"info": {"features": {"label": {"names": ["cat", "dog"], "_type": "ClassLabel"}}}}'
    rows = pa.table({"label": [0, 1] * 5}).replace_schema_metadata({"huggingface": features})
    pq.write_table(rows, tmp_path / "a.parquet")

    @pipeline_def(batch_size=2, num_threads=1)
    def pipeline():
        return fn.readers.parquet(path=str(tmp_path), columns="label", name="reader")

    with pipeline() as pipe:
        assert pipe.reader_meta("reader")["class_names"] == {"label": ("cat", "dog")}
        (labels,) = pipe.run()
    assert (labels.dtype, labels.as_array().shape) == (types.INT64, (2,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtypes": [types.UINT8]}, "1 dtypes for 2 columns"),
        ({"columns": ()}, "columns is empty"),
        ({"cache_bytes": -1}, "cache_bytes"),
        ({"columns": ["image", "lable"]}, "no column 'lable'; did you mean 'label'"),
    ],
)
def test_arguments_that_do_not_fit(path, options, message):
    with pytest.raises(ArgumentError, match=message):
        make(path, **options).build()


@pytest.mark.slow
def test_images_are_decoded_and_labels_are_what_a_loss_takes(tmp_path):
    torch = pytest.importorskip("torch")
    image = pytest.importorskip("PIL.Image")
    contents = []
    for number in range(4):
        image.new("RGB", (6, 5), (number * 60, 0, 0)).save(tmp_path / "a.png")
        contents.append({"bytes": (tmp_path / "a.png").read_bytes(), "path": "a.png"})
    rows = pa.table({"image": contents, "label": [3, 0, 2, 1]})
    pq.write_table(rows, tmp_path / "a.parquet")

    @pipeline_def(batch_size=4, num_threads=1)
    def pipeline():
        path = str(tmp_path / "a.parquet")
        images, labels = fn.readers.parquet(path=path, columns=["image", "label"])
        return fn.decoders.image(images), labels

    with pipeline() as pipe:
        images, labels = pipe.run()
    assert images.as_array()[:, 0, 0, 0].tolist() == [0, 60, 120, 180]
    labels = torch.from_numpy(np.asarray(labels.as_array()))
    assert torch.nn.functional.cross_entropy(torch.zeros(4, 5), labels).isfinite()
