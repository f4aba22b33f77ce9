import pytest

from penstock.engine.errors import SourceError
from penstock.readers.video.list_file import ListedVideo, read_video_list


def read(tmp_path, text):
    path = tmp_path / "list.txt"
    path.write_text(text)
    return read_video_list(str(path))


def test_lines(tmp_path):
    videos = read(tmp_path, "a.mp4 1\n\n/b c.mp4 2 0.5\nd 7.mp4 3 1.5 -2\n")
    assert videos == [
        ListedVideo(f"{tmp_path}/a.mp4", 1),
        ListedVideo("/b c.mp4", 2, 0.5),
        ListedVideo(f"{tmp_path}/d 7.mp4", 3, 1.5, -2.0),
    ]


@pytest.mark.parametrize("line", ["a.mp4", "a.mp4 x", "a.mp4 1.5"])
def test_other_lines_are_refused(tmp_path, line):
    with pytest.raises(SourceError, match=r"list.txt, line 2: expected a path, a label"):
        read(tmp_path, f"a.mp4 1\n{line}\n")


def test_empty_and_missing_lists(tmp_path):
    with pytest.raises(SourceError, match="names no video"):
        read(tmp_path, "\n")
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        read_video_list(str(tmp_path / "none"))


def test_urls_in_a_list_and_a_mark_at_its_front(tmp_path):
    videos = read(tmp_path, "\ufeffs3://b/a 1.mp4 4\nb.mp4 5\n")
    assert videos == [ListedVideo("s3://b/a 1.mp4", 4), ListedVideo(f"{tmp_path}/b.mp4", 5)]
