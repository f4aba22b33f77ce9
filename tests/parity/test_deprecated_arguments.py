"""Arguments that DALI calls deprecated: each operator here takes them, as DALI does."""

from __future__ import annotations

import numpy as np
import pytest

from penstock import fn, pipeline_def, types
from penstock.engine.graph.operator import OPERATORS

dali = pytest.importorskip("nvidia.dali")

POLYGON = [[0, 0, 3, 0, 3, 3], [1, 1, 2, 1, 2, 2, 1, 2]]


def schemas():
    """Yield (name in fn, schema) of DALI's operators that are here, too."""
    for name, operator_class in OPERATORS.items():
        module = dali.fn
        for part in name.split("."):
            module = getattr(module, part, None)
        if hasattr(module, "_schema_name"):
            yield name, operator_class, dali.backend.GetSchema(module._schema_name)


def test_each_deprecated_argument_is_declared_as_such():
    OPERATORS.complete()
    seen = 0
    for name, operator_class, schema in schemas():
        for argument in filter(schema.IsDeprecatedArg, schema.GetArgumentNames()):
            seen += 1
            new = schema.DeprecatedArgInfo(argument)["renamed_to"]
            if new:
                assert operator_class.older_names.get(argument) == new, (name, argument)
            else:
                assert operator_class.params[argument].deprecated, (name, argument)
    assert seen > 50


def test_each_argument_and_each_deprecated_operator_is_there():
    OPERATORS.complete()
    common = {"seed", "preserve", "bytes_per_sample_hint", "device", "name"}
    for name, operator_class, schema in schemas():
        known = common | operator_class.params.keys() | operator_class.older_names.keys()
        assert known >= set(schema.GetArgumentNames()), name


def outputs(define, functions, kinds, arguments):
    @define(batch_size=2, num_threads=1, device_id=None)
    def pipeline():
        return tuple(functions.readers.coco(**arguments(kinds)))

    pipe = pipeline()
    pipe.build()
    return [[np.array(output[i]) for i in range(2)] for output in pipe.run()]


@pytest.fixture
def coco(tmp_path):
    import json

    from PIL import Image

    images = [{"id": i, "file_name": f"{i}.png", "width": 8, "height": 6} for i in (1, 2)]
    annotations = [
        {"id": i, "image_id": i, "category_id": 1, "bbox": [0, 0, 3, 3], "area": 9, "iscrowd": 0}
        | {"segmentation": POLYGON}
        for i in (1, 2)
    ]
    for image in images:
        Image.new("RGB", (8, 6)).save(tmp_path / image["file_name"])
    categories = [{"id": 1, "name": "one"}]
    file = tmp_path / "instances.json"
    file.write_text(
        json.dumps({"images": images, "annotations": annotations, "categories": categories})
    )
    return {"file_root": str(tmp_path), "annotations_file": str(file)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("older", [{"masks": True}, {"save_img_ids": True}])
def test_the_older_arguments_of_coco(coco, older):
    ours = outputs(pipeline_def, fn, types, lambda kinds: coco | older)
    theirs = outputs(dali.pipeline_def, dali.fn, dali.types, lambda kinds: coco | older)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        for i in range(2):
            np.testing.assert_array_equal(one[i], other[i])
            assert one[i].dtype == other[i].dtype


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_stored_annotations_by_older_names(coco, tmp_path):
    stored = {"dump_meta_files": True, "dump_meta_files_path": str(tmp_path / "stored")}
    expected = outputs(pipeline_def, fn, types, lambda kinds: coco | stored)
    again = {"file_root": coco["file_root"], "meta_files_path": str(tmp_path / "stored")}
    for side in ((pipeline_def, fn, types), (dali.pipeline_def, dali.fn, dali.types)):
        found = outputs(*side, lambda kinds: again)
        for one, other in zip(found, expected, strict=True):
            for i in range(2):
                np.testing.assert_array_equal(one[i], other[i])
