"""JSON lines: a sample a line; encoded files are in Base64."""

import base64
import json

import numpy as np

from penstock import extend


def line_table(storage):
    """Return the offsets and the lengths of the lines of a file."""
    content = np.frombuffer(storage.read_whole(), np.uint8)
    bounds = np.unique([0, *np.flatnonzero(content == ord("\n")) + 1, len(content)])
    return bounds[:-1], np.diff(bounds)


def is_json_lines(head, storage):
    return head.startswith(b'{"key": ')


class LineSamples(extend.StoredSamples):
    """The lines of some files."""

    def __init__(self, location):
        super().__init__(location)
        opened = location.damages.open(location.files, location.options)
        tables = location.damages.each(list(opened.values()), line_table)
        self._lines = extend.RecordFiles(*tables)
        self.learn(location.manifest)

    def __len__(self):
        return len(self._lines)

    def read(self, indices):
        lines = self._lines.read(indices, np.empty).views()
        return [self._sample(*pair) for pair in zip(indices.tolist(), lines, strict=True)]

    def _sample(self, index, line):
        try:
            fields = json.loads(line.tobytes())
            for name, value in fields.items():
                if isinstance(value, dict):
                    fields[name] = extend.Encoded(
                        base64.b64decode(value["base64"]), value["extension"]
                    )
            return extend.Sample(str(fields.pop("key")), fields)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise extend.DecodeError(
                f"{self.where(index)}: no sample of JSON lines: {error}"
            ) from None

    def where(self, index):
        return self._lines.where(index)

    def close(self):
        self._lines.close()


class LineWriter(extend.OneFileWriter):
    """Writes `.jsonl` files."""

    suffix = ".jsonl"

    @classmethod
    def refusal(cls, schema):
        unfit = [name for name, each in schema.items() if each.type == "array" or name == "key"]
        return f"JSON lines have no room for the component {unfit[0]!r}" if unfit else ""

    def write(self, sample):
        fields = {"key": sample.key, **sample.components}
        for name, value in sample.components.items():
            if isinstance(value, np.ndarray):
                raise extend.ArgumentError(f"the component {name!r} is an array")
            if isinstance(value, extend.Encoded):
                text = base64.b64encode(value.data).decode()
                fields[name] = {"base64": text, "extension": value.extension}
        self.file.write([json.dumps(fields).encode() + b"\n"])
        self.samples += 1


JSON_LINES = extend.DatasetFormat(
    name="jsonlines",
    title="JSON lines",
    open=LineSamples,
    writer=LineWriter,
    recognize=is_json_lines,
    endings=(".jsonl",),
)
extend.register_dataset_format(JSON_LINES)
