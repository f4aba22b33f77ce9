"""`fn.optical_flow` without a GPU: its arguments, and what is said when a pipeline is built."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import Pipeline, fn, types
from penstock.engine.errors import ArgumentError, MissingDependencyError
from penstock.engine.run import opening
from penstock.operators.optical_flow import engine_library, flow_session
from penstock.types import BGR, GRAY

from .moving import check, flow, video


@pytest.fixture
def videos():
    return fn.external_source(lambda: [np.zeros((2, 48, 64, 3), np.uint8)], layout="FHWC").gpu()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output_grid": 3}, "output_grid is 3, but must be one of 1, 2, 4"),
        ({"output_grid": 8}, "output_grid is 8"),
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


# `fn.optical_flow` in pipelines: the vectors of textures that move by known steps.
@pytest.mark.parametrize("grid", [1, 2, 4])
def test_vectors_lead_to_the_frame_before(flow_engine, grid):
    (vectors,) = flow([video(2, 45, 66)], output_grid=grid)
    check(vectors, (1, -(-45 // grid), -(-66 // grid), 2))


@pytest.mark.parametrize("preset", [0, 0.3, 0.5, 0.9, 1])
def test_presets(flow_engine, preset):
    (vectors,) = flow([video(2, 48, 64)], preset=preset)
    check(vectors, (1, 12, 16, 2))
    if flow_engine:
        level = {0: 5, 0.3: 5, 0.5: 10, 0.9: 20, 1: 20}[preset]
        assert flow_engine.numbers("levels", 1) == [level]


def test_image_types(flow_engine):
    clip = video(2, 40, 72)
    (wanted,) = flow([clip])
    if flow_engine:
        assert flow_engine.first_pixel() == [*clip[1, 0, 0], 255]
    (turned,) = flow([clip[..., ::-1]], image_type=BGR)
    np.testing.assert_array_equal(turned, wanted)
    if flow_engine:
        assert flow_engine.first_pixel() == [*clip[1, 0, 0], 255]
    (gray,) = flow([clip[..., :1]], image_type=GRAY)
    check(gray, (1, 10, 18, 2))


def test_videos_of_several_sizes_and_lengths(flow_engine, monkeypatch):
    extents = [(2, 48, 64), (5, 32, 40), (3, 48, 64), (2, 40, 32), (7, 48, 64)]
    clips = [video(*extent, seed=i) for i, extent in enumerate(extents)]
    rows = flow(clips)
    for vectors, (count, height, width) in zip(rows, extents, strict=True):
        check(vectors, (count - 1, height // 4, width // 4, 2))
    alone = [flow([clip])[0] for clip in clips]
    # Groups of few frames, and sessions that make place for others, give the same.
    monkeypatch.setattr(flow_session, "MAX_FRAMES", 3)
    monkeypatch.setattr(flow_session, "MAX_SESSIONS", 1)
    for vectors, single, other in zip(rows, alone, flow(clips), strict=True):
        np.testing.assert_array_equal(vectors, single)
        np.testing.assert_array_equal(vectors, other)


@pytest.mark.parametrize(("grid", "hint_grid"), [(4, 4), (4, 8), (2, 2)])
def test_hints(flow_engine, grid, hint_grid):
    step = 10, -7  # further than the emulated engine looks without hints
    clips = [video(3, 50, 70, step=step), video(2, 48, 64, step=step)]
    hints = [
        np.full((len(clip) - 1, *(-(-e // hint_grid) for e in clip.shape[1:3]), 2), [-9.3, 6.7])
        for clip in clips
    ]
    options = {"output_grid": grid, "hint_grid": hint_grid, "enable_external_hints": True}
    rows = flow(clips, [hint.astype(np.float32) for hint in hints], **options)
    for vectors, clip in zip(rows, clips, strict=True):
        cells = (-(-e // grid) for e in clip.shape[1:3])
        check(vectors, (len(clip) - 1, *cells, 2), step)


def test_hints_that_are_not_enabled_are_not_read(flow_engine):
    clip = video(2, 48, 64)
    np.testing.assert_array_equal(flow([clip], [clip]), flow([clip]))


@pytest.mark.parametrize("enabled", [True, False])
def test_temporal_hints_stay_within_a_video(flow_engine, monkeypatch, enabled):
    monkeypatch.setattr(flow_session, "MAX_FRAMES", 3)
    clips = [video(4, 48, 64), video(2, 48, 64, seed=1), video(3, 48, 64, seed=2)]
    for vectors, clip in zip(flow(clips, enable_temporal_hints=enabled), clips, strict=True):
        check(vectors, (len(clip) - 1, 12, 16, 2))
    if flow_engine:
        wanted = [0, 1, 1, 0, 0, 1] if enabled else [0] * 6
        assert flow_engine.numbers("follows", 6) == wanted


@pytest.mark.parametrize(
    ("clip", "message"),
    [
        (video(1, 48, 64), "the video has 1 frames; flow is between 2 or more"),
        (video(2, 48, 64)[:0], "the video has 0 frames"),
        (video(2, 48, 64, 1), "the frames have 1 channels, and image_type=RGB says 3"),
        (
            video(2, 48, 31),
            r"the frames' width is 31 pixels, and .* takes 32 to \d+; use fn.resize",
        ),
        (video(2, 20, 48), "the frames' height is 20 pixels"),
    ],
)
def test_videos_that_are_refused(flow_engine, clip, message):
    good = video(2, 48, 64)
    with pytest.raises(ArgumentError, match=f"fn.optical_flow: {message}"):
        flow([good, clip, good])


@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        ([video(2, 48, 64).astype(np.float32)], {}, "takes videos of the type uint8"),
        (
            [video(2, 48, 64), np.zeros((1, 12, 16, 2))],
            {"enable_external_hints": True},
            "takes hints of the type float32 .* but the samples are float64",
        ),
        (
            [video(2, 48, 64), np.zeros((1, 12, 17, 2), np.float32)],
            {"enable_external_hints": True},
            r"the hints have the shape \(1, 12, 17, 2\), not \(1, 12, 16, 2\)",
        ),
    ],
)
def test_data_that_are_refused(flow_engine, inputs, options, message):
    with pytest.raises(ArgumentError, match=message):
        flow(*([data] for data in inputs), **options)


def test_gpus_that_have_some_grids_only(flow_engine):
    if not flow_engine:
        pytest.skip("a real engine has the grids that it has")
    flow_engine["is_turing"] = 1
    clip = [video(2, 48, 64)]
    check(flow(clip)[0], (1, 12, 16, 2))
    with pytest.raises(ArgumentError, match="output_grid is 2, but must be one of 4"):
        flow(clip, output_grid=2)


def test_gpus_without_an_engine(flow_engine):
    if not flow_engine:
        pytest.skip("a real engine is there")
    flow_engine["is_missing"] = 1
    with pytest.raises(MissingDependencyError, match=r"no optical flow .*UNSUPPORTED_DEVICE \(2\)"):
        flow([video(2, 48, 64)])


def test_sessions_are_closed_with_the_pipeline(flow_engine):
    if not flow_engine:
        pytest.skip("a real engine does not count its sessions")
    flow([video(2, 48, 64), video(2, 40, 64)], enable_temporal_hints=True)
    assert flow_engine["executions"] >= 2
    flow_engine.wait_until_unused()


def test_a_bad_video_is_replaced(flow_engine):
    clips = [video(2, 48, 64), video(1, 48, 64), video(3, 32, 64)]
    with Pipeline(batch_size=3, num_threads=1, on_error="replace") as pipe:
        videos = fn.external_source(lambda: clips, layout="FHWC")
        pipe.set_outputs(fn.optical_flow(videos.gpu()))
        (output,) = pipe.run()
        assert output.valid.tolist() == [True, False, True]
        rows = [np.array(row) for row in output.as_cpu().rows()]
    check(rows[0], (1, 12, 16, 2))
    check(rows[2], (2, 8, 16, 2))
