"""CUDA sources as values."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.kernels import Kernel, c_type, check_grid, descriptors, source_of


def test_types_have_names():
    assert [c_type(name) for name in ("uint8", "int64", "float16")] == [
        "unsigned char",
        "long long",
        "half",
    ]
    with pytest.raises(ArgumentError, match="complex64"):
        c_type(np.complex64)


def test_descriptors_are_laid_out_like_c_structs():
    table = descriptors(
        2,
        flag=np.array([1, 2], np.uint8),
        address=np.array([3, 4], np.uint64),
        pair=np.array([[5, 6], [7, 8]], np.int32),
    )
    assert table.dtype.itemsize == 24
    assert [table.dtype.fields[name][1] for name in table.dtype.names] == [0, 8, 16]
    assert table["pair"].tolist() == [[5, 6], [7, 8]]


def test_included_files_are_put_in(tmp_path):
    (tmp_path / "a.cuh").write_text("int a;\n")
    (tmp_path / "b.cu").write_text('// b\n#include "a.cuh"\n#include <cuda_fp16.h>\nint b;\n')
    text = source_of(tmp_path / "b.cu")
    assert text.split("\n")[:2] == ["// b", "int a;"]
    assert "#include <cuda_fp16.h>" in text
    kernel = Kernel(tmp_path / "b.cu", "b", (("In", "float"),))
    assert kernel.options[-1] == "-DIn=float"


def test_batches_that_one_launch_cannot_serve():
    check_grid((1 << 20, 65535))
    with pytest.raises(ArgumentError, match="65536 samples"):
        check_grid((1, 65536))
