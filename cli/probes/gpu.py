"""The GPU and the libraries that use it. The job "driver" comes first: without a driver, the
other libraries are not loaded, because some of them hang or crash then."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .cuda import CudaError, Driver, driver_version, video_engines
from .finding import Context, Finding, Job, Status, size_text
from .gds import cufile
from .libraries import Library, check_picture, picture

DRIVER = "NVIDIA driver"
_UNANSWERED = "no driver answers"

_NO_GPU = "nothing runs on the GPU"
_DRIVER_REMEDY = (
    "install NVIDIA's driver (580 or newer for CUDA 13, 525 for CUDA 12); "
    "in a container: docker run --gpus all"
)
_BY_CODE = {
    100: "no GPU is visible: look at `nvidia-smi -L` and the variable CUDA_VISIBLE_DEVICES",
    802: "systemctl start nvidia-fabricmanager",  # the GPUs of an NVSwitch machine wait for it
    803: "reboot: the driver's library and its kernel module have different versions",
    804: "the GPU's driver is too old for the CUDA library in use: update the driver",
}
_NVJPEG = "pip install 'nvidia-nvimgcodec-cu{cuda}[nvjpeg]'"


def driver(_: Context) -> Finding:
    """Look for libcuda before anything else."""
    try:
        version = Driver().cuda_version()
    except OSError:
        return Finding(DRIVER, "missing", "no libcuda.so.1", _NO_GPU, _DRIVER_REMEDY)
    except CudaError as error:
        remedy = _BY_CODE.get(error.code, _DRIVER_REMEDY)
        return Finding(DRIVER, "broken", str(error), _NO_GPU, remedy)
    number = driver_version()
    cuda = ".".join(map(str, version))
    return Finding(
        DRIVER,
        "ok",
        f"{number or 'version unknown'}, CUDA {cuda}",
        values={"version": number, "cuda": list(version)},
    )


def devices(context: Context) -> Finding:
    """List the GPUs."""
    if not context.cuda:
        return _no_driver("GPUs", _NO_GPU)
    found = Driver().devices()
    if not found:
        return Finding("GPUs", "missing", "the driver sees none", _NO_GPU, _BY_CODE[100])
    kinds = Counter(
        f"{device.name} ({size_text(device.memory)}, compute capability {device.capability})"
        for device in found
    )
    text = ", ".join(f"{count} x {kind}" for kind, count in kinds.items())
    return Finding("GPUs", "ok", text, values={"devices": [asdict(device) for device in found]})


def _cupy(cupy: Any) -> str:
    """Compile and run a kernel of ours and one of CuPy's, which needs CUDA's headers."""
    numbers = cupy.arange(32, dtype=cupy.int32)
    source = 'extern "C" __global__ void twice(int* x) { x[threadIdx.x] *= 2; }'
    cupy.RawKernel(source, "twice")((1,), (32,), (numbers,))
    if (total := int(cupy.sum(numbers))) != 992:
        raise ValueError(f"kernels compute wrongly: {total} instead of 992")
    return f"{_cuda(cupy.cuda.runtime.runtimeGetVersion())}, compiles kernels"


def _cuda(version: int) -> str:
    """Return the text of CUDART_VERSION."""
    return f"CUDA {version // 1000}.{version % 1000 // 10}"


def _decode(module: Any, *kinds: str) -> None:
    """Decode a JPEG on the GPU with these backends only; raise unless it comes out right."""
    import simplejpeg

    backends = [module.Backend(getattr(module.BackendKind, kind)) for kind in kinds]
    decoder = module.Decoder(device_id=0, backends=backends)
    image = decoder.decode(simplejpeg.encode_jpeg(picture(), colorsubsampling="420"))
    if image is None:
        raise ValueError("it decodes no JPEG on the GPU; nvJPEG may be missing")
    check_picture(image.cpu())


def _nvimgcodec(module: Any) -> str:
    _decode(module, "GPU_ONLY", "HYBRID_CPU_GPU")
    return _cuda(module.__cuda_version__)


_CUPY = Library("CuPy", "cupy", _NO_GPU, "pip install 'penstock[cuda{cuda}]'", _cupy)
_NVIMGCODEC = Library(
    "nvImageCodec",
    "nvidia.nvimgcodec",
    "no images are decoded on the GPU: device='mixed' does not work",
    _NVJPEG,
    _nvimgcodec,
)
_KVIKIO = Library(
    "KvikIO",
    "kvikio",
    "files reach the GPU through NumPy: 3 instead of 26 GB/s (H200, cached files)",
    "pip install kvikio-cu{cuda}",
    lambda _: f"{import_module('kvikio.defaults').get('num_threads')} threads by default",
)
_PYNVVIDEOCODEC = Library(
    "PyNvVideoCodec",
    "PyNvVideoCodec",
    "video cannot be decoded into GPU memory",
    "pip install PyNvVideoCodec",
    lambda _: "",
)


def _library(library: Library, context: Context) -> Finding:
    """Look at the library where a driver answers, and else only for it."""
    os.environ.setdefault("PYNVIMGCODEC_VERBOSITY", "0")
    top = library.module.split(".")[0]
    if context.cuda or find_spec(top) is None or find_spec(library.module) is None:
        return library.probe(context)
    return _no_driver(library.name, library.cost, "broken", f"installed, but {_UNANSWERED}")


def _no_driver(
    name: str, cost: str, status: Status = "missing", detail: str = _UNANSWERED
) -> Finding:
    return Finding(name, status, detail, cost, f"see {DRIVER}")


def hardware_jpeg(context: Context) -> Finding:
    """Ask the GPU's JPEG engine for an image."""
    name = "hardware JPEG engine"
    cost = "JPEG files are decoded by CUDA cores and the CPU: about half as fast"
    if not context.cuda:
        return _no_driver(name, cost)
    try:
        from nvidia import nvimgcodec
    except ImportError:
        return Finding(name, "missing", "needs nvImageCodec", cost, "see nvImageCodec")
    try:
        _decode(nvimgcodec, "HW_GPU_ONLY")
    except Exception as error:
        detail = f"it does not answer ({error}); A30, A100, H100 and H200 have one"
        return Finding(name, "missing", detail, cost)
    return Finding(name, "ok", "answers")


def nvdec(context: Context) -> Finding:
    """Ask NVDEC which codecs it decodes."""
    cost = "video is decoded by the CPU"
    if not context.cuda:
        return _no_driver("NVDEC", cost)
    try:
        engines = video_engines()
    except OSError:
        remedy = "in a container: docker run -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,video"
        return Finding("NVDEC", "missing", "no libnvcuvid.so.1", cost, remedy)
    except CudaError as error:
        return Finding("NVDEC", "broken", str(error), cost)
    if not engines:
        return Finding("NVDEC", "missing", "this GPU has no video decoder", cost)
    text = f"{', '.join(engines)}; engines: {max(engines.values())}"
    return Finding("NVDEC", "ok", text, values={"engines": engines})


JOBS: dict[str, Job] = {
    DRIVER: driver,
    "GPUs": devices,
    "CuPy": partial(_library, _CUPY),
    "nvImageCodec": partial(_library, _NVIMGCODEC),
    "hardware JPEG engine": hardware_jpeg,
    "KvikIO": partial(_library, _KVIKIO),
    "cuFile": cufile,
    "NVDEC": nvdec,
    "PyNvVideoCodec": partial(_library, _PYNVVIDEOCODEC),
}
