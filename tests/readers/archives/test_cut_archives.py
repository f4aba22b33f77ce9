"""Archives of webdataset's own writer, cut at every block: no sample comes in part."""

import io
import warnings

import pytest

from penstock.engine.errors import SourceError
from penstock.readers.archives.tar_index import index_archive
from penstock.readers.storage.damage import Damages
from penstock.readers.storage.opening import open_storage

pytestmark = pytest.mark.usefixtures("user_cache")


@pytest.mark.parametrize("mtime", [1.5, 7])
def test_a_cut_archive_of_webdataset_has_whole_samples_alone(tmp_path, mtime):
    library = pytest.importorskip("webdataset")
    file = io.BytesIO()
    with library.TarWriter(file, mtime=mtime) as writer:  # times with fractions take a PAX header
        for number in range(4):
            writer.write({"__key__": f"{number}", "cls": number, "txt": "x" * 700 * number})
    content = file.getvalue()
    last = content.rstrip(b"\0")
    path, errors = tmp_path / "a.tar", 0
    for size in range(1024, len(last) + 512, 512):
        path.write_bytes(content[:size])
        damages = Damages(leaves_out=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                index = index_archive(open_storage(path), damages=damages)
            except SourceError:
                errors += 1
                continue
        assert caught or damages
        counts = {index.firsts[i + 1] - index.firsts[i] for i in range(len(index))}
        assert counts <= {2} or len(index) == 1, size  # the first sample has none to compare with
        errors += bool(damages)
    assert errors > 8
