"""Components as files: what folders, tar archives and LMDB databases hold of a sample.

A sample's files share the key; the text behind the key says which component a file holds:

    .jpg, .flac, .mp4 ...    the encoded "image", "audio" or "video"
    .cls                     the integer "label", in decimal digits
    .txt                     the text "text", in UTF-8
    .npy                     the array "array"
    .NAME.txt, .NAME.npy     the text or the array NAME; a .npy file of no dimension is a number
    .NAME.jpg                another encoded file, NAME
    .json                    other files are encoded files that bear their extension as the name

Of several images (or sounds, or videos) without a name, the one whose extension comes first in
`media` is the "image". The others bear their extensions as names: `a.jpg` and `a.png` are "image"
and "png". Two files of one name, such as `a.cls` and `a.label.cls`, are an error.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.errors import ArgumentError, DecodeError
from ..formats.npy import array_of_npy
from .media import OTHER, medium_of, rank_of
from .sample import Encoded, Value

LABEL, TEXT_NAME, ARRAY_NAME = "label", "text", "array"
CLS, _TXT, _NPY = "cls", "txt", "npy"

_INTEGER = re.compile(rb"\s*([+-]?[0-9]+)\s*")
_LONGEST_INTEGER = 300  # characters; floats hold numbers of 308 digits

_READABLE = {
    "image": "jpg;jpeg;png;webp;bmp;tif;tiff;jp2",
    "audio": "flac;wav;ogg;opus;mp3",
    "label": "cls",
    "text": "txt",
}
"""Extensions of the files of a component, as readers take them."""

Decode = Callable[[memoryview], Value]


def readable_extensions(schema: Iterable[str]) -> list[str]:
    """Return the extensions by which a reader finds the components that a schema names."""
    names = set(schema)
    return [extension for name, extension in _READABLE.items() if name in names]


def dtypes_of(extensions: Iterable[str], library: Any) -> list[Any]:
    """Return the types of elements that a library's reader has for files with some extensions."""
    types = library.types
    # DALI has no number for the text of `.cls`, only its bytes.
    number = types.INT64 if library.name == "Penstock" else types.UINT8
    return [number if extension == "cls" else types.UINT8 for extension in extensions]


def quoted(name: str) -> str:
    """Return a key's last segment without dots, because a dot ends the key.

    >>> quoted("a.b%"), unquote(quoted("a.b%"))
    ('a%2Eb%25', 'a.b%')
    """
    return name.replace("%", "%25").replace(".", "%2E")


def quoted_key(key: str) -> str:
    """Return a key whose last segment holds no dot.

    >>> quoted_key("v1.0/img.left")
    'v1.0/img%2Eleft'
    """
    folder, slash, name = key.rpartition("/")
    return folder + slash + quoted(name)


def unquoted_key(key: str) -> str:
    """Return the key that `quoted_key` was given."""
    folder, slash, name = key.rpartition("/")
    return folder + slash + (unquote(name) if "%" in name else name)


@lru_cache(maxsize=4096)
def component_of(suffix: str) -> tuple[str, Decode]:
    """Return the component that a file holds, and the function that decodes the file.

    Args:
        suffix: the text behind the key and its dot, such as "jpg" or "boxes.npy".
    """
    name, _, extension = suffix.rpartition(".")
    name, extension = unquote(name), extension.lower()  # ImageNet's files end in .JPEG
    if extension == CLS:
        return name or LABEL, _integer
    if extension == _TXT:
        return name or TEXT_NAME, decoded_text
    if extension == _NPY:
        return name or ARRAY_NAME, _array
    name = name or medium_of(extension) or extension or OTHER
    return name, lambda data: Encoded(data, extension)


def components_of(
    suffixes: Iterable[str], contents: Iterator[NDArray[np.uint8]], where: Callable[[], str]
) -> dict[str, Value]:
    """Return the components that the files of a sample hold.

    Args:
        suffixes: of the files' names.
        contents: the files; as many are taken as there are suffixes.
        where: returns the sample's location.

    Raises:
        DecodeError: a file is not what its suffix says.
    """
    suffixes = tuple(suffixes)
    try:
        forms = _forms(suffixes)
    except DecodeError as error:
        raise DecodeError(f"{where()}: {error}") from None
    components = {}
    for suffix, (name, decode) in zip(suffixes, forms, strict=True):
        try:
            components[name] = decode(next(contents).data)
        except DecodeError as error:
            raise DecodeError(f"{where()}: .{suffix}: {error}") from None
    return components


@lru_cache(maxsize=4096)
def _forms(suffixes: tuple[str, ...]) -> tuple[tuple[str, Decode], ...]:
    """Return name and decoder of each file of a sample; no two files have one name."""
    forms = [component_of(suffix) for suffix in suffixes]
    unnamed = {n for n, s in enumerate(suffixes) if medium_of(s) and suffixes.count(s) == 1}
    for number in sorted(unnamed, key=lambda n: rank_of(suffixes[n])):
        name, decode = forms[number]
        if any(name == forms[n][0] for n in range(len(forms)) if n not in unnamed):
            forms[number] = suffixes[number].lower(), decode
        else:
            unnamed.remove(number)
    held: dict[str, str] = {}
    for suffix, (name, _) in zip(suffixes, forms, strict=True):
        if name in held:
            raise DecodeError(
                f"the files .{held[name]} and .{suffix} of one sample are both the component "
                f"{name!r}; rename one of them, as in .NAME.{suffix.rpartition('.')[2]}"
            )
        held[name] = suffix
    return tuple(forms)


def file_of(name: str, value: Value) -> tuple[str, bytes | memoryview]:
    """Return the suffix and the content of the file that holds a component.

    >>> file_of("image", Encoded(b"..", "jpg")), file_of("label", 7)
    (('jpg', b'..'), ('cls', b'7'))
    >>> file_of("mask", Encoded(b"..", "png"))
    ('mask.png', b'..')
    """
    if isinstance(value, Encoded):
        return _encoded_suffix(name, value.extension), value.data
    if isinstance(value, str):
        return _suffix(name, TEXT_NAME, _TXT), value.encode()
    if isinstance(value, int):
        return _suffix(name, LABEL, CLS), b"%d" % value
    return _suffix(name, ARRAY_NAME, _NPY), npy_of(np.asarray(value))


def files_of(components: Mapping[str, Value]) -> list[tuple[str, bytes | memoryview]]:
    """Return suffix and content of the files of a sample, in archives and databases.

    >>> image, mask = Encoded(b"..", "jpg"), Encoded(b"..", "png")
    >>> [suffix for suffix, _ in files_of({"image": image, "png": mask})]
    ['jpg', 'png']
    """
    files = [file_of(name, value) for name, value in components.items()]
    if not any(map(medium_of, components)):
        return files
    names = tuple(components)
    short = tuple(
        name if suffix == f"{name}.{name}" else suffix
        for name, (suffix, _) in zip(names, files, strict=True)
    )
    with suppress(DecodeError):
        if tuple(name for name, _ in _forms(short)) == names:
            return [(suffix, content) for suffix, (_, content) in zip(short, files, strict=True)]
    return files


def _suffix(name: str, usual: str, extension: str) -> str:
    return extension if name == usual else f"{_quoted_name(name)}.{extension}"


def _quoted_name(name: str) -> str:
    return quoted(name).replace("/", "%2F")


def npy_of(array: Array) -> bytes:
    """Return an array in `.npy` format."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


@lru_cache(maxsize=4096)
def _encoded_suffix(name: str, extension: str) -> str:
    extension = extension.lower()
    implied = component_of(extension)[0]
    suffix = extension if implied == name else f"{_quoted_name(name)}.{extension}"
    if extension in (CLS, _TXT, _NPY) or "." in extension or "/" in extension:
        raise ArgumentError(
            f"the component {name!r} with the extension {extension!r} has no file name of its own; "
            "rename the component"
        )
    return suffix


def _integer(data: memoryview) -> int:
    digits = _INTEGER.fullmatch(data) if len(data) <= _LONGEST_INTEGER else None
    if digits is None:
        raise DecodeError(
            f"{bytes(data[:32])!r}{'...' * (len(data) > 32)} is no integer in decimal digits"
        )
    return int(digits[1])


def decoded_text(data: memoryview) -> str:
    """Return the text that bytes hold in UTF-8; raise DecodeError if they hold none."""
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(f"the text is not written in UTF-8: {error}") from None


def _array(data: memoryview) -> Value:
    array = array_of_npy(np.frombuffer(data, np.uint8))
    if array.ndim:
        return array
    number: Value = array.item()
    return number
