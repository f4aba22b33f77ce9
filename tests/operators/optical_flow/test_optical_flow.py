"""`fn.optical_flow` without a GPU: its arguments, and what is said when a pipeline is built."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, MissingDependencyError
from penstock.engine.run import opening
from penstock.operators.optical_flow import engine_library


@pytest.fixture
def videos():
    return fn.external_source(lambda: [np.zeros((2, 48, 64, 3), np.uint8)], layout="FHWC").gpu()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output_grid": 3}, "output_grid is 3, but must be one of 1, 2, 4"),
        ({"output_grid": 8}, "output_grid is 8"),
        ({"output_format": 3}, "output_grid is 3"),
        ({"output_format": 4, "output_grid": 4}, "output_format exclude one another"),
        ({"preset": 1.5}, "'preset' must be float, from 0 to 1"),
        ({"preset": -0.1}, "'preset' must be float, from 0 to 1"),
        ({"image_type": types.YCbCr}, "'image_type' must be .* but is YCbCr"),
        ({"image_type": types.ANY_DATA}, "but is ANY_DATA"),
        ({"enable_external_hints": True}, "needs the hints as a second input"),
        ({"device": "cpu"}, "fn.optical_flow runs on gpu, not on 'cpu'"),
    ],
)
def test_arguments_that_are_refused(videos, options, message):
    with pytest.raises(ArgumentError, match=message):
        fn.optical_flow(videos, **options)


@pytest.mark.parametrize(
    ("grid", "hint_grid", "possible"), [(4, 2, "4, 8"), (2, 1, "2, 4, 8"), (1, 3, "1, 2, 4, 8")]
)
def test_hints_are_not_finer_than_vectors(videos, grid, hint_grid, possible):
    options = {"output_grid": grid, "hint_grid": hint_grid}
    with pytest.raises(ArgumentError, match=f"hint_grid is {hint_grid}, .* one of {possible}"):
        fn.optical_flow(videos, videos, **options, enable_external_hints=True)
    fn.optical_flow(videos, videos, **options)


def test_the_result_is_on_the_gpu(videos):
    vectors = fn.optical_flow(videos)
    assert (vectors.device, vectors.layout) == ("gpu", "FHWC")
    with pytest.raises(ArgumentError, match=r"move it with .gpu\(\)"):
        fn.optical_flow(fn.external_source(list, layout="FHWC"))


def test_a_missing_library_is_known_when_the_pipeline_is_built(videos, monkeypatch):
    monkeypatch.setattr(opening, "load_driver", lambda: None)
    monkeypatch.setattr(engine_library, "_NAMES", ("libnowhere.so",))
    pipe = Pipeline(batch_size=1, num_threads=1)
    pipe.set_outputs(fn.optical_flow(videos))
    with pytest.raises(MissingDependencyError, match="libnowhere") as caught:
        pipe.build()
    assert "in fn.optical_flow" in caught.value.__notes__[0]
    pipe.close()
