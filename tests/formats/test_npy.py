import io
import random

import numpy as np
import pytest

from penstock.engine.errors import DecodeError
from penstock.formats.npy import PREFIX, NpyHeader, array_of_npy, header_length, parse_header


def saved(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def with_header(text, version=1):
    width = 2 if version == 1 else 4
    coded = text.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + len(coded).to_bytes(width, "little") + coded


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize(
    "dtype", ["?", "i1", "<u2", ">i4", "u8", "<f2", ">f4", "f8", ">c8", "<M8[ns]"]
)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 0, 3), (2, 3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_what_numpy_writes(version, dtype, shape, order):
    array = np.zeros(shape, dtype, order)
    data = saved(array, version)
    header = parse_header(data)
    assert (header.dtype, header.shape, header.nbytes) == (array.dtype, shape, array.nbytes)
    assert header.offset == header_length(data[:PREFIX]) == len(data) - array.nbytes
    assert header.fortran_order == (not array.flags.c_contiguous)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", ("<f4", (3, 4), False)),
        ('{"shape":(3,),"descr":"|u1","fortran_order":True}', ("u1", (3,), True)),
        ("{'fortran_order':False,'shape':( ),'descr':'=i2'}  \n", ("i2", (), False)),
        ("{'descr': 'bool', 'fortran_order': False, 'shape': (5,)}", ("?", (5,), False)),
    ],
)
def test_what_other_programs_write(text, expected):
    dtype, shape, fortran_order = expected
    found = parse_header(with_header(text))
    assert found == NpyHeader(np.dtype(dtype), shape, fortran_order, 10 + len(text))


def test_lengths_that_python_2_wrote():
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L)}"
    with pytest.warns(UserWarning, match="created on Python 2"):
        assert parse_header(with_header(text)).shape == (3, 4)


def entry(descr="'<f4'", order="False", shape="(3,)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}}}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"PK\3\4....", r"begins with b'PK.*' instead of"),
        (b"\x93NUMP", "no .npy file"),
        (b"\x93NUMPY", "version missing"),
        (b"\x93NUMPY\x04\x00", r"version 4\.0; 1, 2 and 3"),
        (b"\x93NUMPY\x01\x00\x05", "cut off after 9 bytes, in the header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "a header of 4294967295 bytes"),
        (with_header(entry())[:-1], "in the header of 65"),
        (with_header(""), "cannot be understood"),
        (with_header("{}"), "cannot be understood"),
        (with_header("__import__('os').system('false')"), "cannot be understood"),
        (with_header("(" * 60000), "a header of 60000 bytes; at most 10000"),
        (with_header("(" * 9990), "cannot be understood"),
        (with_header("{" * 9990), "cannot be understood"),
        (with_header("-" * 9990 + "1"), "cannot be understood"),
        (with_header("~" * 9990), "cannot be understood"),
        (with_header("1+" * 4990 + "1"), "cannot be understood"),
        (with_header("9" * 9990), "cannot be understood"),
        (with_header("'\\N{" * 1990 + "'"), "cannot be understood"),
        (with_header("[" * 90 + "]" * 90), "cannot be understood"),
        (with_header("not " * 2490 + "1"), "cannot be understood"),
        (with_header("x" * 2000 + ".y" * 3990), "cannot be understood"),
        (with_header(entry(shape="(True,)")), "integers from 0 on"),
        (with_header(entry("()")), "cannot be understood"),
        (with_header(entry("('<f4', (2,))")), "records"),
        (with_header(entry("'(2,)f4'")), "records"),
        (with_header(entry() + "x"), "cannot be understood"),
        (with_header(entry("1")), "cannot be understood"),
        (with_header(entry("True")), "cannot be understood"),
        (with_header(entry(order="'<f4'")), "cannot be understood"),
        (with_header(entry(shape="(3, -1)")), "integers from 0 on"),
        (with_header(entry(shape="(5)")), "cannot be understood"),
        (with_header(entry(shape="3")), "cannot be understood"),
        (with_header("{'descr': '<f4', 'shape': (3,)}"), "cannot be understood"),
        (with_header(entry(shape="(3 4)")), r"cannot be understood.*\(3 4\)"),
        (with_header(entry(shape="(,)")), "cannot be understood"),
        (with_header(entry(shape="(" + "1," * 33 + ")")), "at most 32 integers"),
        (with_header(entry(shape=f"({'9' * 20},)")), "larger than any memory"),
        (with_header(entry(shape=f"({2**63 - 1}, 2)")), "larger than any memory"),
        (with_header(entry(shape=f"(0, {2**62})")), "larger than any memory"),
        (with_header(entry("[('a', '<f4')]")), "records"),
        (with_header(entry("'|O'")), "Python objects"),
        (with_header(entry("'<c32'")), "complex numbers of that size"),
        (with_header(entry("'<U7'")), "strings"),
        (with_header(entry("'<f16'")), "floating point numbers of that size"),
        (with_header(entry("'<M8[xs]'")), "cannot be understood"),
        (with_header(entry("'|S0'")), "byte strings"),
        (with_header(entry("'|V8'")), "records"),
        (with_header(entry("'>>i4'")), "cannot be understood"),
        (with_header(entry("''")), "cannot be understood"),
    ],
)
def test_what_is_refused(data, message):
    with pytest.raises(DecodeError, match=message):
        parse_header(data)


def test_a_header_cut_short_at_any_byte_raises():
    data = saved(np.zeros((3, 4)))
    for size in range(header_length(data[:PREFIX])):
        with pytest.raises(DecodeError):
            parse_header(data[:size])


def test_damaged_headers_give_errors_or_headers():
    pristine = np.frombuffer(saved(np.zeros((3, 4))), np.uint8)[:80]
    outcomes = set()
    for seed in range(3000):
        draw = np.random.default_rng(seed)
        data = np.concatenate([pristine, np.zeros(200, np.uint8)])
        data[draw.integers(0, 80, 2)] = draw.integers(0, 256, 2)
        try:
            outcomes.add(parse_header(data.tobytes()).nbytes >= 0)
        except DecodeError:
            outcomes.add("error")
    assert outcomes == {True, "error"}


def file_of(array, **options):
    return np.frombuffer(saved(array, **options), np.uint8)


@pytest.mark.parametrize("dtype", ["u1", "<i2", ">i4", "f2", ">f8", "?"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3, 4), (1, 0, 2)])
@pytest.mark.parametrize("order", "CF")
def test_arrays_agree_with_numpy(dtype, shape, order):
    array = np.asarray(np.arange(np.prod(shape)).reshape(shape).astype(dtype), order=order)
    found = array_of_npy(file_of(array))
    np.testing.assert_array_equal(found, array.astype(array.dtype.newbyteorder("=")), strict=True)
    assert found.flags.c_contiguous
    assert found.flags.aligned


@pytest.mark.parametrize("dtype", ["c8", ">c16"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
@pytest.mark.parametrize("order", "CF")
def test_complex_numbers_are_pairs_of_floats(dtype, shape, order):
    array = np.array(np.arange(np.prod(shape)).reshape(shape) * (1 - 2j), dtype, order=order)
    expected = np.stack([array.real, array.imag], -1)
    found = array_of_npy(file_of(array))
    np.testing.assert_array_equal(found, expected.astype(f"f{array.itemsize // 2}"), strict=True)


@pytest.mark.parametrize("dtype", ["M8[s]", ">m8[25ns]", "<M8[D]", "m8"])
def test_dates_are_counted(dtype):
    array = np.array([5, -(2**40)]).astype(dtype)
    found = array_of_npy(file_of(array))
    assert (found.dtype, found.tolist()) == (np.int64, [5, -(2**40)])


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_arrays_of_all_versions(version):
    np.testing.assert_array_equal(array_of_npy(file_of(np.eye(3), version=version)), np.eye(3))


def test_booleans_are_0_or_1():
    data = file_of(np.zeros(4, bool)).copy()
    data[-4:] = 0, 1, 2, 255
    assert array_of_npy(data).view(np.uint8).tolist() == [0, 1, 1, 1]


def test_arrays_share_memory_where_that_is_possible():
    content = np.zeros(256, np.uint8)
    file = file_of(np.arange(8))
    content[: len(file)] = file
    assert np.shares_memory(array_of_npy(content), content)
    shifted = np.zeros(257, np.uint8)[1:]
    shifted[: len(file)] = file
    assert array_of_npy(shifted).flags.aligned


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no .npy file"),
        (b"\x93NUMPY", "version missing"),
        (b"\x93NUMPY\x04\x00" + bytes(100), r"version 4\.0"),
        (b"\xff\xd8\xff" + bytes(100), "no .npy file"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100), "a header of 4294967295 bytes"),
    ],
)
def test_what_is_no_npy_file_gives_no_array(content, message):
    with pytest.raises(DecodeError, match=message):
        array_of_npy(np.frombuffer(content, np.uint8))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be understood"),
        ("[1, 2]", "cannot be understood"),
        ("{'descr': '<f4', 'fortran_order': False}", "cannot be understood"),
        (entry(shape="(-1,)"), "integers from 0 on"),
        (entry(shape="(True,)"), "integers from 0 on"),
        (entry(order="1", shape="(1,)"), "cannot be understood"),
        (entry("'nonsense'", shape="(1,)"), "cannot be understood"),
        (entry("'|O'", shape="(1,)"), "only .* numbers"),
        (entry("'<U4'", shape="(1,)"), "only .* numbers"),
        (entry(), "takes 12 bytes, but 8 follow"),
        (entry(shape="(2**40,)"), "cannot be understood"),
        (entry(shape="(99999999, 99999999, 99999999)"), "larger than any memory"),
        ("(" * 5000 + ")" * 5000, "cannot be understood"),
        ("-" * 9000 + "1", "cannot be understood"),
        ("__import__('os').abort()", "cannot be understood"),
    ],
)
def test_bad_headers_give_no_array(text, message):
    with pytest.raises(DecodeError, match=message):
        array_of_npy(np.frombuffer(with_header(text) + bytes(8), np.uint8))


def test_flipped_bytes_never_do_worse_than_an_error():
    whole = file_of(np.arange(12, dtype=np.float32).reshape(3, 4))
    for seed in range(500):
        draw = random.Random(seed)
        content = whole.copy()
        for _ in range(draw.choice([1, 2, 5])):
            content[draw.randrange(128)] = draw.randrange(256)
        try:
            assert array_of_npy(content).nbytes <= len(content)
        except DecodeError:
            continue


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4)])
def test_strides_are_those_of_the_array(shape, order):
    array = np.zeros(shape, "i2", order)
    header = NpyHeader(array.dtype, shape, order == "F", 128)
    assert header.strides == array.strides
