"""Video against DALI, whose CPU operators decode VP8 and VP9.

DALI decodes Motion JPEG as well, but counts the frames of AVI files wrongly.
"""

import numpy as np
import pytest

from penstock import fn, pipeline_def

from ..videos import video_bytes, video_file

dali = pytest.importorskip("nvidia.dali")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("films")
    for folder, form, count in (("x", "vp9.webm", 10), ("y", "vp8.webm", 7)):
        (root / folder).mkdir()
        video_file(root / folder / "a.webm", form, count=count, group=4)
    for name, ranges in LISTS.items():
        lines = [
            f"{root}/{d}/a.webm {label} {r}"
            for d, label, r in zip("xy", (3, 5), ranges, strict=False)
        ]
        (root / name).write_text("\n".join(lines) + "\n")
    return root


LISTS = {
    "seconds": ("0.1 0.2", "0.05 0.15"),  # DALI finds no clip if the end is left out
    "between": ("0.11 0.24", "0.05 0.19"),
    "frames": ("2 7", "1 -2"),
}


def run(module, make, size=1):
    """Return epoch size and one epoch's samples: a list of arrays each."""

    @module(batch_size=size, num_threads=1, device_id=None)
    def pipeline():
        outputs = make(dali.fn if module is dali.pipeline_def else fn)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    built = pipeline()
    built.build()
    count = built.epoch_size("reader") if size == 1 else size
    batches = [built.run() for _ in range(count // size)]
    return [[np.array(out.at(i)) for out in batch] for batch in batches for i in range(size)]


def compare(make, size=1):
    ours, theirs = (run(module, make, size) for module in (pipeline_def, dali.pipeline_def))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert [(a.shape, a.dtype) for a in one] == [(a.shape, a.dtype) for a in other]
        assert np.abs(one[0].astype(int) - other[0]).mean() < 1
        for a, b in zip(one[1:], other[1:], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-6)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"frames": [3, 0, 3, 9]},
        {"frames": [3, 14], "pad_mode": "reflect_101"},
        {"frames": [3, 14], "pad_mode": "edge"},
        {"sequence_length": 5, "stride": 3, "pad_mode": "reflect_1001"},
        {"start_frame": 1, "sequence_length": 25, "pad_mode": "symmetric"},
        {"start_frame": 1, "sequence_length": 25, "pad_mode": "reflect"},
        {"start_frame": 6, "sequence_length": 8, "fill_value": [7, 8, 9]},
        {"start_frame": 6, "sequence_length": 8, "pad_mode": "none"},
        {"start_frame": 1, "end_frame": 12, "stride": 2},
        {"stride": 2},
    ],
)
@pytest.mark.parametrize("form", ["vp9.webm", "vp8.webm"])
def test_decoding(arguments, form):
    data = np.frombuffer(video_bytes(form, count=10, group=4), np.uint8)

    def make(functions):
        encoded = functions.external_source(lambda: [data, data], batch=True)
        return functions.decoders.video(encoded, **arguments)

    compare(make, size=2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sequence_length": 4},
        {"sequence_length": 4, "pad_mode": "constant"},
        {"sequence_length": 4, "pad_mode": "edge", "step": 3},
        {"sequence_length": 3, "stride": 2, "enable_frame_num": "sequence"},
        {"sequence_length": 3, "stride": 2, "pad_mode": "constant", "enable_timestamps": True},
        {"sequence_length": 20, "pad_mode": "reflect_101", "enable_frame_num": "scalar"},
        {"sequence_length": 4, "uniform_sample": True, "enable_frame_num": "sequence"},
        {"sequence_length": 12, "uniform_sample": True, "enable_frame_num": "sequence"},
        {"sequence_length": 1, "uniform_sample": True, "enable_timestamps": True},
        {"sequence_length": 4, "pad_mode": "constant", "fill_value": [10, 20, 30]},
        {"sequence_length": 4, "pad_mode": "symmetric", "stride": 2, "step": 3},
        {"sequence_length": 2, "num_shards": 2, "shard_id": 1, "enable_frame_num": True},
        {"sequence_length": 2, "num_shards": 3, "shard_id": 1, "stick_to_shard": True},
        {"sequence_length": 2, "num_shards": 3, "shard_id": 2, "pad_last_batch": True},
    ],
)
def test_clips_of_folders(root, arguments):
    def make(functions):
        return functions.experimental.readers.video(file_root=str(root), name="reader", **arguments)

    compare(make)


@pytest.mark.parametrize("listed", LISTS)
@pytest.mark.parametrize(
    "rounding", ["start_down_end_up", "start_up_end_down", "all_up", "all_down"]
)
def test_ranges_of_a_list(root, listed, rounding):
    def make(functions):
        return functions.experimental.readers.video(
            file_list=str(root / listed),
            file_list_format="frames" if listed == "frames" else "timestamps",
            file_list_rounding=rounding,
            sequence_length=1,
            enable_frame_num=True,
            name="reader",
        )

    compare(make)


@pytest.mark.parametrize(
    "arguments", [{}, {"labels": [5, 9]}, {"enable_frame_num": True, "enable_timestamps": True}]
)
def test_clips_of_files(root, arguments):
    paths = [f"{root}/{folder}/a.webm" for folder in "yx"]

    def make(functions):
        return functions.experimental.readers.video(
            filenames=paths, sequence_length=3, name="reader", **arguments
        )

    compare(make)


@pytest.mark.parametrize("pad_mode", ["none", "edge"])
@pytest.mark.parametrize(
    ("length", "stride", "step"), [(3, 2, 1), (3, 2, 3), (4, 1, 3), (2, 3, -1), (5, 2, -1)]
)
def test_which_clips_there_are(root, length, stride, step, pad_mode):
    def make(functions):
        return functions.experimental.readers.video(
            filenames=[f"{root}/x/a.webm"],
            sequence_length=length,
            stride=stride,
            step=step,
            pad_mode=pad_mode,
            enable_frame_num="sequence",
            name="reader",
        )

    compare(make)


@pytest.mark.parametrize("policy", ["partial", "pad"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_fed_videos(root, policy, size):
    videos = [np.fromfile(f"{root}/{folder}/a.webm", np.uint8) for folder in "xy"]

    def batches(module):
        functions = dali.fn if module is dali.pipeline_def else fn

        @module(batch_size=size, num_threads=1, device_id=None, prefetch_queue_depth=1)
        def pipeline():
            return functions.experimental.inputs.video(
                name="video", sequence_length=4, last_sequence_policy=policy, blocking=True
            )

        built = pipeline()
        built.build()
        for video in videos:
            built.feed_input("video", [video])
        count = sum(-(-sequences // size) for sequences in (3, 2))
        return [
            [np.array(out.at(i)) for i in range(len(out))]
            for (out,) in (built.run() for _ in range(count))
        ]

    for ours, theirs in zip(batches(pipeline_def), batches(dali.pipeline_def), strict=True):
        assert [clip.shape for clip in ours] == [clip.shape for clip in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert np.abs(one.astype(int) - other).mean() < 1


@pytest.mark.parametrize(
    "given", [lambda video: [video], lambda video: video[None], lambda video: video[None, None]]
)
def test_forms_in_which_a_video_is_fed(given):
    video = np.frombuffer(video_bytes("vp9.webm", count=10, group=4), np.uint8)

    def first(module):
        functions = dali.fn if module is dali.pipeline_def else fn

        @module(batch_size=1, num_threads=1, device_id=None)
        def pipeline():
            return functions.experimental.inputs.video(name="video", sequence_length=4)

        built = pipeline()
        built.build()
        built.feed_input("video", given(video))
        (out,) = built.run()
        return out.layout(), np.array(out.at(0))

    (layout, ours), (other, theirs) = first(pipeline_def), first(dali.pipeline_def)
    assert (layout, ours.shape) == (other, theirs.shape)
    assert np.abs(ours.astype(int) - theirs).mean() < 1
