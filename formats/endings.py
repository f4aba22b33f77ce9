"""The endings of files of images, sound and video, in one table for readers and data sets."""

from __future__ import annotations

IMAGE, AUDIO, VIDEO = "image", "audio", "video"

UNREAD = ("hdr", "exr")
"""Endings of images that no decoder here reads. Conversions keep such files as they are."""

ENDINGS: dict[str, tuple[str, ...]] = {
    IMAGE: (
        *("jpg", "jpeg", "png", "bmp", "tif", "tiff", "pnm", "ppm", "pgm", "pbm", "pam", "jp2"),
        *("webp", "gif", "avif", "heic", *UNREAD, "jpe", "jfif", "jxl", "heif", "hif", "j2k"),
        *("j2c", "jpc", "jpx", "jph", "pfm", "apng"),
    ),
    AUDIO: (
        *("wav", "flac", "ogg", "opus", "mp3", "m4a", "aac", "aif", "aiff", "au", "wma", "oga"),
        *("aifc", "snd", "mp2", "mka", "caf", "w64", "sph", "ac3", "amr", "wv"),
    ),
    VIDEO: (
        *("mp4", "mkv", "webm", "mov", "avi", "mpg", "mpeg", "m4v", "ts", "mts", "m2ts", "ogv"),
        *("flv", "wmv", "3gp", "h264", "264", "h265", "265", "hevc", "m2v", "ivf", "obu"),
    ),
}
"""Endings by medium, in small letters. Photographs come before masks: see `datasets.media`."""

_MEDIUM = {ending: medium for medium, endings in ENDINGS.items() for ending in endings}


def medium_of(extension: str) -> str:
    """Return "image", "audio", "video", or "" for another extension.

    >>> medium_of("JPEG"), medium_of("flac"), medium_of("json")
    ('image', 'audio', '')
    """
    return _MEDIUM.get(extension.lower(), "")


def medium_of_name(name: str) -> str:
    """Return the medium of a file by its name: see `medium_of`.

    >>> medium_of_name("cat/1.JPG"), medium_of_name("cat/README")
    ('image', '')
    """
    return medium_of(name.rpartition(".")[2]) if "." in name else ""
