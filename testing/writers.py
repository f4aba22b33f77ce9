"""What every writer must do, as a test class that the tests of each format inherit."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from ..datasets.checking.digests import content_digest
from ..datasets.dataset import open_dataset
from ..datasets.formats.table import writers
from ..datasets.formats.writer import Target, Writer
from ..datasets.manifest import ShardInfo
from ..datasets.sample import Sample
from ..datasets.schema import schema_of
from ..engine.errors import ArgumentError
from . import made
from .descriptors import open_below

__all__ = [
    "WriterTests",
]


class WriterTests:
    """Inherit it, set `format` and `contents`, and override `bad_sample`.

    Attributes:
        format: its name in `datasets.FORMATS`.
        contents: the samples of `penstock.testing.made` that the format can hold, by their names in
            its `CONTENTS`: images, detections, annotated, speech, arrays. The format must
            refuse the others.
        opens_files: whether a shard's files are open between two samples.
    """

    format: str
    contents: Sequence[str]
    opens_files: bool = True

    def bad_sample(self, sample: Sample) -> Sample:
        """Return a sample that the format refuses, although its kind is right."""
        raise NotImplementedError

    @property
    def samples(self) -> list[Sample]:
        """Samples of the first of the contents."""
        return made.CONTENTS[self.contents[0]]()

    def target(self, samples: Sequence[Sample]) -> Target:
        """Return what a writer of these samples knows."""
        bare = Target(schema_of(samples), ("a", "b"))
        return Target(bare.schema, bare.classes, writers()[self.format].layout(bare, samples[0]))

    def writer(self, samples: Sequence[Sample]) -> Writer:
        """Return a writer of these samples."""
        return writers()[self.format](self.target(samples))

    def shard(self, folder: Path, samples: Sequence[Sample]) -> ShardInfo:
        """Write a shard; return its info."""
        folder.mkdir()
        writer = self.writer(samples)
        writer.start(folder / "shard-00000")
        for sample in samples:
            writer.write(sample)
        return writer.finish()

    def test_samples_come_back_as_they_were(self, tmp_path: Path) -> None:
        for name in self.contents:
            samples = made.CONTENTS[name]()
            root = made.write(tmp_path / name, samples, self.format, classes=("a", "b"))
            with open_dataset(root) as dataset:
                assert dataset.format == self.format
                read = dataset.read(range(len(dataset)))
                assert dataset.schema == schema_of(samples)
            expected = {sample.key: content_digest(sample) for sample in samples}
            assert {sample.key: content_digest(sample) for sample in read} == expected

    def test_contents_that_do_not_fit_are_refused_before_anything_is_written(self) -> None:
        writer = writers()[self.format]
        for name, make in made.CONTENTS.items():
            assert bool(writer.refusal(schema_of(make()))) == (name not in self.contents), name

    def test_info_has_the_files_and_their_hashes(self, tmp_path: Path) -> None:
        info = self.shard(tmp_path / "a", self.samples)
        assert info.samples == len(self.samples)
        assert info.files
        for file in info.files:
            content = (tmp_path / "a" / file.name).read_bytes()
            assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())

    def test_same_samples_give_same_bytes(self, tmp_path: Path) -> None:
        assert self.shard(tmp_path / "a", self.samples) == self.shard(tmp_path / "b", self.samples)
        assert made.files_of(tmp_path / "a") == made.files_of(tmp_path / "b")

    def test_a_writer_makes_several_shards(self, tmp_path: Path) -> None:
        writer = self.writer(self.samples)
        infos = []
        for name in ("shard-00000", "shard-00001"):
            (tmp_path / name).mkdir()
            writer.start(tmp_path / name / "shard-00000")
            for sample in self.samples:
                writer.write(sample)
            infos.append(writer.finish())
        assert infos[0] == infos[1]

    def test_finish_closes_the_files(self, tmp_path: Path) -> None:
        self.shard(tmp_path / "a", self.samples)
        assert open_below(tmp_path) == []

    def test_abandon_closes_the_files(self, tmp_path: Path) -> None:
        writer = self.writer(self.samples)
        writer.start(tmp_path / "shard-00000")
        writer.write(self.samples[0])
        assert bool(open_below(tmp_path)) == self.opens_files
        writer.abandon()
        assert open_below(tmp_path) == []

    def test_samples_that_do_not_fit_are_argument_errors(self, tmp_path: Path) -> None:
        writer = self.writer(self.samples)
        writer.start(tmp_path / "shard-00000")
        bad = self.bad_sample(self.samples[0])
        with pytest.raises(ArgumentError):
            writer.write(bad)
        writer.abandon()
        assert open_below(tmp_path) == []
