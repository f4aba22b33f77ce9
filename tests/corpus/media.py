"""The medium of a file, by the suffix of its name."""

from __future__ import annotations

from pathlib import Path

_SUFFIXES = {
    "images": "avif bmp dib heic heif hif j2c j2k jfif jp2 jpc jpe jpeg jpf jpg jpx jxl mpo pam "
    "pbm pfm pgm png pnm ppm tif tiff webp",
    "audio": "aac ac3 aif aifc aiff au caf flac gsm m4a mp2 mp3 oga ogg opus rf64 snd sph voc "
    "w64 wav wma wv",
    "video": "3gp avi flv gif h264 h265 hevc ivf m2ts m4v mkv mov mp4 mpeg mpg mts mxf ogv ts vob "
    "webm wmv y4m",
}
_MEDIUM = {suffix: medium for medium, names in _SUFFIXES.items() for suffix in names.split()}
MEDIA = tuple(_SUFFIXES)


def medium_of(path: Path) -> str | None:
    """Return the name of the judge's module; None for files that no judge reads."""
    return _MEDIUM.get(path.suffix[1:].lower())
