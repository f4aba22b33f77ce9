"""Images in FITS files: `fn.experimental.readers.fits`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...engine.errors import ArgumentError
from ...engine.graph.operator import register
from ...engine.graph.params import DTYPES, INTS, STR, param
from ...engine.graph.rules import GpuRules
from ...engine.tensors.dtypes import to_numpy_type
from ..array_files import FILE_LIST, FILE_ROOT, FILES, ArrayFileReader

if TYPE_CHECKING:
    from .source import FitsSource

_TYPES = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")


@register
class FitsReader(ArrayFileReader):
    """Reads images of FITS files: arrays of numbers, as telescopes and satellites record them.

    Each output is the image of one HDU (header and data unit) of the file. The last axis of an
    output is the file's NAXIS1. BSCALE and BZERO are applied. The numbers have the type that
    CFITSIO gives them, the smallest one that holds all possible values. For example, 16 bits
    with BZERO 32768 are uint16. An image of integers with BLANK is float32, or float64 from 32 bits
    on, and NaN where the number is not known, as in Astropy.

    Images that are compressed tile by tile need Astropy (`pip install '.[fits]'`). A process of the
    reader's own decodes them, because some damaged images end it. All other images need no library.
    With `device="gpu"` images are read by the CPU and copied.

    >>> import numpy as np
    >>> from penstock import fn, pipeline_def
    >>> cards = ["SIMPLE  = T", "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2", "END"]
    >>> header = "".join(card.ljust(80) for card in cards).ljust(2880).encode()
    >>> with open("sky.fits", "wb") as file:
    ...     _ = file.write(header + np.arange(6, dtype=">i2").tobytes().ljust(2880, bytes(1)))
    >>> @pipeline_def(batch_size=1, num_threads=1)
    ... def images():
    ...     return fn.experimental.readers.fits(files="sky.fits", hdu_indices=1)
    >>> with images() as pipe:
    ...     (found,) = pipe.run()
    >>> found.as_array()[0].tolist()
    [[0, 1, 2], [3, 4, 5]]

    Outputs:
        an image for each of `hdu_indices`: of the type above and of the image's shape.

    Differences from DALI: the reader resumes from checkpoints, and reads URLs. Integers of 64 bits
    with BZERO 2^63 are uint64, and float64 with another BSCALE or BZERO; DALI refuses or truncates
    them.

    Raises:
        SourceError: a folder or list cannot be read or holds no file; a file is cut off while it is
            read.
        DecodeError: a file is no FITS file, is cut off, or an HDU is missing or holds no image; or
            an image differs in type or dimensions from the others of its batch.
        MissingDependencyError: an image is compressed, and Astropy is not installed.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "experimental.readers.fits"
    devices = ("cpu", "gpu")
    on_gpu = GpuRules(copies_results=True)

    files = FILES
    file_list = FILE_LIST
    file_root = FILE_ROOT
    file_filter = param(STR, "*.fits", "Pattern of their names, with `file_root` alone.")
    hdu_indices = param(
        INTS,
        (2,),
        "HDUs that are read, one for each output. The first HDU is 1; often it holds no image.",
        minimum=1,
    )
    dtypes = param(
        DTYPES,
        None,
        "Types, one for each output. As in DALI, the outputs have the types of the files all the "
        "same.",
    )

    source: FitsSource

    def prepare(self) -> None:
        super().prepare()
        owner = f"fn.{self.name}"
        if not self.hdu_indices:
            raise ArgumentError(f"{owner}: hdu_indices is empty; name at least one HDU")
        types = self.dtypes or ()
        if types and len(types) != len(self.hdu_indices):
            raise ArgumentError(
                f"{owner}: there are {len(self.hdu_indices)} hdu_indices, but {len(types)} dtypes; "
                "give one for each, or none"
            )
        wrong = [dtype for dtype in map(to_numpy_type, types) if dtype.str[1:] not in _TYPES]
        if wrong:
            raise ArgumentError(
                f"{owner}: no FITS image is of the type {wrong[0]}; there are integers of 8 to 64 "
                "bits, and floating point numbers of 32 and 64"
            )

    def num_outputs(self) -> int:
        return len(self.hdu_indices)

    def open_source(self) -> FitsSource:
        from .source import FitsSource  # takes 2 ms

        source = FitsSource(self.listed_files(), self.hdu_indices, self.storage_options)
        self.waits.ends(source.close)
        return source
