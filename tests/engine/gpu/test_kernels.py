"""CUDA sources as values."""

from __future__ import annotations

import numpy as np
import pytest

from penstock.engine.errors import ArgumentError
from penstock.engine.gpu.kernels import Kernel, c_type, check_grid, source_of


def test_types_have_names():
    assert [c_type(name) for name in ("uint8", "int64", "float16")] == [
        "unsigned char",
        "long long",
        "half",
    ]
    with pytest.raises(ArgumentError, match="complex64"):
        c_type(np.complex64)


def test_included_files_are_put_in(tmp_path):
    (tmp_path / "a.cuh").write_text("int a;\n")
    (tmp_path / "b.cu").write_text('// b\n#include "a.cuh"\n#include <cuda_fp16.h>\nint b;\n')
    text = source_of(tmp_path / "b.cu")
    assert text.split("\n")[:2] == ["// b", "int a;"]
    assert "#include <cuda_fp16.h>" in text
    kernel = Kernel(tmp_path / "b.cu", "b", (("In", "float"),))
    assert kernel.source.startswith("#define In float\n// b\nint a;\n")


def test_declarations_stand_in_front_of_the_source_once(tmp_path):
    (tmp_path / "b.cu").write_text("int b;\n")
    kernel = Kernel(tmp_path / "b.cu", "b").declaring("struct A {};", "struct A {};")
    assert kernel.declaring("struct A {};") is kernel
    assert kernel.source == "struct A {};\nint b;\n"


def test_declarations_with_half_get_its_header(tmp_path):
    (tmp_path / "b.cu").write_text("int b;\n")
    kernel = Kernel(tmp_path / "b.cu", "b")
    assert kernel.declaring("struct A { half a; };").source.startswith("#include <cuda_fp16.h>\n")
    assert Kernel(tmp_path / "b.cu", "b", (("In", "half"),)).source.startswith("#include <cuda")


def test_batches_that_one_launch_cannot_serve():
    check_grid((1 << 20, 65535))
    with pytest.raises(ArgumentError, match="65536 samples"):
        check_grid((1, 65536))
