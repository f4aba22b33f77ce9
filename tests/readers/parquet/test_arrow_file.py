"""Arrow files, as `save_to_disk` of the package datasets writes them."""

import numpy as np
import pytest

from penstock import fn
from penstock.testing.readers import SourceConformance

from .tables import COLUMNS, opened, samples, table, write_stream

pa = pytest.importorskip("pyarrow")


class TestArrowStream(SourceConformance):
    """As `save_to_disk` of the package datasets writes tables."""

    @pytest.fixture
    def source(self, tmp_path):
        return opened(write_stream(tmp_path / "data.arrow", table()), *COLUMNS)

    @pytest.fixture
    def files(self, source, tmp_path):
        return [tmp_path / "data.arrow"]

    def read(self, paths):
        return fn.readers.parquet(path=paths, columns=COLUMNS)

    @pytest.fixture
    def expected(self):
        return [tuple(np.asarray(value) for value in sample) for sample in samples()]


class TestArrowFile(TestArrowStream):
    @pytest.fixture
    def source(self, tmp_path):
        path = write_stream(tmp_path / "data.arrow", table(), new=pa.ipc.new_file)
        return opened(path, *COLUMNS)
