"""PyArrow's errors name the file."""

import pytest

from penstock import SourceError
from penstock.readers.parquet.library import check_names, named_errors

pa = pytest.importorskip("pyarrow")


def test_errors_of_the_library_name_the_place():
    message = r"^a\.parquet: Failed to parse"
    with pytest.raises(SourceError, match=message), named_errors("a.parquet"):
        pa.array(["x"]).cast(pa.date32())
    with pytest.raises(SourceError, match=r"^a\.parquet: no errno$"), named_errors("a.parquet"):
        raise OSError("no errno\nand more")


def test_errors_of_the_system_stay():
    with pytest.raises(FileNotFoundError), named_errors("a.parquet"):
        pa.OSFile("/nowhere/at/all")


def test_names_that_are_no_utf8_are_found_at_any_depth():
    check_names(pa.schema([("a", pa.struct([("b", pa.list_(pa.int8()))]))]))
    for stored in (pa.int8(), pa.struct([(b"\xff", pa.int8())])):
        name = b"\xff" if stored == pa.int8() else "a"
        with pytest.raises(UnicodeDecodeError):
            check_names(pa.schema([pa.field(name, stored)]))
