"""Probes that import the CPU's libraries and PyTorch, and try one function of each library."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

import numpy as np

from ...engine.errors import install_hint
from .finding import Context, Finding, Job, describe


@dataclass(frozen=True)
class Library:
    """An importable library.

    Attributes:
        module: name of the module to import.
        cost: consequence for the user if the library is missing.
        remedy: command that installs the library; see `Context.remedy`.
        look: function that tries the library and returns a description. An exception means that
            the library is broken.
    """

    name: str
    module: str
    cost: str
    remedy: str
    look: Callable[[ModuleType], str]

    def probe(self, context: Context) -> Finding:
        """Import the library and try it."""
        remedy = context.remedy(self.remedy)
        try:
            module = import_module(self.module)
            detail = self.look(module)
        except ModuleNotFoundError as error:
            if error.name and self.module.startswith(error.name):
                return Finding(self.name, "missing", "not installed", self.cost, remedy)
            return Finding(self.name, "broken", describe(error), self.cost, remedy)
        except Exception as error:  # whatever a broken installation raises
            return Finding(self.name, "broken", describe(error), self.cost, remedy)
        version = version_of(module)
        return Finding(
            self.name,
            "ok",
            ", ".join(filter(None, (version, detail))),
            values={"version": version},
        )


def version_of(module: ModuleType) -> str:
    """Return a library's version; "" if the library gives none."""
    top = import_module(module.__name__.split(".")[0])
    stated = getattr(module, "__version__", "") or getattr(top, "__version__", "")
    distributions = [] if stated else metadata.packages_distributions().get(top.__name__, [])
    return str(stated) or "".join(map(metadata.version, distributions[:1]))


def picture() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a smooth uint8 image (256, 256, 3), which JPEG compression hardly changes."""
    ramp = np.arange(256, dtype=np.uint8)
    return np.stack(np.broadcast_arrays(ramp[:, None], ramp[None], np.uint8(128)), axis=-1)


def check_picture(decoded: Any) -> None:
    """Raise ValueError unless `decoded` is `picture()` up to JPEG's losses."""
    off = np.abs(np.asarray(decoded).astype(int) - picture()).max()
    if off > 16:
        raise ValueError(f"it decodes a photograph wrongly, by up to {off} of 255")


def _opencv(cv2: Any) -> str:
    if not (cv2.imdecode(cv2.imencode(".png", picture())[1], 1) == picture()).all():
        raise ValueError("it decodes a PNG wrongly")
    return f"{cv2.getNumThreads()} threads"


def _simplejpeg(simplejpeg: Any) -> str:
    check_picture(simplejpeg.decode_jpeg(simplejpeg.encode_jpeg(picture())))
    return ""


def _imagecodecs(imagecodecs: Any) -> str:
    encoded = imagecodecs.jpeg2k_encode(picture(), level=0, reversible=True)
    if not (imagecodecs.jpeg2k_decode(encoded) == picture()).all():
        raise ValueError("it does not restore the JPEG 2000 file that it wrote")
    return ""


def _tifffile(tifffile: Any) -> str:
    stream = io.BytesIO()
    tifffile.imwrite(stream, picture(), photometric="rgb", compression="lzw")
    stream.seek(0)
    if not (tifffile.imread(stream) == picture()).all():
        raise ValueError("it does not restore the TIFF that it wrote")
    return ""


def _crc32c(crc32c: Any) -> str:
    if crc32c.crc32c(b"123456789") != 0xE3069283:  # the check value of CRC-32C
        raise ValueError("it computes a wrong checksum")
    return f"by the processor's instruction: {'yes' if crc32c.hardware_based else 'no'}"


def _lz4(block: Any) -> str:
    if block.decompress(block.compress(b"penstock" * 100)) != b"penstock" * 100:
        raise ValueError("it does not restore what it compressed")
    return ""


def _soundfile(soundfile: Any) -> str:
    signal = (np.arange(-1000, 1000) * 16).astype(np.int16)
    stream = io.BytesIO()
    soundfile.write(stream, signal, 16000, format="FLAC")
    stream.seek(0)
    if not np.array_equal(soundfile.read(stream, dtype="int16")[0], signal):
        raise ValueError("it does not restore the FLAC file that it wrote")
    return f"libsndfile {soundfile.__libsndfile_version__}"


def _miniaudio(miniaudio: Any) -> str:
    if not hasattr(miniaudio.lib, "ma_dr_flac_open_memory"):
        raise ValueError("it does not offer dr_flac")
    return ""


def _nothing(_: ModuleType) -> str:
    return ""


_REINSTALL = "pip install --force-reinstall"

LIBRARIES = (
    Library("NumPy", "numpy", "nothing works", f"{_REINSTALL} numpy", _nothing),
    Library(
        "OpenCV",
        "cv2",
        "no images but JPEG; no resizing, no warping",
        f"{_REINSTALL} opencv-python-headless",
        _opencv,
    ),
    Library(
        "simplejpeg",
        "simplejpeg",
        "JPEG files cannot be decoded on the CPU",
        f"{_REINSTALL} simplejpeg",
        _simplejpeg,
    ),
    Library(
        "imagecodecs",
        "imagecodecs",
        "TIFF and JPEG 2000 files cannot be decoded",
        install_hint("images"),
        _imagecodecs,
    ),
    Library(
        "tifffile",
        "tifffile",
        "TIFF files cannot be decoded",
        install_hint("images"),
        _tifffile,
    ),
    Library(
        "crc32c",
        "crc32c",
        "checksums of TFRecord files are not verified",
        install_hint("tfrecord"),
        _crc32c,
    ),
    Library(
        "soundfile",
        "soundfile",
        "no audio but WAV files of plain samples",
        install_hint("audio"),
        _soundfile,
    ),
    Library(
        "miniaudio",
        "miniaudio",
        "FLAC files take twice as long to decode",
        install_hint("audio"),
        _miniaudio,
    ),
    Library("lz4", "lz4.block", "fn.decoders.inflate: no LZ4", install_hint("lz4"), _lz4),
    Library(
        "fsspec",
        "fsspec",
        "URLs cannot be read, only local files",
        install_hint("remote"),
        _nothing,
    ),
    Library("s3fs", "s3fs", "s3:// URLs cannot be read", install_hint("remote"), _nothing),
)

PYTORCH = Library(
    "PyTorch",
    "torch",
    "no penstock.plugin.pytorch; batches as NumPy arrays only",
    install_hint("torch"),
    lambda torch: f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU only",
)


def pytorch(context: Context) -> Finding:
    """Try PyTorch, and compare the GPUs that PyTorch and the driver see."""
    result = PYTORCH.probe(context)
    if not (result.works and context.cuda) or import_module("torch").cuda.is_available():
        return result
    return Finding(
        result.name,
        "limited",
        f"{result.detail}; it sees no GPU, though the driver does",
        "batches on the GPU cannot be handed to PyTorch",
        "pip install --force-reinstall torch "
        f"--index-url https://download.pytorch.org/whl/cu{'126' if context.cuda == 12 else '130'}",
        result.values,
    )


JOBS: dict[str, Job] = {library.name: library.probe for library in LIBRARIES}
JOBS["PyTorch"] = pytorch
