"""The random pipelines that are compared beside a network are ones that run."""

from __future__ import annotations

import pytest

from penstock import Pipeline, fn

from . import beside_model


@pytest.mark.parametrize("step", beside_model.STEPS)
def test_each_step_runs(device_stage, photo_tree, step):
    with Pipeline(batch_size=3, num_threads=2, seed=1) as pipe:
        encoded, _ = fn.readers.file(file_root=str(photo_tree.root))
        images = fn.resize(fn.decoders.image(encoded).gpu(), size=(224, 224))
        pipe.set_outputs(beside_model.ENDS["normalized"](beside_model.STEPS[step](images)))
        assert len(pipe.run()[0]) == 3


def test_a_seed_says_what_a_pipeline_is():
    assert beside_model.described(7) == beside_model.described(7)
    assert len({str(beside_model.described(seed)) for seed in range(20)}) == 20
