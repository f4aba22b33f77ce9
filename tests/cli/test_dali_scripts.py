"""The commands write what DALI's scripts write, and say what is wrong."""

import pytest

from penstock.cli.dali_scripts import beside, rec2idx, tfrecord2idx, wds2idx

from ..readers.record_io import image_record, record_file
from ..readers.tars import archive
from ..readers.tfrecord_files import example, write_index, write_records


def test_tfrecord2idx(tmp_path, capsys):
    data = tmp_path / "data.tfrecord"
    write_index(
        tmp_path / "expected", write_records(data, [example({"n": [1] * i}) for i in (1, 9)])
    )
    assert tfrecord2idx([str(data), str(tmp_path / "index")]) == 0
    assert (tmp_path / "index").read_bytes() == (tmp_path / "expected").read_bytes()
    assert capsys.readouterr().out == f"{tmp_path}/index: 2 samples\n"


def test_rec2idx(tmp_path):
    data, index = record_file([image_record(b"x" * i, i, i) for i in (1, 9, 5)])
    (tmp_path / "data.rec").write_bytes(data)
    assert rec2idx([str(tmp_path / "data.rec"), str(tmp_path / "index")]) == 0
    offsets = [line.split(b"\t")[1] for line in index.splitlines()]
    lines = (tmp_path / "index").read_bytes().splitlines()
    assert lines == [b"%d\t%b" % (number, offset) for number, offset in enumerate(offsets)]


def test_wds2idx_writes_beside_the_archive(tmp_path):
    (tmp_path / "a.b.tar").write_bytes(archive({"1.txt": b"1", "2.txt": b"22"}))
    assert wds2idx([str(tmp_path / "a.b.tar")]) == 0
    assert (tmp_path / "a.idx").read_text() == "v1.2 2\ntxt 512 1 1.txt\ntxt 1536 2 2.txt\n"
    assert beside(str(tmp_path / ".hidden.tar")) == str(tmp_path / ".hidden.idx")


@pytest.mark.parametrize("command", [tfrecord2idx, rec2idx, wds2idx])
def test_what_is_wrong_is_said(command, tmp_path, capsys):
    (tmp_path / "bad").write_bytes(b"no data file of this format" * 99)
    index = tmp_path / "index"
    assert command([str(tmp_path / "bad"), str(index)]) == 1
    assert command([str(tmp_path / "nothing"), str(index)]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert errors[0].startswith(f"error: {tmp_path}/bad")
    assert "nothing" in errors[1]
    assert not index.exists()
    with pytest.raises(SystemExit, match="2"):
        command([])
