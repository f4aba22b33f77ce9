"""Each reader and each decoder once, with whatever releases of the libraries are installed.

The tests need pytest and Penstock's extras alone. So they run with the lowest releases that
pyproject.toml admits, and with each release of Python.
"""

from __future__ import annotations

import http.server
import json
import threading
import warnings

import numpy as np
import pytest

from penstock import Pipeline, datasets, fn
from penstock.engine.graph.operator import OPERATORS
from penstock.readers.storage.opening import open_storage

from . import data
from .data import CLASSES, PER_CLASS, SIZE

TOTAL = len(CLASSES) * PER_CLASS


def run(define, batch_size=TOTAL):
    """Run one batch; return the rows of each output."""
    with Pipeline(batch_size=batch_size, num_threads=2) as pipe:
        outputs = define()
        pipe.set_outputs(*(outputs if isinstance(outputs, list | tuple) else (outputs,)))
    with pipe:
        return [[np.array(row) for row in output.as_cpu().rows()] for output in pipe.run()]


def images_of(define):
    """Decode the first output of a reader."""

    def decoded():
        outputs = define()
        return fn.decoders.image(outputs[0] if isinstance(outputs, list | tuple) else outputs)

    return decoded


def check_images(images):
    for image in images:
        assert image.shape == (*SIZE, 3)
        assert np.abs(image[..., 2].astype(int) - data.picture(0)[..., 0]).max() < 12


def features():
    from penstock import tfrecord

    return {
        "image": tfrecord.FixedLenFeature((), tfrecord.string, ""),
        "label": tfrecord.FixedLenFeature([1], tfrecord.int64, -1),
    }


def _shards(folder):
    return sorted(str(path) for path in folder.glob("shard-*") if path.suffix != ".idx")


# The readers of samples that hold a picture: the format of `penstock convert`, and the call.
PICTURES = {
    "readers.file": ("folder", lambda at: fn.readers.file(file_root=at)),
    "readers.tfrecord": (
        "tfrecord",
        lambda at: fn.readers.tfrecord(path=_shards(at), features=features())["image"],
    ),
    "readers.mxnet": (
        "recordio",
        lambda at: fn.readers.mxnet(path=sorted(map(str, at.glob("*.rec")))),
    ),
    "readers.webdataset": (
        "webdataset",
        lambda at: fn.readers.webdataset(paths=_shards(at), ext=["jpg"]),
    ),
    "readers.parquet": (
        "parquet",
        lambda at: fn.readers.parquet(path=_shards(at), columns=["image"]),
    ),
    "readers.lmdb": ("lmdb", lambda at: fn.readers.lmdb(path=_shards(at), ext=["jpg"])),
    "readers.caffe": (
        "caffe",
        lambda at: fn.readers.caffe(path=sorted(map(str, at.glob("shard-*")))),
    ),
    "readers.caffe2": (
        "caffe2",
        lambda at: fn.readers.caffe2(path=sorted(map(str, at.glob("shard-*")))),
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_readers_of_pictures(name, tmp_path):
    to, read = PICTURES[name]
    (images,) = run(images_of(lambda: read(data.converted(tmp_path, to))))
    assert len(images) == TOTAL
    check_images(images)


def _coco(root):
    images, annotations = data.coco(root)
    return fn.readers.coco(file_root=images, annotations_file=annotations)


def _numpy(root):
    np.save(root / "a.npy", np.arange(24.0).reshape(4, 6))
    return fn.readers.numpy(file_root=root, files=["a.npy"], roi_start=[1, 2], roi_shape=[2, 3])


def _folders(root):
    return fn.readers.file(file_root=data.class_folder(root / "images"))


def _fits(root):
    from astropy.io import fits

    hdu = fits.CompImageHDU(np.arange(100 * 100, dtype=np.int16).reshape(100, 100))
    hdu.writeto(root / "a.fits")
    return fn.experimental.readers.fits(file_root=root, files=["a.fits"], hdu_indices=[2])


def _video_file(root):
    path = root / "a.mp4"
    path.write_bytes(data.video())
    return str(path)


def _mds(root):
    """Write a data set of one sample, which mosaicml-streaming would write."""
    value = np.array([8], "<u4").tobytes() + b"penstock"
    content = np.array([1, 12, 12 + len(value)], "<u4").tobytes() + value
    shard = {"version": 2, "format": "mds", "samples": 1, "compression": None, "zip_data": None}
    shard |= {"column_names": ["x"], "column_encodings": ["bytes"], "column_sizes": [None]}
    shard["raw_data"] = {"basename": "a.mds", "bytes": len(content), "hashes": {}}
    (root / "a.mds").write_bytes(content)
    (root / "index.json").write_text(json.dumps({"version": 2, "shards": [shard]}))
    return fn.readers.mds(path=str(root), columns="x")


# The other readers: the call, and the shape of the first sample of the first output.
OTHERS = {
    "readers.coco": (_coco, None),
    "readers.numpy": (_numpy, (2, 3)),
    "readers.mds": (_mds, (8,)),
    "readers.mix": (lambda root: fn.readers.mix({"images": _folders(root)}), None),
    "readers.map_dataset": (
        lambda root: fn.readers.map_dataset([np.zeros((2, 3)), np.ones((1, 3))]),
        (2, 3),
    ),
    "readers.balance": (lambda root: fn.readers.balance(_folders(root)), None),
    "readers.pack": (
        lambda root: fn.readers.pack(_folders(root)[0], length=1 << 20),
        (1 << 20,),
    ),
    "experimental.readers.fits": (_fits, (100, 100)),
    "readers.nemo_asr": (
        lambda root: fn.readers.nemo_asr(manifest_filepaths=[str(data.speech(root))]),
        (8000,),
    ),
    "readers.sequence": (
        lambda root: fn.readers.sequence(
            file_root=data.class_folder(root / "frames"), sequence_length=2
        ),
        (2, *SIZE, 3),
    ),
    "readers.video": (
        lambda root: fn.readers.video(filenames=[_video_file(root)], sequence_length=3),
        (3, 48, 64, 3),
    ),
    "readers.video_resize": (
        lambda root: fn.readers.video_resize(
            filenames=[_video_file(root)], sequence_length=2, size=20
        ),
        (2, 20, 20, 3),
    ),
    "experimental.readers.video": (
        lambda root: fn.experimental.readers.video(
            filenames=[_video_file(root)], sequence_length=3
        ),
        (3, 48, 64, 3),
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_readers(name, tmp_path):
    read, shape = OTHERS[name]
    first, *_ = run(lambda: read(tmp_path), batch_size=1)
    assert first[0].size > 0
    if shape is not None:
        assert first[0].shape == shape


def test_every_reader_is_tried():
    fn.readers.file  # noqa: B018  (enters the readers in the table)
    known = {name for name in OPERATORS if "readers." in name and not name.startswith("_")}
    tried = PICTURES.keys() | OTHERS.keys()
    untried, unknown = sorted(known - tried), sorted(tried - known)
    assert not untried, (
        f"no test calls {untried}; add a call and the shape of its first output to OTHERS, or a "
        "reader of pictures that `penstock convert` writes to PICTURES"
    )
    assert not unknown, f"there are no readers {unknown}; remove them from PICTURES and OTHERS"


@pytest.mark.parametrize(
    "extension", [".jpg", ".png", ".bmp", ".ppm", ".webp", ".tiff", ".gif", ".heic"]
)
def test_image_formats(extension):
    content = np.frombuffer(data.encoded(extension), np.uint8)
    images, crops = run(
        lambda: [
            fn.decoders.image(np.array(content)),
            fn.decoders.image_crop(np.array(content), crop=(8, 8)),
        ],
        batch_size=1,
    )
    expected = data.picture(1)
    assert np.abs(images[0].astype(int) - expected[..., ::-1]).max() < 14
    assert crops[0].shape == (8, 8, 3)


@pytest.mark.parametrize("container", ["WAV", "FLAC", "OGG", "MP3", "AIFF"])
def test_audio_formats(container):
    content = np.frombuffer(data.sound(container), np.uint8)
    signals, rates = run(lambda: fn.decoders.audio(np.array(content), downmix=True), 1)
    assert rates[0] == 16000
    tone = np.sin(np.arange(8000) * 0.1) / 2
    assert np.abs(signals[0] - tone).max() < 0.1


@pytest.mark.parametrize(
    ("codec", "container"), [("libx264", "mp4"), ("mpeg4", "avi"), ("libvpx-vp9", "webm")]
)
def test_video_formats(codec, container):
    content = np.frombuffer(data.video(codec, container), np.uint8)
    frames, last = run(
        lambda: [
            fn.decoders.video(np.array(content)),
            fn.decoders.video(np.array(content), start_frame=9, sequence_length=2),
        ],
        batch_size=1,
    )
    assert frames[0].shape == (12, 48, 64, 3)
    assert abs(int(last[0][1, 24, 32, 0]) - 200) < 12


def test_inflate():
    import lz4.block

    content = b"penstock " * 100
    packed = np.frombuffer(lz4.block.compress(content, store_size=False), np.uint8)
    (inflated,) = run(
        lambda: fn.decoders.inflate(np.array(packed), shape=[len(content)], algorithm="LZ4"), 1
    )
    assert inflated[0].tobytes() == content


@pytest.mark.parametrize("to", ["tfrecord", "recordio", "lmdb", "webdataset", "parquet", "caffe"])
def test_conversion_and_verification(to, tmp_path):
    target = data.converted(tmp_path, to)
    report = datasets.verify(tmp_path / "folder", target)
    assert report.samples == report.other_samples == TOTAL
    assert not any(report.counts.values())
    assert len(datasets.open_dataset(target)) == TOTAL


def test_torch():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from penstock.plugin.pytorch import DALIGenericIterator

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with Pipeline(batch_size=2, num_threads=1) as pipe:
            pipe.set_outputs(fn.random.uniform(shape=[3]))
        assert next(iter(DALIGenericIterator(pipe, ["x"], size=2)))[0]["x"].shape == (2, 3)


class _Ranges(http.server.BaseHTTPRequestHandler):
    """Serves one file, as a whole or the range that is asked for."""

    content = b""

    def do_GET(self):
        first, last = 0, len(self.content) - 1
        if wanted := self.headers.get("Range"):
            start, end = wanted.removeprefix("bytes=").split("-")
            first, last = int(start), min(int(end), last)
        self.send_response(206 if wanted else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(self.content)}")
        self.end_headers()
        self.wfile.write(self.content[first : last + 1])

    def log_message(self, *_):
        pass


def test_urls():
    content = data.encoded(".jpg")
    handler = type("Handler", (_Ranges,), {"content": content})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/a.jpg"
            (images,) = run(images_of(lambda: fn.readers.file(files=[url])), batch_size=1)
            check_images(images)
            storage = open_storage(url)
            read = storage.read(np.array([5]), np.array([7]), np.empty)
            assert read[0].tobytes() == content[5:12]
        finally:
            server.shutdown()
