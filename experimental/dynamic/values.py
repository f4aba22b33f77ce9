"""What tensors and batches share: samples that are there, or that a deferred call will compute."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Protocol, Self

from ...engine.tensors import TensorList, TensorListGPU
from ...engine.tensors.dtypes import DALIDataType
from .devices import Device
from .element_types import DType, dtype


class Invocation:
    """One call of an operator, which runs once.

    Args:
        run: returns the operator's outputs.
        size: number of samples of each output.
        device: "cpu" or "gpu", where the outputs will be.
    """

    def __init__(
        self, run: Callable[[], tuple[TensorList, ...]], size: int = 1, device: str = "cpu"
    ) -> None:
        self.size = size
        self.device = device
        self._run: Callable[[], tuple[TensorList, ...]] | None = run
        self._results: tuple[TensorList, ...] = ()
        self._error: BaseException | None = None
        self._lock = threading.Lock()

    def results(self) -> tuple[TensorList, ...]:
        """Run the operator, unless it has run, and return its outputs."""
        with self._lock:
            if self._run is not None:
                run, self._run = self._run, None
                try:
                    self._results = run()
                except BaseException as error:
                    self._error = error
                    raise
        if self._error is not None:
            raise self._error
        return self._results


class Origin(Protocol):
    """Where samples come from that a captured loop computes: see `recording.py`."""

    def observe(self) -> None:
        """Note that the program reads the samples."""


class Value:
    """Samples on one device, of one dtype, number of dimensions and layout."""

    is_batch: ClassVar[bool]
    tensor_class: ClassVar[type[Value]]
    batch_class: ClassVar[type[Value]]

    _samples: TensorList | None
    origin: Origin | None = None
    is_invariant: bool = False  # in all rounds of a captured loop
    _dtype: DType | None = None  # of a batch without samples, if it is known
    _source: tuple[Invocation, int]  # the call that computes the samples, and the output's number

    def __init__(self, data: object) -> None:
        raise NotImplementedError

    @classmethod
    def of(cls, samples: TensorList) -> Self:
        """Return samples that are there; of a tensor there is one."""
        value = cls.__new__(cls)
        value._samples = samples
        return value

    @classmethod
    def computed(cls, invocation: Invocation, output: int) -> Self:
        """Return samples that a call will compute."""
        value = cls.__new__(cls)
        value._samples = None
        value._source = invocation, output
        return value

    @property
    def samples(self) -> TensorList:
        """The samples as the engine has them; computed now, if the call was deferred."""
        if self.origin is not None:
            self.origin.observe()
        if self._samples is None:
            invocation, output = self._source
            self._samples = invocation.results()[output]
            del self._source
        return self._samples

    def evaluate(self) -> Self:
        """Run the operators that were deferred; return this object."""
        _ = self.samples
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy has: the samples, but no place in a captured loop."""
        self.evaluate()
        return {name: value for name, value in vars(self).items() if name != "origin"}

    @property
    def count(self) -> int:
        """Number of samples; a deferred call stays deferred."""
        return self._source[0].size if self._samples is None else len(self._samples)

    @property
    def place(self) -> str:
        """Where the samples are, "cpu" or "gpu"; a deferred call stays deferred."""
        if self._samples is None:
            return self._source[0].device
        return "gpu" if isinstance(self._samples, TensorListGPU) else "cpu"

    @property
    def device(self) -> Device:
        """Where the samples are."""
        if self.place == "cpu":
            return Device.CPU
        samples = self.samples
        number = getattr(samples.row(0).device, "id", 0) if len(samples) else None
        return Device("gpu", number)

    @property
    def dtype(self) -> DType:
        """Type of the elements, such as `ndd.float32`."""
        if self._dtype is not None:
            return self._dtype
        if self.samples.dtype == DALIDataType.NO_TYPE:
            raise ValueError("the results for a batch without samples have no dtype")
        return dtype(self.samples.dtype)

    @property
    def layout(self) -> str | None:
        """Meaning of a sample's dimensions, one letter each, such as "HWC"; None if unknown."""
        return self.samples.layout() or None

    @property
    def ndim(self) -> int:
        """Number of dimensions of a sample."""
        return self.samples.ndim

    def _facts(self) -> dict[str, object]:
        """Return what stands in the text for an interactive session."""
        layout = f'"{self.layout}"' if self.layout else None
        known = self._dtype is not None or self.samples.dtype != DALIDataType.NO_TYPE
        return {
            "dtype": self.dtype if known else None,
            "device": f'"{self.device}"',
            "layout": layout,
        }

    @property
    @abstractmethod
    def shape(self) -> Any:
        """Extents of a tensor, or of each sample of a batch."""
