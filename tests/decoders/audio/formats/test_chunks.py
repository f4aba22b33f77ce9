"""Chunks of RIFF and IFF files."""

from penstock.decoders.audio.formats.chunks import walk


def test_chunks_are_padded_to_even_sizes():
    content = b"abcd\3\0\0\0xyz\0efgh\0\0\0\0ijkl"
    chunks = list(walk(memoryview(content), 0, "little"))
    assert [(c.name, c.offset, c.size) for c in chunks] == [(b"abcd", 8, 3), (b"efgh", 20, 0)]


def test_a_size_beyond_the_end_is_left_to_the_caller():
    (chunk,) = walk(memoryview(b"..abcd\xff\xff\xff\xff"), 2, "big")
    assert chunk.size == 2**32 - 1
