"""What every writer promises: `Writer`'s contract, for the tests of each format to inherit."""

from __future__ import annotations

import hashlib

import pytest

from penstock import datasets
from penstock.datasets.checking.digests import content_digest
from penstock.datasets.formats.table import writers
from penstock.datasets.formats.writer import Target
from penstock.datasets.schema import schema_of
from penstock.engine.errors import ArgumentError
from penstock.tests.datasets import made


class WriterTests:
    """Set `format` and `contents`, names in `made.CONTENTS` that the format can hold."""

    format: str
    contents: tuple[str, ...]

    def target(self, samples):
        writer = writers()[self.format]
        target = Target(schema_of(samples), ("a", "b"))
        return Target(target.schema, target.classes, writer.layout(target, samples[0]))

    def shard(self, folder, samples):
        """Write a shard; return its info."""
        folder.mkdir()
        writer = writers()[self.format](self.target(samples))
        writer.start(folder / "shard-00000")
        for sample in samples:
            writer.write(sample)
        return writer.finish()

    @property
    def samples(self):
        return made.CONTENTS[self.contents[0]]()

    def test_samples_come_back_as_they_were(self, tmp_path):
        for name in self.contents:
            samples = made.CONTENTS[name]()
            root = made.write(tmp_path / name, samples, self.format, classes=("a", "b"))
            with datasets.open_dataset(root) as dataset:
                assert dataset.format == self.format
                read = dataset.read(range(len(dataset)))
                assert dataset.schema == schema_of(samples)
            expected = {sample.key: content_digest(sample) for sample in samples}
            assert {sample.key: content_digest(sample) for sample in read} == expected

    def test_contents_that_do_not_fit_are_refused_before_anything_is_written(self):
        writer = writers()[self.format]
        for name, make in made.CONTENTS.items():
            assert bool(writer.refusal(schema_of(make()))) == (name not in self.contents), name

    def test_info_has_the_files_and_their_hashes(self, tmp_path):
        info = self.shard(tmp_path / "a", self.samples)
        assert info.samples == len(self.samples)
        assert info.files
        for file in info.files:
            content = (tmp_path / "a" / file.name).read_bytes()
            assert (file.bytes, file.sha256) == (len(content), hashlib.sha256(content).hexdigest())

    def test_same_samples_give_same_bytes(self, tmp_path):
        assert self.shard(tmp_path / "a", self.samples) == self.shard(tmp_path / "b", self.samples)
        assert made.files_of(tmp_path / "a") == made.files_of(tmp_path / "b")

    def test_a_writer_makes_several_shards(self, tmp_path):
        writer = writers()[self.format](self.target(self.samples))
        infos = []
        for name in ("shard-00000", "shard-00001"):
            (tmp_path / name).mkdir()
            writer.start(tmp_path / name / "shard-00000")
            for sample in self.samples:
                writer.write(sample)
            infos.append(writer.finish())
        assert infos[0] == infos[1]

    def test_abandon_closes_the_files(self, tmp_path):
        writer = writers()[self.format](self.target(self.samples))
        writer.start(tmp_path / "shard-00000")
        writer.write(self.samples[0])
        writer.abandon()

    def test_samples_that_do_not_fit_are_argument_errors(self, tmp_path):
        writer = writers()[self.format](self.target(self.samples))
        writer.start(tmp_path / "shard-00000")
        bad = self.bad_sample(self.samples[0])
        with pytest.raises(ArgumentError):
            writer.write(bad)
        writer.abandon()

    def bad_sample(self, sample):
        """Return a sample that the format refuses, although its kind is right."""
        raise NotImplementedError
