"""Writes WebDataset archives."""

from __future__ import annotations

from ...readers.archives.tar_headers import CLOSING, header_of, padding
from ..component_files import files_of, quoted_key
from ..manifest import ShardInfo
from ..sample import Sample
from .one_file import OneFileWriter


class WebDatasetWriter(OneFileWriter):
    """Writes `.tar` files; `component_files` describes the names of their members."""

    suffix = ".tar"

    def write(self, sample: Sample) -> None:
        """See `Writer.write`."""
        key = quoted_key(sample.key)
        for suffix, content in files_of(sample.components):
            header = header_of(f"{key}.{suffix}".encode(), len(content))
            self.file.write([header, content, padding(len(content))])
        self.samples += 1

    def finish(self) -> ShardInfo:
        """See `Writer.finish`."""
        self.file.write([CLOSING])
        return super().finish()
