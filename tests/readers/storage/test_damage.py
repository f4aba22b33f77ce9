import errno
import json
from pathlib import Path

import numpy as np
import pytest

from penstock import MissingDependencyError, SourceError
from penstock.readers.source import UnavailableError
from penstock.readers.storage.damage import STRICT, DamagedFileError, Damages, samples_told
from penstock.readers.storage.opening import open_storages


def test_by_default_every_error_is_raised(tmp_path):
    with pytest.raises(SourceError, match="cut off") as error:
        STRICT.sound("a", lambda: raised(DamagedFileError("cut off", 5)))
    assert type(error.value) is SourceError  # what users know
    with pytest.raises(FileNotFoundError):
        STRICT.open([str(tmp_path / "none")], None)


def test_the_sound_part_of_a_damaged_file_counts():
    damages = Damages(leaves_out=True)
    sound = (np.arange(3),)
    error = DamagedFileError("cut off", 40, sound, 7)
    assert damages.sound("a.tar", lambda: raised(error)) == sound
    (damage,) = damages.found
    assert damage == ("a.tar", "a.tar: cut off", 40, 7, "SourceError", -1)


def test_each_returns_the_sound_part_of_a_damaged_file(tmp_path):
    for name in ("lost", "cut", "whole"):
        (tmp_path / name).touch()
    sound = (np.arange(3),)
    errors = {
        "lost": DamagedFileError("no sample is sound"),
        "cut": DamagedFileError("cut off", 40, sound, 7),
    }

    def read(storage):
        name = Path(storage.name).name
        return raised(errors[name]) if name in errors else ()

    damages = Damages(leaves_out=True)
    storages = open_storages([tmp_path / name for name in ("lost", "cut", "whole")])
    assert damages.each(storages, read) == (storages[1:], [sound, ()])
    assert [damage.lost for damage in damages.found] == [-1, 7]
    with pytest.raises(SourceError, match="no sample is sound"):
        STRICT.each(storages, read)


def test_files_that_cannot_be_opened_are_left_out(tmp_path):
    for name in "ac":
        (tmp_path / name).write_text(name)
    damages = Damages(leaves_out=True)
    opened = damages.open([str(tmp_path / name) for name in "abc"], None)
    assert {number: storage.read_whole() for number, storage in opened.items()} == {
        0: b"a",
        2: b"c",
    }
    assert [(damage.name, damage.error) for damage in damages.found] == [
        (str(tmp_path / "b"), "FileNotFoundError")
    ]
    with pytest.raises(FileNotFoundError):
        Damages(leaves_out=True).open([str(tmp_path / "b")], None)


@pytest.mark.parametrize(
    "error",
    [
        UnavailableError("no answer"),
        MissingDependencyError("no library"),
        OSError(errno.EMFILE, "too many files"),
        OSError(errno.ENOMEM, "no memory"),
    ],
)
def test_errors_of_machines_and_services_are_no_damage(error):
    with pytest.raises(type(error)):
        Damages(leaves_out=True).take("a", error)


def test_the_first_error_is_raised_if_nothing_is_left():
    damages = Damages(leaves_out=True)
    damages.require(0)
    damages.take("a", SourceError("a is damaged"))
    damages.take("b", SourceError("b is damaged"))
    damages.require(1)
    with pytest.raises(SourceError, match="a is damaged"):
        damages.require(0)


@pytest.mark.parametrize(
    ("lost", "words"),
    [
        ((3,), r"1 file is damaged: file-0\. 3 samples are left out, 90 are left\."),
        ((3, 4), r"2 files are damaged: file-0, file-1\. 7 samples are left out"),
        ((3, -1), r"At least 3 samples are left out"),
        (
            (-1,),
            r"Nothing tells how many samples are left out, 90 are left\. .*: file-0: cut off\. ",
        ),
        ((1,) * 5, r"5 files are damaged: file-0, file-1, file-2 and 2 more\. 5 samples"),
    ],
)
def test_one_warning_says_what_is_left_out(lost, words):
    damages = Damages(leaves_out=True)
    for number, count in enumerate(lost):
        damages.take(f"file-{number}", DamagedFileError("cut off.", 5, lost=count))
    with pytest.warns(RuntimeWarning, match=rf"^fn\.readers\.x: .*{words}"):
        damages.warn("fn.readers.x", 90)


def raised(error):
    raise error


def test_the_manifest_of_the_data_set_tells_what_is_lost(tmp_path):
    shards = [
        {"files": [{"name": "a.tar"}, {"name": "a.idx"}], "samples": 20},
        {"files": [{"name": "b/data.mdb"}], "samples": 9},
    ]
    manifest = tmp_path / "dataset.json"
    manifest.write_text(json.dumps({"shards": shards}))
    damages = Damages(leaves_out=True)
    damages.take(str(tmp_path / "a.tar"), DamagedFileError("cut off", 5, samples=13))
    damages.take(str(tmp_path / "b" / "data.mdb"), SourceError("no database"))
    damages.take(str(tmp_path / "c.tar"), SourceError("no archive"))
    assert [damage.lost for damage in damages.found] == [7, 9, -1]
    for text in ("[]", "{", '{"shards": 7}', '{"shards": [{}]}'):
        manifest.write_text(text)
        assert samples_told(str(tmp_path / "a.tar")) == -1
