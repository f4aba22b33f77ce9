"""Tables whose C structs are declared by Python."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest

from penstock.engine.gpu.tables import Pointers, StructTable, struct_of, struct_table
from penstock.testing.emulator import COMPILER


def example():
    axis = struct_table("Axis", 2, taps=np.array([3, 4], np.int32), scale=np.float32(0.5))
    return struct_table(
        "Sample",
        2,
        flag=np.array([1, 2], np.uint8),
        source=Pointers(np.array([3, 4]), "const In*"),
        pair=np.array([[5, 6], [7, 8]], np.int32),
        rows=axis,
        columns=axis,
    )


def test_the_declaration_has_the_fields_of_the_table():
    axis, sample = example().struct.declarations
    assert axis.splitlines()[:4] == ["struct Axis {", "    int taps;", "    float scale;", "};"]
    assert sample.splitlines()[1:6] == [
        "    unsigned char flag;",
        "    const In* source;",
        "    int pair[2];",
        "    Axis rows;",
        "    Axis columns;",
    ]


def test_fields_hold_the_columns():
    array = example().array
    assert array["pair"].tolist() == [[5, 6], [7, 8]]
    assert array["source"].dtype == np.uint64
    assert array["columns"]["taps"].tolist() == [3, 4]
    assert array["rows"]["scale"].tolist() == [0.5, 0.5]


def test_a_nested_struct_may_be_an_array():
    parts = struct_table("Part", 2, first=np.arange(2))
    parts = struct_table("Parts", 2, part=parts)
    assert parts.array["part"]["first"].tolist() == [0, 1]
    assert "    Part part;" in parts.struct.declarations[-1]


def test_other_values_of_some_fields_are_a_copy():
    table = example()
    other = table.with_columns(flag=[9, 9])
    assert other.array["flag"].tolist() == [9, 9]
    assert table.array["flag"].tolist() == [1, 2]
    assert other.struct is table.struct
    assert len(other) == 2


@pytest.mark.skipif(COMPILER is None, reason="no g++")
def test_a_c_compiler_reads_the_fields(tmp_path):
    table = example()
    source = tmp_path / "read.cpp"
    source.write_text(
        "typedef unsigned char In;\n"
        + "\n".join(table.struct.declarations)
        + 'extern "C" long long read(const Sample* s) { s++;\n'
        "    return s->flag + 10 * (long long)s->source + 100 * s->pair[1]\n"
        "           + 1000 * s->columns.taps;\n}\n"
    )
    library = tmp_path / "read.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
    read = ctypes.CDLL(str(library)).read
    read.restype = ctypes.c_longlong
    assert read(ctypes.c_void_p(table.array.ctypes.data)) == 2 + 10 * 4 + 100 * 8 + 1000 * 4


def test_a_part_of_a_table_lies_in_the_memory_of_the_table():
    table = struct_table("Sample", 5, number=np.arange(5))
    part = table.part(1, 3)
    assert part.array["number"].tolist() == [1, 2]
    assert part.memory is None
    on_device = StructTable(table.struct, table.array, table.array.view(np.uint8))
    assert on_device.part(2, 4).memory.view(np.int64).tolist() == [2, 3]


def test_the_struct_of_a_dtype():
    fields = [("taps", np.int32), ("scale", np.float64)]
    records = np.array([(3, 0.5), (4, 2.0)], np.dtype(fields, align=True))
    axes = StructTable(struct_of("Axis", records.dtype), records)
    table = struct_table("Sample", 2, rows=axes)
    assert table.struct.declarations[0].splitlines()[1:3] == ["    int taps;", "    double scale;"]
    assert table.array["rows"]["scale"].tolist() == [0.5, 2.0]
