"""Errors for encoded bytes."""

from penstock.decoders.errors import FETCH_AGAIN, decode_error
from penstock.engine.errors import DecodeError


def test_errors_say_where_and_what_to_do():
    error = decode_error("WAV", "a hole", at=7, expected="sound")
    assert isinstance(error, DecodeError)
    assert str(error) == f"WAV: a hole at byte 7; expected sound. {FETCH_AGAIN}"
    assert str(decode_error("WAV", "a hole", remedy="Fill it.")) == "WAV: a hole. Fill it."
