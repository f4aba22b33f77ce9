"""Translations, by pixels or by parts of the image."""

from __future__ import annotations

from ..engine.errors import ArgumentError
from . import augmentations as a
from .core import Augmentation


def get_translations(
    use_shape: bool,
    default_translate_abs: float,
    default_translate_rel: float,
    max_translate_abs: object = None,
    max_translate_rel: object = None,
) -> list[Augmentation]:
    """Return the translations along x and along y.

    Args:
        use_shape: whether magnitudes are relative to the image's size.
        default_translate_abs, default_translate_rel: the largest magnitude in pixels, and
            relative, if the user gives none.
        max_translate_abs, max_translate_rel: the largest magnitude: for both axes, or (y, x).

    Raises:
        ArgumentError: `use_shape` is no bool, or the magnitude is of the other kind.
    """
    if not isinstance(use_shape, bool):
        raise ArgumentError(f"The `use_shape` must be True or False, but is {use_shape!r}.")
    if use_shape and max_translate_abs is not None:
        raise ArgumentError(
            "The argument `max_translate_abs` counts pixels, but with the shape of images "
            "translations are relative. Give `max_translate_rel`."
        )
    if not use_shape and max_translate_rel is not None:
        raise ArgumentError(
            "The argument `max_translate_rel` needs the `shape` of images. Give it, or give "
            "`max_translate_abs`."
        )
    given, default = (
        (max_translate_rel, default_translate_rel)
        if use_shape
        else (max_translate_abs, default_translate_abs)
    )
    largest = default if given is None else given
    height, width = largest if isinstance(largest, tuple | list) else (largest, largest)
    along_x, along_y = (
        (a.translate_x, a.translate_y)
        if use_shape
        else (a.translate_x_no_shape, a.translate_y_no_shape)
    )
    return [along_x.augmentation((0, width), True), along_y.augmentation((0, height), True)]
