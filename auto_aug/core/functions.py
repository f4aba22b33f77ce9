"""Augmentations: functions of samples and a parameter, called with the bin of a magnitude."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.graph.constant_nodes import Constant
from ...engine.graph.nodes import DataNode
from .arguments import DATA_AND_PARAMETER, accepted, check_required, count_by_position
from .signed_bins import SignedMagnitudeBin, signed_bin

Range = tuple[float, float] | Array | None
ToParameter = Callable[[Any], Any]
Bin = int | DataNode | SignedMagnitudeBin


class _Kept:
    """Stands for an argument that is not given, where None is a value."""

    def __repr__(self) -> str:
        return "<kept>"


_KEPT: Any = _Kept()


class Augmentation:
    """A function of samples and a parameter, with the range of the parameter's magnitude.

    The decorator `augmentation` makes it.

    Attributes:
        op: the function.
        name: by default the function's.
        mag_range: the least and the largest magnitude, all magnitudes as an array, or None.
        randomly_negate: whether magnitudes are negated for half of the samples.
        mag_to_param: makes the parameter of a magnitude.
        param_device: where the parameter is: "cpu", "gpu", or "auto" for that of the samples.
    """

    def __init__(
        self,
        op: Callable[..., object],
        mag_range: Range = None,
        randomly_negate: bool | None = None,
        mag_to_param: ToParameter | None = None,
        param_device: str | None = None,
        name: str | None = None,
    ) -> None:
        self._setup: dict[str, Any] = {
            "mag_range": mag_range,
            "randomly_negate": randomly_negate,
            "mag_to_param": mag_to_param,
            "param_device": param_device,
            "name": name,
        }
        self.op = op
        self.mag_range = mag_range
        self.randomly_negate = bool(randomly_negate)
        self.mag_to_param: ToParameter = mag_to_param or np.array
        self.param_device = param_device or "cpu"
        self.name: str = name or str(getattr(op, "__name__", op))
        count = count_by_position(op)
        if count < DATA_AND_PARAMETER:
            raise ArgumentError(
                f"{op} accepts {count} positional argument(s), but the functions decorated with "
                "`@augmentation` take at least two: the samples and the parameter."
            )

    def __repr__(self) -> str:
        given = [f"{k}={v!r}" for k, v in self._setup.items() if v is not None]
        return f"Augmentation({', '.join([repr(self.op), *given])})"

    def augmentation(
        self,
        mag_range: Range = _KEPT,
        randomly_negate: bool | None = _KEPT,
        mag_to_param: ToParameter | None = _KEPT,
        param_device: str | None = _KEPT,
        name: str | None = _KEPT,
        augmentation_cls: type[Augmentation] | None = None,
    ) -> Augmentation:
        """Return a copy with other values of the arguments that are given; None means the default.

        >>> from penstock.auto_aug import augmentations
        >>> augmentations.shear_x.augmentation(mag_range=(0, 0.5)).mag_range
        (0, 0.5)
        """
        given = {
            "mag_range": mag_range,
            "randomly_negate": randomly_negate,
            "mag_to_param": mag_to_param,
            "param_device": param_device,
            "name": name,
        }
        changed = {name: value for name, value in given.items() if value is not _KEPT}
        return (augmentation_cls or type(self))(self.op, **{**self._setup, **changed})

    def __call__(
        self,
        data: DataNode,
        *,
        magnitude_bin: Bin | None = None,
        num_magnitude_bins: int | None = None,
        **kwargs: object,
    ) -> Any:
        """Add the augmentation to the graph and return its result.

        The function gets the parameter `mag_to_param(magnitude)`, or None without `mag_range`.

        Args:
            data: the samples.
            magnitude_bin: number of the magnitude: for all samples, a node, or a `signed_bin`.
            num_magnitude_bins: number of magnitudes. They divide `mag_range` evenly.
            kwargs: arguments for the function. Those that it does not name are left out.

        Raises:
            ArgumentError: an argument is missing, or `mag_to_param` returns what is no parameter.
        """
        device = self.param_device
        if device == "auto":
            device = getattr(data, "device", None) or "cpu"
        parameter = self._parameter_node(magnitude_bin, num_magnitude_bins, device)
        check_required(self, kwargs)
        return self.op(data, parameter, **accepted(self.op, kwargs))

    def magnitudes(self, num_magnitude_bins: int | None) -> Array | None:
        """Return the magnitudes of the bins, or None without `mag_range`: float32, (bins,)."""
        limits = self.mag_range
        if limits is None:
            return None
        if isinstance(limits, np.ndarray):
            if num_magnitude_bins is not None and len(limits) != num_magnitude_bins:
                raise ArgumentError(
                    f"The `mag_range` of the augmentation `{self.name}` has {len(limits)} "
                    f"magnitudes, but `num_magnitude_bins` is {num_magnitude_bins}."
                )
            return limits
        if num_magnitude_bins is None:
            raise ArgumentError(
                f"The augmentation `{self.name}` needs `num_magnitude_bins`, because `mag_range` "
                "is a range. Pass it along with `magnitude_bin`."
            )
        if not isinstance(limits, Sequence) or len(limits) != 2:
            raise ArgumentError(
                f"The `mag_range` must be a pair (low, high), or an array of magnitudes, but that "
                f"of the augmentation `{self.name}` is {limits!r}."
            )
        return np.linspace(*limits, num_magnitude_bins, dtype=np.float32)

    def parameter(self, magnitude: object) -> Array:
        """Return the parameter of a magnitude."""
        value = self.mag_to_param(magnitude)
        members = value if isinstance(value, list | tuple) else [value]
        if any(isinstance(member, DataNode) for member in members):
            raise ArgumentError(
                f"The `mag_to_param` of the augmentation `{self.name}` returned a DataNode. The "
                "callback must return parameter that is `np.ndarray` or becomes one, because the "
                "parameters are computed once. Use operators in the decorated function."
            )
        return np.array(value)

    def parameters(self, magnitudes: Sequence[Any] | Array) -> Array:
        """Return the parameters of magnitudes: (magnitudes, *parameter)."""
        rows = [self.parameter(magnitude) for magnitude in magnitudes]
        for magnitude, row in zip(magnitudes, rows, strict=True):
            if (row.shape, row.dtype) != (rows[0].shape, rows[0].dtype):
                raise ArgumentError(
                    f"The `mag_to_param` of the `{self.name}` augmentation must return the arrays "
                    f"of the same type and shape for all magnitudes. For {magnitudes[0]} the array "
                    f"has shape {rows[0].shape} and type {rows[0].dtype}, but for {magnitude} it "
                    f"has shape {row.shape} and type {row.dtype}."
                )
        return np.array(rows)

    def _parameter_node(
        self, magnitude_bin: Bin | None, num_magnitude_bins: int | None, device: str
    ) -> DataNode | None:
        magnitudes = self.magnitudes(num_magnitude_bins)
        if magnitudes is None:
            return None
        if magnitude_bin is None:
            raise ArgumentError(
                f"The augmentation `{self.name}` has a `mag_range`, so it needs `magnitude_bin`."
            )
        if self.randomly_negate and not isinstance(magnitude_bin, SignedMagnitudeBin):
            warnings.warn(
                f"The augmentation `{self.name}` negates magnitudes, but unsigned `magnitude_bin` "
                "was passed to the augmentation call, so it draws signs of its own. Pass "
                "`signed_bin(magnitude_bin)`, one for all augmentations of a sample.",
                stacklevel=3,
            )
            magnitude_bin = signed_bin(magnitude_bin)
        number = (
            magnitude_bin.bin if isinstance(magnitude_bin, SignedMagnitudeBin) else magnitude_bin
        )
        if isinstance(number, int):
            magnitudes = magnitudes[[_checked(number, len(magnitudes), self.name)]]
        if not self.randomly_negate:
            if isinstance(number, int):
                return Constant(self.parameter(magnitudes[0]), device=device)
            return Constant(self.parameters(magnitudes), device=device)[number]
        assert isinstance(magnitude_bin, SignedMagnitudeBin)
        signed = np.stack([magnitudes, -magnitudes], axis=1).reshape(-1, *magnitudes.shape[1:])
        index = magnitude_bin.random_sign if isinstance(number, int) else magnitude_bin.index
        return Constant(self.parameters(signed), device=device)[index]


def _checked(number: int, count: int, name: str) -> int:
    if not 0 <= number < count:
        raise ArgumentError(
            f"The augmentation `{name}` has no magnitude bin {number}; there are {count}."
        )
    return number


@overload
def augmentation(
    function: Callable[..., object],
    *,
    mag_range: Range = None,
    randomly_negate: bool | None = None,
    mag_to_param: Callable[[Any], ArrayLike] | None = None,
    param_device: str | None = None,
    name: str | None = None,
    augmentation_cls: type[Augmentation] | None = None,
) -> Augmentation: ...
@overload
def augmentation(
    function: None = None,
    *,
    mag_range: Range = None,
    randomly_negate: bool | None = None,
    mag_to_param: Callable[[Any], ArrayLike] | None = None,
    param_device: str | None = None,
    name: str | None = None,
    augmentation_cls: type[Augmentation] | None = None,
) -> Callable[[Callable[..., Any]], Augmentation]: ...
def augmentation(
    function: Callable[..., object] | None = None,
    *,
    mag_range: Range = None,
    randomly_negate: bool | None = None,
    mag_to_param: Callable[[Any], ArrayLike] | None = None,
    param_device: str | None = None,
    name: str | None = None,
    augmentation_cls: type[Augmentation] | None = None,
) -> Any:
    """Make an augmentation of a function of operators.

    The function takes samples and a parameter by position, and returns samples. The augmentation
    takes `magnitude_bin` and `num_magnitude_bins` instead of the parameter: see
    `Augmentation.__call__`.

    Args:
        function: the function.
        mag_range: the least and the largest magnitude, which bins divide evenly; or an array with
            the magnitude of each bin. Without it, the parameter is None.
        randomly_negate: whether the magnitude is negated for a random half of the samples.
        mag_to_param: makes the parameter of a magnitude, an array of one shape and type for all
            magnitudes. By default the parameter is the magnitude.
        param_device: where the parameter is: "cpu", "gpu", or "auto" for that of the samples.
        name: by default the function's.
        augmentation_cls: by default `Augmentation`.

    Returns:
        the augmentation; without `function` a decorator.

    Raises:
        ArgumentError: the function is none, is an augmentation already, or takes fewer than two
            arguments by position.

    >>> from penstock import fn
    >>> @augmentation(mag_range=(0.5, 4.0))
    ... def blur(images, sigma):
    ...     return fn.gaussian_blur(images, sigma=sigma)
    >>> blur.name, blur.magnitudes(3).tolist()
    ('blur', [0.5, 2.25, 4.0])
    """

    def decorated(function: Callable[..., object]) -> Augmentation:
        if isinstance(function, Augmentation):
            raise ArgumentError(
                "The `@augmentation` was applied to already decorated Augmentation. Change it by "
                f"`{function.name}.augmentation(...)`, or decorate its function, `op`."
            )
        if not callable(function):
            raise ArgumentError(f"The `@augmentation` decorates functions, not {function!r}.")
        return (augmentation_cls or Augmentation)(
            function,
            mag_range=mag_range,
            randomly_negate=randomly_negate,
            mag_to_param=mag_to_param,
            param_device=param_device,
            name=name,
        )

    return decorated if function is None else decorated(function)
