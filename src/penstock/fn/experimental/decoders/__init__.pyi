"""Signatures of the operators; made by docs/generate.py from their declarations."""

import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike

from penstock import fn as _fn
from penstock.engine.graph.nodes import DataNode
from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType

image = _fn.decoders.image

image_crop = _fn.decoders.image_crop

image_random_crop = _fn.decoders.image_random_crop

image_slice = _fn.decoders.image_slice

video = _fn.decoders.video
