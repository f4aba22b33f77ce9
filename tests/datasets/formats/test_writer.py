"""What writers share: reasons to refuse a schema."""

from __future__ import annotations

from penstock.datasets import ComponentType
from penstock.datasets.formats.writer import needs_label, one_encoded, others

IMAGE, LABEL = ComponentType("encoded", "jpg"), ComponentType("int")


def test_reasons_name_the_component():
    assert one_encoded({"image": IMAGE, "label": LABEL}, "X") == ""
    assert "'a' (encoded jpg), 'b'" in one_encoded({"a": IMAGE, "b": IMAGE}, "X")
    assert others({"image": IMAGE, "label": LABEL}, {"label": "int"}, "X") == ""
    assert "'label' (int)" in others({"label": LABEL}, {"label": "float"}, "X")
    assert needs_label({"label": LABEL}, "X") == ""
    assert needs_label({"label": ComponentType("text")}, "X")
