"""Decoders that go from one video to the next; here they are the CPU's."""

import io

import numpy as np
import pytest

from penstock.decoders.video import decoder_pool
from penstock.decoders.video.decoder_pool import DecoderPool
from penstock.decoders.video.frames import FrameReader
from penstock.decoders.video.pictures import ClipDecoder
from penstock.engine.errors import DecodeError
from penstock.engine.graph.context import HeapWorkspace
from penstock.formats.video.known_files import KnownFacts

from ...videos import FORMS, numbers_of, video_bytes

RNG = np.random.default_rng(4)


def reader_of(data, pool, index=None):
    return FrameReader(io.BytesIO(data), index, pool)


def clip(reader, numbers):
    return numbers_of(ClipDecoder().decode(reader, np.array(numbers), HeapWorkspace()))


def contexts(pool):
    return [id(kept.context) for kept in pool._idle]


@pytest.mark.parametrize("form", FORMS)
def test_every_frame_is_the_one_that_was_asked_for(form):
    pool, data = DecoderPool(None), video_bytes(form)
    own = reader_of(data, None)
    readers = [reader_of(data, pool), reader_of(data, pool, own.index)]
    assert all(clip(reader, range(30)) == list(range(30)) for reader in readers)
    for _ in range(10):
        numbers = np.sort(RNG.integers(0, 30, size=int(RNG.integers(1, 6))))
        for reader in readers:
            np.testing.assert_array_equal(
                ClipDecoder().decode(reader, numbers, HeapWorkspace()),
                ClipDecoder().decode(own, numbers, HeapWorkspace()),
            )


def test_videos_of_a_configuration_have_one_decoder_in_turn():
    pool = DecoderPool(None)
    for first in (0, 100, 200):
        reader = reader_of(video_bytes(first=first), pool)
        assert clip(reader, [3, 9]) == [first + 3, first + 9]
        reader.close()
    assert len(set(contexts(pool))) == len(contexts(pool)) == 1
    clip(reader_of(video_bytes("vp9.webm"), pool), [2])
    assert len(contexts(pool)) == 2
    pool.close()
    assert contexts(pool) == []


def test_a_reader_keeps_its_decoder_until_others_need_it(monkeypatch):
    monkeypatch.setattr(decoder_pool, "MAX_DECODERS", 2)
    pool = DecoderPool(None)
    one, two, three = (reader_of(video_bytes(first=100 * i, group=30), pool) for i in range(3))
    seeks = []
    seek = one._seek
    monkeypatch.setattr(one, "_seek", lambda key: (seeks.append(key), seek(key)))
    assert clip(one, [1]) == [1]
    assert clip(two, [1]) == [101]
    assert clip(one, [2]) == [2]
    assert (seeks, len(contexts(pool))) == ([0], 2)  # it went on where it was
    assert clip(three, [1, 4]) == [201, 204]
    assert clip(two, [3]) == [103]
    assert clip(one, [3]) == [3]
    assert (seeks, len(contexts(pool))) == ([0, 0], 2)


def test_a_decoder_of_another_kind_makes_room(monkeypatch):
    monkeypatch.setattr(decoder_pool, "MAX_DECODERS", 1)
    pool = DecoderPool(None)
    for form in ("h264.mp4", "vp9.webm", "hevc.mp4", "h264.mp4"):
        assert clip(reader_of(video_bytes(form), pool), [5]) == [5]
        assert len(contexts(pool)) == 1


def test_a_decoder_is_right_again_after_damage():
    data = video_bytes(group=10, bf="0", qp="1", preset="ultrafast", count=30)
    packets = np.frombuffer(data, np.uint8).copy()
    packets[len(data) // 3 : len(data) // 3 + 4000] ^= 0xA5
    pool = DecoderPool(None)
    damaged, whole = reader_of(packets.tobytes(), pool), reader_of(data, pool)
    damaged.decoder._pool._idle.clear()
    with pytest.raises(DecodeError, match="is damaged or missing"):
        clip(damaged, range(30))
    damaged.close()
    assert clip(whole, range(30)) == list(range(30))
    assert len(contexts(pool)) == 1


def test_frames_know_what_the_container_states():
    reader = reader_of(video_bytes(rotation=90), DecoderPool(None))
    assert reader.display.rotation == 90
    assert reader_of(video_bytes(), DecoderPool(None)).display.rotation == 0


def test_only_codecs_of_the_gpu_are_tried_there():
    gpu = decoder_pool.Gpu(0, lambda: pytest.fail("a decoder on the GPU was made"))
    reader = reader_of(video_bytes("ffv1.mkv"), DecoderPool(gpu))
    assert reader.display is None
    assert clip(reader, [4]) == [4]


def test_a_gpu_that_refuses_is_asked_once_for_a_configuration(monkeypatch):
    from contextlib import nullcontext

    monkeypatch.setattr(decoder_pool, "_ABILITIES", KnownFacts())
    made = []
    pool = DecoderPool(decoder_pool.Gpu(7, nullcontext))
    on_cpu = DecoderPool(None)

    def make(config):
        made.append(config)
        return on_cpu._make(config)

    monkeypatch.setattr(pool, "_make", make)
    for _ in range(3):
        reader = reader_of(video_bytes(), pool)
        assert clip(reader, [8, 9]) == [8, 9]
        assert reader.display is None
    assert len(made) == 1
    clip(reader_of(video_bytes(size=(64, 160)), pool), [1])
    assert len(made) == 2
