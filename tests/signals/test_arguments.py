"""Arguments that several operators of signals share."""

from penstock.engine.graph.operator import OPERATORS
from penstock.signals import arguments

QUALITY = {"audio_resample", "decoders.audio", "readers.nemo_asr"}


def test_operators_do_not_describe_the_same_argument_twice():
    for name in QUALITY:
        params = OPERATORS[name].params
        assert params["quality"].doc == arguments.QUALITY.doc
        assert params["quality"].limits == arguments.QUALITY.limits
        assert params["antialias"].doc == arguments.ANTIALIAS.doc
        if name != "audio_resample":
            assert params["dtype"].doc == arguments.DECODED_DTYPE.doc
