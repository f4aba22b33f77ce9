"""Videos behind URLs give what videos in files give."""

import pickle

import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import DecodeError, SourceError
from penstock.formats.video.known_files import INDEXES
from penstock.readers.storage.file_object import StorageFile
from penstock.readers.storage.opening import open_storage
from penstock.readers.video.files import file_of, url_opener

from ...videos import Sound, numbers_of, video_bytes

pytestmark = pytest.mark.usefixtures("user_cache")

SECRET = "?X-Amz-Signature=f00ba4"
QUICK = {"limits": {"attempts": 3, "stall_seconds": 2, "total_seconds": 10}}


@pytest.fixture
def urls(web):
    """The URLs of two videos with sound."""
    web.objects["x/a.mp4"] = video_bytes("h264 4:2:2.mov", 10, sound=Sound("pcm_s16le", 8000))
    web.objects["y/b.ts"] = video_bytes("h264.ts", 7, sound=Sound("mp2"))
    web.tags |= {"x/a.mp4": '"a"', "y/b.ts": '"b"'}
    return [f"{web.url}/{name}" for name in ("x/a.mp4", "y/b.ts")]


def run(make, batches=1, size=3, **options):
    with Pipeline(batch_size=size, num_threads=2, **options) as pipe:
        pipe.set_outputs(*make())
        return [
            [[np.array(row) for row in output.rows()] for output in pipe.run()]
            for _ in range(batches)
        ]


def run_all(pipe):
    for _ in range(9):
        pipe.run()


def reader(**arguments):
    return fn.experimental.readers.video(
        sequence_length=5, storage_options=QUICK, audio=True, **arguments
    )


def test_clips_and_sound(urls, user_cache):
    ((clips, labels, sounds, rates),) = run(lambda: reader(filenames=urls, labels=[4, 6]))
    assert [numbers_of(clip) for clip in clips] == [[*range(5)], [*range(5, 10)], [*range(5)]]
    assert [label.item() for label in labels] == [4, 4, 6]
    assert [rate.item() for rate in rates] == [8000, 8000, 32000]
    assert sounds[1].shape == (1333, 2)
    assert len(list(user_cache.iterdir())) == 2


def test_folders_and_lists(urls, web):
    pages = {"": ["x/", "y/"], "x/": ["a.mp4"], "y/": ["b.ts"]}
    for folder, names in pages.items():
        links = "".join(f'<a href="{name}">{name}</a>' for name in names)
        web.objects[f"{folder}"] = f"<html>{links}</html>".encode()
    web.objects["list.txt"] = f"x/a.mp4 3 0.1 0.4\n{urls[1]} 5\n".encode()
    clips, labels, *_ = run(lambda: reader(file_list=f"{web.url}/list.txt"), size=2)[0]
    assert [numbers_of(clip) for clip in clips] == [[3, 4, 5, 6, 7], [*range(5)]]
    assert [label.item() for label in labels] == [3, 5]
    web.objects["list.txt"] = b"/etc/passwd 3\n"
    with pytest.raises(SourceError, match="may not name the local file"):
        run(lambda: reader(file_list=f"{web.url}/list.txt"))


def test_errors_name_the_url_without_its_secret(urls, web):
    web.objects[f"none.mp4{SECRET}"] = b"no video" * 100
    with pytest.raises(DecodeError, match="FFmpeg cannot open it") as error:
        run(lambda: reader(filenames=[f"{web.url}/none.mp4{SECRET}"]))
    assert str(error.value).startswith(f"{web.url}/none.mp4?X-Amz-Signature=***: ")
    assert "f00ba4" not in "\n".join([str(error.value), *error.value.__notes__])
    with pytest.raises(FileNotFoundError, match=r"nowhere\.mp4"):
        run(lambda: reader(filenames=[f"{web.url}/nowhere.mp4"]))


def test_an_object_that_changes_is_an_error_of_its_clips(urls, web):
    name = f"x/a.mp4{SECRET}"
    web.objects[name] = web.objects["x/a.mp4"]
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(*reader(filenames=[urls[0] + SECRET]))
        pipe.build()
        web.objects[name] = bytes(5000)
        web.tags[name] = '"other"'
        with pytest.raises((DecodeError, SourceError)) as error:
            run_all(pipe)
    assert "f00ba4" not in "\n".join([str(error.value), *error.value.__notes__])


def test_a_url_is_opened_by_each_process(urls):
    file, state = pickle.loads(pickle.dumps(url_opener(QUICK)))(urls[0])
    assert isinstance(file, StorageFile)
    assert file.read(8)[4:] == b"ftyp"
    assert state[0] == urls[0]
    assert INDEXES.get(state) is None


def test_a_local_file_is_a_path(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12")
    assert file_of(open_storage(path))[0] == str(path)
