"""The GPU and the libraries that use it.

The job "driver" comes first. If no driver answers, the other jobs do not run, because some of the
libraries hang or crash without a driver.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from functools import partial
from importlib import import_module
from types import ModuleType

from ...engine.gpu.driver import CONNECTIONS, has_few_connections
from ..console import size_text
from .cuda import CudaError, Driver, driver_version
from .finding import Context, Finding, Job
from .flow import NAME as FLOW
from .flow import flow_engine
from .gds import cufile
from .libraries import Library, check_picture, picture
from .videos import NAME, video_decoder

DRIVER = "NVIDIA driver"

_NO_GPU = "nothing runs on the GPU"
_DRIVER_REMEDY = (
    "install NVIDIA's driver (580 or newer for CUDA 13, 525 or newer for CUDA 12); "
    "in a container: docker run --gpus all"
)
_BY_CODE = {
    100: "check `nvidia-smi -L` and the variable CUDA_VISIBLE_DEVICES",
    802: "systemctl start nvidia-fabricmanager",  # GPUs behind NVSwitch need it
    803: "reboot: the driver's library and its kernel module have different versions",
    804: "the GPU's driver is too old for the CUDA library in use: update the driver",
}
_EXTRA = "cuda{cuda}"

ENOUGH_CONNECTIONS = 20
"""nvJPEG has fourteen CUDA streams, and a pipeline three; the others are those of the program."""


def driver(_: Context) -> Finding:
    """Load libcuda and ask for its version."""
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


def devices(_: Context) -> Finding:
    """List the GPUs."""
    gpus = Driver().devices()
    if not gpus:
        return Finding("GPUs", "missing", "the driver sees none", _NO_GPU, _BY_CODE[100])
    models = Counter(
        f"{gpu.name} ({size_text(gpu.memory)}, compute capability {gpu.capability})" for gpu in gpus
    )
    text = ", ".join(f"{count} x {model}" for model, count in models.items())
    return Finding("GPUs", "ok", text, values={"devices": [asdict(gpu) for gpu in gpus]})


def _cupy(cupy: ModuleType) -> str:
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


def _decode(module: ModuleType, *backend_names: str) -> None:
    """Decode a JPEG on the GPU with these backends only; raise ValueError if pixels are wrong."""
    import simplejpeg

    backends = [module.Backend(getattr(module.BackendKind, name)) for name in backend_names]
    decoder = module.Decoder(device_id=0, backends=backends)
    image = decoder.decode(simplejpeg.encode_jpeg(picture(), colorsubsampling="420"))
    if image is None:
        raise ValueError("it decodes no JPEG on the GPU; nvJPEG may be missing")
    check_picture(image.cpu())


def _nvimgcodec(module: ModuleType) -> str:
    _decode(module, "GPU_ONLY", "HYBRID_CPU_GPU")
    return _cuda(module.__cuda_version__)


CUPY = Library("CuPy", "cupy", _NO_GPU, _EXTRA, _cupy, "cupy-cuda{cuda}x")
NVIMGCODEC = Library(
    "nvImageCodec",
    "nvidia.nvimgcodec",
    "no images are decoded on the GPU: device='mixed' does not work",
    _EXTRA,
    _nvimgcodec,
    "nvidia-nvimgcodec-cu{cuda}",
)
KVIKIO = Library(
    "KvikIO",
    "kvikio",
    "fn.readers.numpy(device='gpu') never uses GPUDirect Storage",
    _EXTRA,
    lambda _: f"{import_module('kvikio.defaults').get('num_threads')} threads by default",
    "kvikio-cu{cuda}",
)


def _library(library: Library, context: Context) -> Finding:
    os.environ.setdefault("PYNVIMGCODEC_VERBOSITY", "0")
    return library.probe(context)


def hardware_jpeg(_: Context) -> Finding:
    """Ask the GPU's JPEG engine for an image."""
    name = "hardware JPEG engine"
    cost = "CUDA cores and the CPU decode JPEG files"
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


def connections(_: Context) -> Finding:
    """See how many connections to a device CUDA will make: `import penstock` asks for enough."""
    number = os.environ.get(CONNECTIONS, "")
    if not number.isdigit() or int(number) >= ENOUGH_CONNECTIONS:
        return Finding("CUDA connections", "ok", number or "the default")
    return Finding(
        "CUDA connections",
        "limited",
        f"{CONNECTIONS}={number}",
        "CUDA cores decode all JPEG files, and take their time from a model that trains"
        if has_few_connections()
        else "decoding on the GPU waits for the work of a model that trains there",
        "unset the variable, or set it to 32, unless another library needs few connections",
    )


JOBS: dict[str, Job] = {
    DRIVER: driver,
    "GPUs": devices,
    "CUDA connections": connections,
    "CuPy": partial(_library, CUPY),
    "nvImageCodec": partial(_library, NVIMGCODEC),
    "hardware JPEG engine": hardware_jpeg,
    NAME: video_decoder,
    FLOW: flow_engine,
    "KvikIO": partial(_library, KVIKIO),
    "cuFile": cufile,
}
