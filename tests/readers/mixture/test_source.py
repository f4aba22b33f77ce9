"""Sources one after the other, under the suite of all sources."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.readers.files.source import FileSource
from penstock.readers.listing.listing import list_files
from penstock.readers.mixture.source import MixedSource
from penstock.testing.readers import SourceConformance


def files_in(folder, contents):
    folder.mkdir()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return FileSource(list_files(files=sorted(str(path) for path in folder.iterdir())))


class TestMixedSource(SourceConformance):
    @pytest.fixture
    def contents(self):
        first = {f"{i}.bin": bytes([i]) * (i + 1) for i in range(4)}
        return [first, {"a.bin": b"a" * 300_000, "b.bin": b"b", "c.bin": b""}]

    @pytest.fixture
    def source(self, tmp_path, contents):
        sources = [files_in(tmp_path / str(i), own) for i, own in enumerate(contents)]
        return MixedSource(sources, [(0,), (0,)])

    @pytest.fixture
    def expected(self, contents):
        return [(np.frombuffer(own[name], np.uint8),) for own in contents for name in sorted(own)]
