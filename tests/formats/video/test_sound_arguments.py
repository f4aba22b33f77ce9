import numpy as np
import pytest

from penstock import Pipeline, fn
from penstock.engine.errors import ArgumentError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"audio_rate": 8000}, "fn.decoders.video: audio_rate without audio=True"),
        (
            {"audio_rate": 8000, "audio_downmix": True},
            "audio_downmix and audio_rate without audio=True",
        ),
        ({"audio": True, "audio_rate": 1e9}, r"audio_rate is 1e\+09 Hz; the limit is 1e\+06 Hz"),
    ],
)
def test_arguments_of_a_sound_that_is_no_output(arguments, message):
    with Pipeline(batch_size=1, num_threads=1), pytest.raises(ArgumentError, match=message):
        fn.decoders.video(
            fn.external_source(lambda: [np.zeros(9, np.uint8)], batch=True), **arguments
        )
