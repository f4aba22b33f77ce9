"""`fn.readers.nemo_asr` against DALI's."""

import json

import numpy as np
import pytest

from penstock import Pipeline, fn, types

from ..sounds import encoded, speech_like
from .oracle import dali, dali_types

nvidia_dali = pytest.importorskip("nvidia.dali")


@pytest.fixture(scope="module")
def manifest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nemo")
    entries = []
    for i, (name, rate) in enumerate((("a.wav", 16000), ("b.flac", 44100), ("c.ogg", 22050))):
        signal = speech_like(1.0 + 0.1 * i, rate, seed=i, channels=2)
        path = folder / name  # DALI takes relative paths for relative to the current folder
        path.write_bytes(encoded(signal, rate, name[2:].upper()))
        whole = {"audio_filepath": str(path), "duration": 1.0 + 0.1 * i, "text": f"whole ü {i}"}
        entries += [whole, whole | {"offset": 0.29, "duration": 0.29}]
        entries += [whole | {"offset": 0.5, "duration": 9.0}, {"audio_filepath": str(path)}]
    path = folder / "manifest.json"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return str(path)


def ours(size, **arguments):
    with Pipeline(batch_size=size, num_threads=2) as pipe:
        outputs = fn.readers.nemo_asr(**arguments)
        pipe.set_outputs(*(outputs if isinstance(outputs, list | tuple) else (outputs,)))
        return [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]


@pytest.mark.filterwarnings("ignore:.*their transcripts are empty")
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"downmix": False, "read_idxs": True},
        {"read_text": False, "read_sample_rate": False},
        {"sample_rate": 8000.0, "quality": 30.0},
        {"min_duration": 0.5, "read_idxs": True},
        {"max_duration": 1.05, "read_idxs": True},
        {"min_duration": 0.25, "max_duration": 1.05, "read_idxs": True, "read_text": False},
        {"stick_to_shard": True, "shard_id": 1, "num_shards": 3, "read_idxs": True},
    ],
)
@pytest.mark.parametrize("dtype", ["FLOAT", "INT16"])
def test_batches(manifest, arguments, dtype):
    arguments = arguments | {"manifest_filepaths": manifest}
    theirs = dali(
        lambda: nvidia_dali.fn.readers.nemo_asr(dtype=getattr(dali_types(), dtype), **arguments),
        batch_size=12,
    )
    found = ours(12, dtype=getattr(types, dtype), **arguments)
    assert len(found) == len(theirs)
    largest = 6e-4 if dtype == "FLOAT" else 20
    for column, (wanted, _) in zip(found, theirs, strict=True):
        for one, other in zip(column, wanted, strict=True):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, atol=largest)
