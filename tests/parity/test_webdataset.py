"""`fn.readers.webdataset` against DALI's: order, bytes, and index files both ways."""

import os
import subprocess

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.readers.webdataset.dali_index import write_dali_index

from ..readers.tars import archive, entry, write

dali = pytest.importorskip("nvidia.dali")
wds2idx = pytest.importorskip("wds2idx")

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* samples have no component"),
    pytest.mark.usefixtures("user_cache"),
]


def save(path, files, form="ustar"):
    path.write_bytes(archive(files, form))
    return str(path)


def batches(module, count, outputs, **arguments):
    @module(batch_size=3, num_threads=1, device_id=None)
    def pipeline():
        functions = dali.fn if module is dali.pipeline_def else fn
        found = functions.readers.webdataset(**arguments)
        return tuple(found) if outputs > 1 else found

    built = pipeline()
    built.build()
    return [[[np.array(out.at(i)) for i in range(3)] for out in built.run()] for _ in range(count)]


def assert_same(count=1, outputs=1, **arguments):
    ours = batches(pipeline_def, count, outputs, **arguments)
    theirs = batches(dali.pipeline_def, count, outputs, **arguments)
    for our_batch, their_batch in zip(ours, theirs, strict=True):
        for our_output, their_output in zip(our_batch, their_batch, strict=True):
            for our_sample, their_sample in zip(our_output, their_output, strict=True):
                np.testing.assert_array_equal(our_sample, their_sample, strict=True)
    return ours


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("stick", [False, True])
@pytest.mark.parametrize("shard", [0, 1, 2])
def test_order_for_all_shard_settings(tmp_path, shard, stick, pad):
    files = {f"{i:02}.{e}": f"{i}{e}".encode() * i for i in range(11) for e in ("a", "b")}
    items = list(files.items())
    paths = [
        save(tmp_path / f"{i}.tar", dict(items[begin:end]))
        for i, (begin, end) in enumerate([(0, 8), (8, 10), (10, 22)])
    ]
    assert_same(
        5,
        2,
        paths=paths,
        ext=["b", "a"],
        shard_id=shard,
        num_shards=3,
        stick_to_shard=stick,
        pad_last_batch=pad,
    )


NAMES = ["a.t", "a.U", "d.d/a.t", "d.d/b.x.y", "d.d/b.t", "c.t", "a.u", ".h.t", "f.t", "f.t.u"]


@pytest.mark.parametrize("form", ["ustar", "gnu"])
@pytest.mark.parametrize(
    "arguments",
    [
        {"ext": ["t", "u"], "case_sensitive_extensions": True},
        {"ext": ["t", "u"], "case_sensitive_extensions": False},
        {"ext": ["u;t", "x.y;t.u"]},
        {"ext": ["T", "X.Y"], "case_sensitive_extensions": False},
        {"ext": ["t", "none"], "missing_component_behavior": "empty"},
        {"ext": ["t", "u;x.y;U"], "missing_component_behavior": "Skip"},
        {"ext": ["t;u;x.y", "t;u;U"], "missing_component_behavior": ""},
    ],
)
@pytest.mark.filterwarnings("ignore:.*no sample has a component .none.")
def test_which_files_make_samples(tmp_path, form, arguments):
    path = save(tmp_path / "a.tar", {name: name.encode() for name in NAMES}, form)
    assert_same(3, 2, paths=path, **arguments)


def test_the_first_of_several_components(tmp_path):
    names = [b"a.png", b"a.jpg", b"a.jpg", b"b.jpg", b"b.png", b"c.png"]
    parts = [entry(name, b"%d" % i) for i, name in enumerate(names)]
    path = write(tmp_path / "a.tar", *parts)
    assert_same(paths=path, ext="png;jpg")
    assert_same(paths=path, ext="jpg;png")


@pytest.mark.parametrize(
    "dtype", ["UINT8", "INT8", "UINT16", "INT32", "INT64", "FLOAT16", "FLOAT", "FLOAT64"]
)
def test_types(tmp_path, dtype):
    path = save(tmp_path / "a.tar", {f"{i}.x": bytes(range(8 * i)) for i in range(3)})
    ((ours,),) = batches(pipeline_def, 1, 1, paths=path, ext="x", dtypes=getattr(types, dtype))
    theirs = batches(
        dali.pipeline_def, 1, 1, paths=path, ext="x", dtypes=getattr(dali.types, dtype)
    )
    for our, their in zip(ours, theirs[0][0], strict=True):
        np.testing.assert_array_equal(our, their, strict=True)


@pytest.mark.filterwarnings("ignore:.*link")
def test_other_members_are_left_out(tmp_path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for name in ("1.t", "2.t", "sub/3.t"):
        (tmp_path / "in" / name).write_text(name)
    (tmp_path / "in" / "4.t").symlink_to("1.t")
    os.link(tmp_path / "in" / "2.t", tmp_path / "in" / "5.t")
    path = tmp_path / "a.tar"
    subprocess.run(["tar", "--sort=name", "-C", tmp_path / "in", "-cf", path, "."], check=True)
    assert_same(2, paths=str(path), ext="t")


def test_our_index_is_theirs_and_both_read_it(tmp_path):
    files = {name: name.encode() for name in NAMES if name != ".h.t"}
    path = save(tmp_path / "a.tar", files)
    write_dali_index(path, tmp_path / "ours.idx")
    with wds2idx.IndexCreator(path, str(tmp_path / "theirs.idx"), verbose=False) as creator:
        creator.create_index()
    assert (tmp_path / "ours.idx").read_text() == (tmp_path / "theirs.idx").read_text()
    for index in ("ours.idx", "theirs.idx"):
        assert_same(2, 2, paths=path, ext=["t", "U;u"], index_paths=str(tmp_path / index))


@pytest.mark.parametrize("ext", [["jpg"], ["cls", "jpg"], ["gif;jpg", "cls"]])
def test_source_info_names_each_component(tmp_path, ext):
    files = {
        f"folder/{name}.{extension}": bytes(100 * number + 7)
        for number, name in enumerate(("a", "bé", "b.c"))
        for extension in ("json", "jpg", "cls")
    }
    path = save(tmp_path / "samples.tar", files)
    found = []
    for define, functions in ((pipeline_def, fn), (dali.pipeline_def, dali.fn)):

        @define(batch_size=3, num_threads=1, device_id=None)
        def pipeline(functions=functions):
            types_of_outputs = [(types if functions is fn else dali.types).UINT8] * len(ext)
            outputs = functions.readers.webdataset(paths=path, ext=ext, dtypes=types_of_outputs)
            return tuple(outputs) if len(ext) > 1 else outputs

        built = pipeline()
        built.build()
        found.append([[data[i].source_info() for i in range(3)] for data in built.run()])
    assert found[0] == found[1]
    assert found[0][0][0].endswith(":folder/a.cls" if ext[0] == "cls" else ":1536:folder/a.jpg")


@pytest.mark.filterwarnings("ignore:.*ends without")
def test_an_archive_that_is_not_closed(tmp_path):
    (tmp_path / "a.tar").write_bytes(entry(b"a.t", b"1") + entry(b"b.t", b"2"))
    assert_same(paths=str(tmp_path / "a.tar"), ext="t")
