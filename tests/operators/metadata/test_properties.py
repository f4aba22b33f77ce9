import pytest

from penstock import fn, pipeline_def
from penstock.engine.errors import ArgumentError


def texts(batch):
    return [bytes(batch.at(i)).decode() for i in range(len(batch))]


def test_origin_and_layout(photo_tree):
    @pipeline_def(batch_size=3, num_threads=2)
    def define():
        encoded, _ = fn.readers.file(files=photo_tree.files)
        images = fn.decoders.image(encoded)
        return (
            fn.get_property(encoded, key="source_info"),
            images.property("layout"),
            (images.source_info()),
        )

    with define() as pipe:
        origins, layouts, again = pipe.run()
    assert texts(origins) == texts(again) == [str(path) for path in photo_tree.files[:3]]
    assert texts(layouts) == ["HWC"] * 3


def test_without_an_origin():
    with pipeline_def(lambda: fn.ones().source_info(), batch_size=2, num_threads=1)() as pipe:
        assert texts(pipe.run()[0]) == ["", ""]


def test_unknown_key():
    with pytest.raises(ArgumentError, match="'key' must be 'source_info' or 'layout'"):
        pipeline_def(lambda: fn.get_property(fn.ones(), key="size"), batch_size=1)()
