"""The libraries that work on the CPU, and PyTorch: imported, and made to do something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

import numpy as np

from .finding import Context, Finding, Job, describe


@dataclass(frozen=True)
class Library:
    """An importable library.

    Attributes:
        module: what is imported.
        cost: what is lost without it.
        remedy: what installs it; see `Context.remedy`.
        look: tries it and returns what to say of it; an exception means that it is broken.
    """

    name: str
    module: str
    cost: str
    remedy: str
    look: Callable[[ModuleType], str]

    def probe(self, context: Context) -> Finding:
        """Import the library and look at it."""
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
    """Return a library's version; "" if it tells none."""
    top = import_module(module.__name__.split(".")[0])
    told = getattr(module, "__version__", "") or getattr(top, "__version__", "")
    distributions = [] if told else metadata.packages_distributions().get(top.__name__, [])
    return str(told) or "".join(map(metadata.version, distributions[:1]))


def picture() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return a smooth uint8 image (256, 256, 3), which JPEG keeps nearly as it is."""
    ramp = np.arange(256, dtype=np.uint8)
    return np.stack(np.broadcast_arrays(ramp[:, None], ramp[None], np.uint8(128)), axis=-1)


def check_picture(decoded: Any) -> None:
    """Raise ValueError unless `decoded` is `picture()`, but for what JPEG loses."""
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


def _pyav(av: Any) -> str:
    decoders = {"H.264": "h264", "HEVC": "hevc", "VP9": "vp9", "AV1": "libdav1d"}
    have = [name for name, codec in decoders.items() if codec in av.codecs_available]
    return f"FFmpeg {av.ffmpeg_version_info}, decodes {', '.join(have)}"


def _soundfile(soundfile: Any) -> str:
    formats = soundfile.available_formats()
    have = [name for name in ("WAV", "FLAC", "OGG", "MP3", "AIFF") if name in formats]
    return f"libsndfile {soundfile.__libsndfile_version__}, reads {', '.join(have)}"


def _crc32c(crc32c: Any) -> str:
    if crc32c.value(b"123456789") != 0xE3069283:  # the check value of CRC-32C
        raise ValueError("it computes a wrong checksum")
    return f"implementation in {crc32c.implementation.upper()}"


def _lz4(block: Any) -> str:
    if block.decompress(block.compress(b"penstock" * 100)) != b"penstock" * 100:
        raise ValueError("it does not restore what it compressed")
    return ""


def _nothing(_: ModuleType) -> str:
    return ""


_REINSTALL = "pip install --force-reinstall penstock"

LIBRARIES = (
    Library("NumPy", "numpy", "nothing works", _REINSTALL, _nothing),
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
    Library("PyAV", "av", "no video on the CPU", "pip install av", _pyav),
    Library("soundfile", "soundfile", "no audio", "pip install soundfile", _soundfile),
    Library(
        "google-crc32c",
        "google_crc32c",
        "checksums of TFRecord files are not verified",
        "pip install 'penstock[tfrecord]'",
        _crc32c,
    ),
    Library("lz4", "lz4.block", "fn.decoders.inflate: no LZ4", "pip install 'penstock[lz4]'", _lz4),
    Library(
        "fsspec",
        "fsspec",
        "URLs cannot be read, only local files",
        "pip install 'penstock[remote]'",
        _nothing,
    ),
    Library(
        "s3fs", "s3fs", "s3:// URLs cannot be read", "pip install 'penstock[remote]'", _nothing
    ),
)

PYTORCH = Library(
    "PyTorch",
    "torch",
    "no penstock.plugin.pytorch; batches as NumPy arrays only",
    "pip install 'penstock[torch]'",
    lambda torch: f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU only",
)


def pytorch(context: Context) -> Finding:
    """Look at PyTorch, and whether it sees the GPU that the driver sees."""
    found = PYTORCH.probe(context)
    if not (found.works and context.cuda) or import_module("torch").cuda.is_available():
        return found
    return Finding(
        found.name,
        "limited",
        f"{found.detail}; it sees no GPU, though the driver does",
        "batches on the GPU cannot be handed to PyTorch",
        "pip install --force-reinstall torch "
        f"--index-url https://download.pytorch.org/whl/cu{'126' if context.cuda == 12 else '130'}",
        found.values,
    )


JOBS: dict[str, Job] = {library.name: library.probe for library in LIBRARIES}
JOBS["PyTorch"] = pytorch
