"""Where operators run, where they read, and what is said of data on another device."""

from __future__ import annotations

import re

import pytest

from penstock import ArgumentError, fn, types
from penstock.engine.graph.nodes import Graph, defining

from ..toys import Affine, Numbers, call


@pytest.fixture(autouse=True)
def graph():
    with defining(Graph()):
        yield


def refused(text):
    return pytest.raises(ArgumentError, match=re.escape(text))


def test_data_must_be_where_the_operator_runs():
    data, labels = call(Numbers)
    with refused("is on the GPU; move it with .cpu(), or give the operator device='gpu'"):
        call(Affine, data.gpu())
    with refused("is on the CPU; move it with .gpu(), or leave the argument device out"):
        fn.flip(data, device="gpu")
    with refused("named arguments must be on the CPU; use .cpu()"):
        call(Affine, data, a=labels.gpu())
    with refused("not on 'gpu'"):
        call(Affine, data, device="gpu")


def test_a_node_moves_only_to_the_other_device():
    data, _ = call(Numbers)
    assert data.cpu() is data
    assert data.gpu().gpu().device == "gpu"
    assert data.gpu().cpu().device == "cpu"


def test_an_operator_runs_where_its_inputs_are():
    data, _ = call(Numbers)
    assert fn.flip(data).device == "cpu"
    assert fn.flip(data.gpu()).device == "gpu"


def test_what_an_operator_of_the_gpu_reads_on_the_cpu_is_copied_there():
    data, labels = call(Numbers)
    cut = fn.slice(data.gpu(), labels.gpu(), labels, axes=[0])
    assert [data.device for data in cut.node.inputs] == ["gpu", "cpu", "cpu"]
    with refused("runs on the CPU"):
        fn.slice(data, labels.gpu(), labels, axes=[0])


def test_constants_go_along_to_the_gpu():
    data, _ = call(Numbers)
    joined = fn.cat(data.gpu(), types.Constant([1.0, 2.0]))
    assert [data.device for data in joined.node.inputs] == ["gpu", "gpu"]
