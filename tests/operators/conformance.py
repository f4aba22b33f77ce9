"""What every operator on samples must do, as a test class that operators' tests inherit.

Each run also checks that the operator leaves its inputs as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from penstock import Pipeline
from penstock.engine.graph.nodes import add_node
from penstock.engine.graph.operator import OPERATORS

from ..gpu.agreement import agree, source

Rows = list[np.ndarray]


class OperatorConformance:
    """Inherit it, and say which operator is tested on which samples.

    Attributes:
        operator: its name in `fn`.
        layout: of the first input.
        inputs: samples of each input; at least three that differ.
        arguments: of the operator.
        per_sample: arguments that may vary by sample: a value for each sample.
        bad: arguments, or samples of the first input, that are refused, with the message. The
            message must be the same on all devices.
        largest: largest difference between the results of CPU and GPU.
    """

    operator: ClassVar[str]
    layout: ClassVar[str] = "HWC"
    inputs: ClassVar[Sequence[Sequence[Any]]]
    arguments: ClassVar[Mapping[str, Any]] = {}
    per_sample: ClassVar[Mapping[str, Sequence[Any]]] = {}
    bad: ClassVar[Sequence[tuple[Mapping[str, Any], str]]] = ()
    largest: ClassVar[float] = 0

    def run(
        self,
        inputs: Sequence[Sequence[Any]],
        device: str = "cpu",
        *,
        threads: int = 2,
        views: bool = False,
        **changed: Any,
    ) -> tuple[Rows, str]:
        """Return the results and their layout; a list as an argument holds a value a sample."""
        with Pipeline(batch_size=max(1, len(inputs[0])), num_threads=threads, seed=5) as pipe:
            nodes = self._nodes(inputs, device, views=views)
            given = {**self.arguments, **changed}
            given = {k: source(v) if isinstance(v, list) else v for k, v in given.items()}
            (output, *_) = add_node(OPERATORS[self.operator], nodes, given)
            pipe.set_outputs(output, *nodes)
            result, *after = pipe.run()
            for column, before in zip(after, inputs, strict=True):
                assert_rows([*column.as_cpu().rows()], [np.asarray(sample) for sample in before])
            return [np.array(row) for row in result.as_cpu().rows()], result.layout()

    def _nodes(self, inputs: Sequence[Sequence[Any]], device: str, *, views: bool) -> list[Any]:
        layouts = [self.layout, *[""] * (len(inputs) - 1)]
        sliced = [views and np.ndim(rows[0]) > 0 for rows in inputs]  # numbers have no views
        nodes = []
        for rows, layout, each in zip(inputs, layouts, sliced, strict=True):
            node = source([np.repeat(row, 2, axis=-1) for row in rows] if each else rows, layout)
            nodes.append(node[..., ::2] if each else node)
        return [node.gpu() for node in nodes] if device == "gpu" else nodes

    def test_rows_agree_in_dtype_dimensions_and_layout(self) -> None:
        rows, layout = self.run(self.inputs)
        assert len(rows) == len(self.inputs[0])
        assert len({(row.dtype, row.ndim) for row in rows}) == 1
        assert len(layout) in (0, rows[0].ndim)
        assert len(set(layout)) == len(layout)

    def test_results_depend_on_neither_threads_nor_batch_size(self) -> None:
        wanted, _ = self.run(self.inputs)
        assert_rows(self.run(self.inputs, threads=1)[0], wanted)
        assert_rows(self.run(self.inputs, threads=4)[0], wanted)
        for i, row in enumerate(wanted):
            assert_rows(self.run([rows[i : i + 1] for rows in self.inputs])[0], [row])

    def test_an_empty_sample_list_gives_no_results(self) -> None:
        empty = [
            np.empty((0, *np.shape(rows[0])), np.asarray(rows[0]).dtype) for rows in self.inputs
        ]
        assert self.run(empty)[0] == []

    def test_arguments_by_sample_give_what_constants_give(self) -> None:
        for name, values in self.per_sample.items():
            rows, _ = self.run(self.inputs, **{name: [np.asarray(value) for value in values]})
            for i, value in enumerate(values):
                alone, _ = self.run([rows[i : i + 1] for rows in self.inputs], **{name: value})
                assert_rows([rows[i]], alone)

    def test_views_give_what_contiguous_samples_give(self) -> None:
        wanted, _ = self.run(self.inputs)
        assert_rows(self.run(self.inputs, views=True)[0], wanted)

    def test_the_gpu_agrees(self, device_stage: bool) -> None:
        if "gpu" not in OPERATORS[self.operator].devices:
            pytest.skip(f"fn.{self.operator} does not run on the GPU")
        layouts = [self.layout, *[""] * (len(self.inputs) - 1)]
        options = {"layout": layouts, "largest": self.largest, "arguments": self.arguments}
        agree(self.operator, *self.inputs, **options)
        for name, values in self.per_sample.items():
            others = {k: v for k, v in self.arguments.items() if k != name}
            options = {"layout": layouts, "largest": self.largest, "arguments": others}
            agree(self.operator, *self.inputs, per_sample={name: values}, **options)

    def test_errors_are_the_same_on_both_devices(self, device_stage: bool) -> None:
        devices = [d for d in OPERATORS[self.operator].devices if d in ("cpu", "gpu")]
        for changed, message in self.bad:
            texts = []
            for device in devices:
                with pytest.raises(ValueError, match=message) as caught:
                    self.run(self.inputs, device, **changed)
                texts.append(str(caught.value))
            assert len(set(texts)) == 1


def assert_rows(rows: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> None:
    """Check that rows are equal in number, dtype, shape and values."""
    assert len(rows) == len(wanted)
    for row, expected in zip(rows, wanted, strict=True):
        np.testing.assert_array_equal(row, expected, strict=True)
