"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import ops as _ops
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

Image = _ops.decoders.Image

ImageCrop = _ops.decoders.ImageCrop

ImageRandomCrop = _ops.decoders.ImageRandomCrop

ImageSlice = _ops.decoders.ImageSlice

Video = _ops.decoders.Video
