"""Arrays as pictures: uint8 RGB of shape (height, width, 3)."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from .roles import CHANNELS, is_channels_first

Picture = NDArray[np.uint8]

_PERCENTILES = (0.5, 99.5)  # values beyond these are drawn as the extremes

_WINDOW, _MOST_WINDOWS = 512, 1000  # samples of a window of a spectrogram; windows, about


def image(array: Array, layout: str) -> Picture:
    """Return an image: gray, color, or with alpha, which shows a checkerboard.

    uint8 and bool stay as they are. Floats between 0 and 1 are multiplied by 255. Other values,
    such as normalized colors, are stretched between their extremes. Of two channels, or of more
    than four, the first is drawn.
    """
    pixels = np.moveaxis(array, -3, -1) if is_channels_first(array, layout) else array
    pixels = pixels[..., np.newaxis] if pixels.ndim == 2 else pixels
    pixels = pixels if pixels.shape[-1] in CHANNELS else pixels[..., :1]
    bytes_ = as_bytes(pixels)
    if bytes_.shape[-1] == 4:
        return _over_checkerboard(bytes_)
    return np.ascontiguousarray(np.broadcast_to(bytes_[..., :3], (*bytes_.shape[:2], 3)))


def as_bytes(values: Array) -> Picture:
    """Return values as 0 to 255: see `image`."""
    if values.dtype == np.uint8:
        return values
    if values.dtype == bool:
        return values.astype(np.uint8) * 255
    low, high = extremes(values)
    if values.dtype.kind == "f" and low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return np.nan_to_num((unit_values(values, low, high) * 255).round()).astype(np.uint8)


def extremes(values: Array) -> tuple[float, float]:
    """Return the smallest and the largest finite value, or (0, 0) if there is none."""
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def unit_values(values: Array, low: float, high: float) -> NDArray[np.float32]:
    """Return values as 0 (`low` and below) to 1 (`high` and above)."""
    with np.errstate(over="ignore"):  # of values far outside of the range
        scaled = (values.astype(np.float64) - low) / ((high - low) or 1.0)
    return np.clip(scaled, 0, 1).astype(np.float32)


def heat_map(array: Array) -> Picture:
    """Return a matrix as a heat map, dark blue for low values and yellow for high values."""
    finite = array[np.isfinite(array)].astype(np.float64)
    low, high = np.percentile(finite, _PERCENTILES) if finite.size else (0.0, 0.0)
    bytes_ = np.nan_to_num(unit_values(array, float(low), float(high)) * 255).astype(np.uint8)
    return np.asarray(cv2.applyColorMap(bytes_, cv2.COLORMAP_VIRIDIS)[..., ::-1], np.uint8)


def spectrogram(array: Array, layout: str) -> Picture:
    """Return a spectrogram as a heat map: time to the right, frequency upward."""
    values = array.T if layout == "tf" else array
    low, high = extremes(values)
    if low >= 0 and high > 0:  # powers, whose small values would all be black
        values = np.log10(np.maximum(values, high * 1e-7))
    return heat_map(values[::-1])


def volume_slice(array: Array, layout: str) -> Picture:
    """Return the middle slice of a volume (DHW, DHWC or CDHW) as an image or a heat map."""
    depth = layout.index("D") if "D" in layout else 0
    middle = np.take(array, array.shape[depth] // 2, axis=depth)
    if middle.ndim == 3:
        return image(middle, layout.replace("D", ""))
    return image(middle, "") if middle.dtype == np.uint8 else heat_map(middle)


def short_time_powers(samples: Array) -> Array:
    """Return the power of each frequency in short windows: shape (frequencies, windows)."""
    if len(samples) < _WINDOW:
        samples = np.pad(samples, (0, _WINDOW - len(samples)))
    step = max(_WINDOW // 4, len(samples) // _MOST_WINDOWS)
    windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[::step]
    return np.asarray(np.abs(np.fft.rfft(windows * np.hanning(_WINDOW), axis=1)).T ** 2)


def wave(array: Array, width: int, height: int) -> Picture:
    """Return the extent of a curve in each column of pixels, one band for each channel.

    Args:
        array: values of shape (samples,) or (samples, channels).
        width, height: of the picture.
    """
    channels = array.reshape(len(array), -1).T.astype(np.float64)[:4]
    picture = np.full((height, width, 3), 24, np.uint8)
    for number, values in enumerate(channels):
        top = height * number // len(channels)
        _draw_curve(picture[top : height * (number + 1) // len(channels)], values)
    return picture


def _draw_curve(band: Picture, values: Array) -> None:
    height, width = band.shape[:2]
    low, high = extremes(values)
    heights = ((1 - unit_values(np.nan_to_num(values), low, high)) * (height - 1)).astype(int)
    edges = np.linspace(0, len(values), width + 1).astype(int)
    for x in range(width):
        column = heights[edges[x] : max(edges[x + 1], edges[x] + 1) + 1]
        band[column.min() : column.max() + 1, x] = (90, 200, 250)


def _over_checkerboard(pixels: Picture) -> Picture:
    rows, columns = np.indices(pixels.shape[:2]) // 8
    board = np.where((rows + columns) % 2, 200, 150)[..., np.newaxis]
    alpha = pixels[..., 3:] / 255
    return (pixels[..., :3] * alpha + board * (1 - alpha)).astype(np.uint8)
