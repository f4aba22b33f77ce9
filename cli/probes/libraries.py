"""Probes that import the CPU's libraries and the frameworks, and try a function of most of them.

The release of each library is compared with those that Penstock admits, as its metadata state them.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module, metadata
from types import ModuleType
from typing import Any

import numpy as np

from ...engine.errors import install_hint, requirements
from .finding import Context, Finding, Job, Status, describe


def _nothing(_: ModuleType) -> str:
    return ""


@dataclass(frozen=True)
class Library:
    """An importable library.

    Attributes:
        module: name of the module to import.
        cost: consequence for the user if the library is missing.
        extra: the part of Penstock that brings the library; "" for the part that all users have.
        look: function that tries the library and returns a description. An exception means that
            the library is broken.
        package: name of the distribution, if it is not the module's; "{cuda}" in it and in `extra`
            is the driver's major version of CUDA.
    """

    name: str
    module: str
    cost: str
    extra: str = ""
    look: Callable[[ModuleType], str] = _nothing
    package: str = ""

    @property
    def distribution(self) -> str:
        """Name of the distribution."""
        return self.package or self.module.partition(".")[0]

    def probe(self, context: Context) -> Finding:
        """Import the library and try it."""
        bounds = self.bounds(context)
        remedy = self.remedy(context)
        try:
            module = import_module(self.module)
            version = version_of(module)
            fit = compared(version, bounds)
            detail = "" if fit == "too old" else self.look(module)
        except ModuleNotFoundError as error:
            if error.name and self.module.startswith(error.name):
                return Finding(self.name, "missing", "not installed", self.cost, remedy)
            return Finding(self.name, "broken", describe(error), self.cost, remedy)
        except Exception as error:  # whatever a broken installation raises
            return Finding(self.name, "broken", describe(error), self.cost, remedy)
        values = {"version": version}
        if fit:
            detail = f"{version} is {fit}: Penstock needs {bounds}"
            status: Status = "broken" if fit == "too old" else "limited"
            cost = self.cost if fit == "too old" else "no test has seen this release"
            return Finding(self.name, status, detail, cost, remedy, values)
        return Finding(self.name, "ok", ", ".join(filter(None, (version, detail))), values=values)

    def bounds(self, context: Context) -> str:
        """Return the releases that Penstock admits, such as "<3,>=1.26"; "" for any."""
        name = context.with_cuda(self.distribution)
        admitted = requirements(context.with_cuda(self.extra))
        return next((b for key, b in admitted.items() if key.partition("[")[0] == name), "")

    def remedy(self, context: Context) -> str:
        """Return the command that installs the library."""
        if self.extra:
            return install_hint(context.with_cuda(self.extra))
        return f"pip install --force-reinstall '{self.distribution}{self.bounds(context)}'"


def compared(version: str, bounds: str) -> str:
    """Return whether a release is "too old" or "too new" for bounds; "" if it fits.

    >>> compared("4.10.0", "<6,>=4.13"), compared("6.1", "<6,>=4.13"), compared("5.0", "<6,>=4.13")
    ('too old', 'too new', '')
    """
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        release = Version(version)
    except InvalidVersion:  # of a library that states none
        return ""
    failed = [
        clause for clause in SpecifierSet(bounds) if not clause.contains(release, prereleases=True)
    ]
    if not failed:
        return ""
    return "too old" if any(clause.operator.startswith(">") for clause in failed) else "too new"


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


def check_picture(decoded: object) -> None:
    """Raise ValueError unless `decoded` is `picture()` up to JPEG's losses."""
    off = np.abs(np.asarray(decoded).astype(int) - picture()).max()
    if off > 16:
        raise ValueError(f"it decodes a photograph wrongly, by up to {off} of 255")


def _opencv(cv2: ModuleType) -> str:
    if not (cv2.imdecode(cv2.imencode(".png", picture())[1], 1) == picture()).all():
        raise ValueError("it decodes a PNG wrongly")
    return f"{cv2.getNumThreads()} threads"


def _simplejpeg(simplejpeg: ModuleType) -> str:
    check_picture(simplejpeg.decode_jpeg(simplejpeg.encode_jpeg(picture())))
    return ""


def _imagecodecs(imagecodecs: ModuleType) -> str:
    encoded = imagecodecs.jpeg2k_encode(picture(), level=0, reversible=True)
    if not (imagecodecs.jpeg2k_decode(encoded) == picture()).all():
        raise ValueError("it does not restore the JPEG 2000 file that it wrote")
    return ""


def _pillow(image: ModuleType) -> str:
    stream = io.BytesIO()
    image.fromarray(picture()[..., 0]).save(stream, "GIF")
    if not (np.asarray(image.open(stream).convert("L")) == picture()[..., 0]).all():
        raise ValueError("it does not restore the GIF that it wrote")
    return ""


def _pillow_heif(pillow_heif: ModuleType) -> str:
    stream = io.BytesIO()
    pillow_heif.encode("RGB", (256, 256), picture().tobytes(), stream, quality=95)
    check_picture(pillow_heif.open_heif(stream.getvalue()))
    return f"libheif {pillow_heif.libheif_version()}"


def _tifffile(tifffile: ModuleType) -> str:
    stream = io.BytesIO()
    tifffile.imwrite(stream, picture(), photometric="rgb", compression="lzw")
    stream.seek(0)
    if not (tifffile.imread(stream) == picture()).all():
        raise ValueError("it does not restore the TIFF that it wrote")
    return ""


def _crc32c(crc32c: ModuleType) -> str:
    if crc32c.crc32c(b"123456789") != 0xE3069283:  # the check value of CRC-32C
        raise ValueError("it computes a wrong checksum")
    return f"by the processor's instruction: {'yes' if crc32c.hardware_based else 'no'}"


def _lz4(block: ModuleType) -> str:
    if block.decompress(block.compress(b"penstock" * 100)) != b"penstock" * 100:
        raise ValueError("it does not restore what it compressed")
    return ""


def _soundfile(soundfile: ModuleType) -> str:
    signal = (np.arange(-1000, 1000) * 16).astype(np.int16)
    stream = io.BytesIO()
    soundfile.write(stream, signal, 16000, format="FLAC")
    stream.seek(0)
    if not np.array_equal(soundfile.read(stream, dtype="int16")[0], signal):
        raise ValueError("it does not restore the FLAC file that it wrote")
    return f"libsndfile {soundfile.__libsndfile_version__}"


def _miniaudio(miniaudio: ModuleType) -> str:
    if not hasattr(miniaudio.lib, "ma_dr_flac_open_memory"):
        raise ValueError("it does not offer dr_flac")
    return ""


def _pyav(av: ModuleType) -> str:
    versions = getattr(av, "library_versions", {})
    return "FFmpeg's libavcodec " + ".".join(map(str, versions.get("libavcodec", ("?",))))


LIBRARIES = (
    Library("NumPy", "numpy", "nothing works"),
    Library(
        "OpenCV",
        "cv2",
        "no images but JPEG; no resizing, no warping",
        look=_opencv,
        package="opencv-python-headless",
    ),
    Library(
        "simplejpeg", "simplejpeg", "JPEG files cannot be decoded on the CPU", look=_simplejpeg
    ),
    Library("BLAKE3", "blake3", "no cache of decoded images; no images on the GPU"),
    Library(
        "imagecodecs", "imagecodecs", "no TIFF, JPEG 2000, AVIF or JPEG XL", "images", _imagecodecs
    ),
    Library("Pillow", "PIL.Image", "no GIF", "images", _pillow, package="pillow"),
    Library("pillow-heif", "pillow_heif", "no HEIC", "images", _pillow_heif, package="pillow-heif"),
    Library("tifffile", "tifffile", "no TIFF", "images", _tifffile),
    Library(
        "soundfile", "soundfile", "no audio but WAV files of plain samples", "audio", _soundfile
    ),
    Library(
        "miniaudio", "miniaudio", "FLAC files take twice as long to decode", "audio", _miniaudio
    ),
    Library("PyAV", "av", "no videos; no AAC and no M4A", "video", _pyav),
    Library(
        "crc32c", "crc32c", "checksums of TFRecord files are not verified", "tfrecord", _crc32c
    ),
    Library("PyArrow", "pyarrow", "no Parquet", "parquet"),
    Library("lmdb", "lmdb", "no LMDB databases are written", "lmdb"),
    Library("orjson", "orjson", "no server; COCO opens more slowly", "coco"),
    Library("Astropy", "astropy", "no compressed images in FITS files", "fits"),
    Library("lz4", "lz4.block", "fn.decoders.inflate: no LZ4", "lz4", _lz4),
    Library("obstore", "obstore", "no http://, s3://, gs:// and az:// URLs", "remote"),
    Library("fsspec", "fsspec", "no ftp:// and sftp:// URLs", "remote"),
    Library("aiohttp", "aiohttp", "no server", "serve"),
    Library("huggingface_hub", "huggingface_hub", "no hf:// names", "hub"),
    Library("PyYAML", "yaml", "no README.md of data sets is read", "hub", package="pyyaml"),
    Library("cloudpickle", "cloudpickle", "Pipeline.serialize: no functions of programs", "pickle"),
    Library("Numba", "numba", "no penstock.plugin.numba", "numba"),
    Library("Ray", "ray", "penstock convert: no --engine ray", "ray"),
    Library("Dask", "distributed", "penstock convert: no --engine dask", "dask"),
    Library("TensorFlow", "tensorflow", "no penstock.plugin.tf", "tensorflow"),
    Library("JAX", "jax", "no penstock.plugin.jax", "jax"),
    Library("CLU", "clu", "no penstock.plugin.jax.clu", "jax-clu"),
    Library("Keras", "keras", "no penstock.plugin.keras", "keras"),
    Library("Paddle", "paddle", "no penstock.plugin.paddle", "paddle", package="paddlepaddle"),
)

PYTORCH = Library(
    "PyTorch",
    "torch",
    "no penstock.plugin.pytorch; batches as NumPy arrays only",
    "torch",
    lambda torch: f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU only",
)


def pytorch(context: Context) -> Finding:
    """Try PyTorch, and compare the GPUs that PyTorch and the driver see."""
    result = PYTORCH.probe(context)
    if result.status == "missing":
        # pip's own choice is a CUDA build of 5 GB, also where there is no GPU.
        return replace(result, remedy=f"pip install torch {_index(context)}")
    if not (result.works and context.cuda) or import_module("torch").cuda.is_available():
        return result
    return Finding(
        result.name,
        "limited",
        f"{result.detail}; it sees no GPU, though the driver does",
        "batches on the GPU cannot be handed to PyTorch",
        f"pip install --force-reinstall torch {_index(context)}",
        result.values,
    )


def _index(context: Context) -> str:
    """Return pip's option for PyTorch's build for this machine."""
    build = {0: "cpu", 12: "cu126"}.get(context.cuda, "cu130")
    return f"--index-url https://download.pytorch.org/whl/{build}"


JOBS: dict[str, Job] = {library.name: library.probe for library in LIBRARIES}
JOBS["PyTorch"] = pytorch
