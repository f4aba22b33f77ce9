"""fn.crop_mirror_normalize: from decoded images to the input of a network, in one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..engine.errors import ArgumentError
from ..engine.layouts import VOLUME_LAYOUTS, layout_of
from ..engine.operator import Array, Row, register
from ..engine.params import BOOL, DTYPE, FLOAT, FLOATS, INT, STR, param
from ..engine.types import DALIDataType
from ..engine.windows import CropArguments, Window, bounded
from ._extract import fill, place_in
from ._scale import Scaling, make_scaling, write_scaled
from ._window import WindowOperator

_TYPES = ("float32", "float16", "uint8", "int8")


@register
class CropMirrorNormalize(CropArguments, WindowOperator):
    """Crops, mirrors, normalises and reorders the dimensions of each sample.

    The result is `scale * (input - mean) / std + shift`, computed in float32. Without a size
    the whole sample is taken. What is outside of the sample, and channels that `pad_output`
    adds, are `fill_values`: those are not normalised.

    Inputs:
        data: HWC, CHW, DHWC, CDHW, FHWC, FCHW, CFHW or with F before a volume; any numeric
            type. Without a layout HWC, DHWC or FDHWC is assumed.

    The result is of type `dtype` and has the layout `output_layout`.
    """

    name = "crop_mirror_normalize"
    inputs = ("data",)

    dtype = param(
        DTYPE,
        DALIDataType.FLOAT,
        "Element type of the result: FLOAT, FLOAT16, UINT8 or INT8. Integers are rounded, "
        "halves away from zero, and clamped to the range of the type.",
    )
    output_layout = param(
        STR, "CHW", "Layout of the result: the letters of the input's layout in any order."
    )
    pad_output = param(
        BOOL, False, "Whether channels are added until their number is a power of two."
    )
    mirror = param(INT, 0, "Mirror left to right unless 0.", per_sample=True)
    mean = param(
        FLOATS, (0.0,), "What is subtracted: one value, or one a channel.", per_sample=True
    )
    std = param(FLOATS, (1.0,), "What is divided by: one value, or one a channel.", per_sample=True)
    scale = param(FLOAT, 1.0, "What the normalised value is multiplied by.")
    shift = param(FLOAT, 0.0, "What is added last.")

    def prepare(self) -> None:
        super().prepare()
        if self.target is None or self.target.name not in _TYPES:
            raise ArgumentError(
                f"fn.crop_mirror_normalize: dtype is {self.target}; use one of {', '.join(_TYPES)}"
            )
        self.result_type = self.target
        self._check_output_layout(self.layouts[0] or self.output_layout)
        self._scaling = None
        if not {"mean", "std"} & set(self.per_sample):
            self._scaling = self._make_scaling(self.mean, self.std)

    def output_layouts(self) -> tuple[str, ...]:
        return (self.output_layout,)

    def sample(
        self,
        row: Row,
        image: Array,
        *,
        mirror: int,
        mean: Sequence[float],
        std: Sequence[float],
        **crop: Any,
    ) -> Array:
        layout = layout_of(self.layouts[0], image.ndim, VOLUME_LAYOUTS)
        window = self.window(layout, image.shape, **crop)
        window = bounded(window, image.shape, self.out_of_bounds_policy)
        if not self.layouts[0]:
            self._check_output_layout(layout)
        scaling = self._scaling or self._make_scaling(mean, std)
        self._check_channels(scaling, image.shape[layout.index("C")])
        out, target = self._result(row, window, layout)
        if not window.fits(image.shape):
            window, target = self._seen(window, image.shape, layout, target, mirror)
        source = image[window.slices()]
        write_scaled(row, source, layout, target, self.output_layout, scaling, mirror != 0)
        return out

    def _result(self, row: Row, window: Window, layout: str) -> tuple[Array, Array]:
        """Return memory for the result, and the part of it that shows the window."""
        extents = dict(zip(layout, window.shape, strict=True))
        channels = extents["C"]
        if self.pad_output:
            extents["C"] = 1 << (channels - 1).bit_length()
        out = row.empty(tuple(extents[letter] for letter in self.output_layout), self.result_type)
        if extents["C"] == channels:
            return out, out
        fills = self.fill_values
        added = fills if len(fills) == 1 else fills[channels : extents["C"]] or (0.0,)
        fill(self._channels(out, slice(channels, None)), added, self.output_layout)
        return out, self._channels(out, slice(channels))

    def _channels(self, out: Array, chosen: slice) -> Array:
        return out[tuple(chosen if c == "C" else slice(None) for c in self.output_layout)]

    def _seen(
        self, window: Window, extents: tuple[int, ...], layout: str, target: Array, mirror: int
    ) -> tuple[Window, Array]:
        """Fill the target; return what is seen of the sample, and where in the target."""
        channels = target.shape[self.output_layout.index("C")]
        fills = self.fill_values[:channels] if self.pad_output else self.fill_values
        fill(target, fills, self.output_layout)
        seen = window.trimmed(extents)
        slices = dict(zip(layout, place_in(window, seen).slices(), strict=True))
        if mirror:
            width, there = window.shape[layout.index("W")], slices["W"]
            slices["W"] = slice(width - there.stop, width - there.start)
        return seen, target[tuple(slices[letter] for letter in self.output_layout)]

    def _make_scaling(self, mean: Sequence[float], std: Sequence[float]) -> Scaling:
        return make_scaling(mean, std, self.scale, self.shift, self.result_type)

    def _check_channels(self, scaling: Scaling, channels: int) -> None:
        if scaling.offset.size not in (1, channels):
            raise ArgumentError(
                f"mean and std have {scaling.offset.size} values, but the sample has {channels} "
                "channels; give one value a channel, or a single one"
            )

    def _check_output_layout(self, layout: str) -> None:
        if sorted(layout) != sorted(self.output_layout) or "C" not in layout or "W" not in layout:
            raise ArgumentError(
                f"fn.crop_mirror_normalize: output_layout is {self.output_layout!r}, but the "
                f"input is {layout!r}: the output needs the same letters in some order, among "
                "them C and W"
            )
