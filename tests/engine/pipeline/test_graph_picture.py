"""The graph of a pipeline as text for Graphviz, and as a tree."""

from __future__ import annotations

import re

import pydot
import pytest

from penstock import Pipeline, fn, pipeline_def, types
from penstock.engine.pipeline.graph_picture import as_dot, as_tree
from penstock.engine.pipeline.pipeline import dtypes_of_all_data


@pipeline_def(batch_size=2, num_threads=1)
def flips():
    images = fn.reshape(fn.zeros(shape=[4, 5, 3], dtype=types.UINT8), layout="HWC", name="images")
    flipped = fn.flip(images, horizontal=fn.random.coin_flip(name="coin"))
    return flipped, images, fn.cast(flipped, dtype=types.FLOAT)


def test_operators_show_their_line_data_and_share_of_the_time():
    pipe = flips()
    before = as_dot(pipe.graph_facts())
    assert re.search(
        r'"images" \[label="fn.reshape\\nimages\\ntest_graph_picture.py:\d+\\nHWC"\]', before
    )
    assert r"FLOAT HWC" in before  # the argument of the cast
    assert " %" not in before
    pipe.run()
    facts = pipe.graph_facts()
    after = as_dot(facts)
    assert re.search(r'"images" \[label="fn.reshape\\nimages\\n.*\\nUINT8 HWC\\n\d+ %"\]', after)
    assert sum(facts.shares.values()) == pytest.approx(1)
    pipe.close()


@pytest.mark.filterwarnings("ignore:.* deprecated - use:DeprecationWarning:pydot")
@pytest.mark.parametrize("show_tensors", [False, True])
def test_another_reader_of_graphs_finds_the_same_operators_and_edges(show_tensors):
    pipe = flips()
    (graph,) = pydot.graph_from_dot_data(
        as_dot(pipe.graph_facts(), show_tensors=show_tensors, use_colors=True)
    )
    operators = {node.name for node in pipe.graph_facts().nodes}
    drawn = {node.get_name().strip('"'): node for node in graph.get_nodes()}
    assert operators <= set(drawn)
    assert "test_graph_picture.py" in drawn["images"].get_label()
    ends = {
        tuple(end.strip('"') for end in (edge.get_source(), edge.get_destination()))
        for edge in graph.get_edges()
    }
    flip = next(name for name in operators if name.startswith("flip"))
    coin = ("coin, data 0" if show_tensors else "coin", flip)
    assert coin in ends
    assert {end for pair in ends for end in pair} <= set(drawn)
    pipe.close()


def test_edges_lead_from_data_to_operators_and_outputs():
    pipe = flips()
    dot = as_dot(pipe.graph_facts())
    flip = next(node.name for node in pipe.graph_facts().nodes if node.operator.name == "flip")
    assert f'"images" -> "{flip}";' in dot
    assert f'"coin" -> "{flip}" [label="horizontal"];' in dot
    assert f'"{flip}" -> "output 0";' in dot
    assert dot.startswith("digraph graphname {\n")
    assert dot.endswith("}\n")
    pipe.close()


def test_data_and_colors_on_request(tmp_path):
    pipe = flips()
    file = tmp_path / "graph.dot"
    pipe.save_graph_to_dot_file(str(file), show_tensors=True, use_colors=True)
    dot = file.read_text()
    assert '"images" -> "images, data 0";' in dot
    assert re.search(r'"images, data 0" -> "flip_\d+";', dot)
    assert "shape=ellipse" in dot
    assert 'fillcolor="#bbdefb"' in dot
    pipe.save_graph_to_dot_file(file)
    assert "ellipse" not in file.read_text()
    with pytest.warns(DeprecationWarning, match="show_ids is deprecated"):
        pipe.save_graph_to_dot_file(file, show_ids=True)
    pipe.close()


def test_names_cannot_end_a_label():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        pipe.set_outputs(fn.random.uniform(name='a"];\n\\'))
    dot = as_dot(pipe.graph_facts())
    assert r'"a\"];\n\\" [label="fn.random.uniform\na\"];\n\\\n' in dot
    pipe.close()


def test_each_operator_of_a_tree_has_its_data_below():
    pipe = flips()
    branches = list(as_tree(pipe.graph_facts()))
    assert [branch.text for branch in branches] == [
        "output 0: fn.flip",
        "├─ fn.reshape 'images'",
        "│  └─ fn.zeros",
        "└─ horizontal: fn.random.coin_flip 'coin'",
        "output 1: fn.reshape 'images'",
        "output 2: fn.cast",
        "└─ fn.flip",
    ]
    assert [branch.repeated for branch in branches] == [False] * 4 + [True, False, True]
    pipe.close()


def test_a_long_chain_is_drawn():
    with Pipeline(batch_size=1, num_threads=1) as pipe:
        data = fn.ones(shape=[1])
        for _ in range(1500):
            data = -data
        pipe.set_outputs(data)
    assert len(list(as_tree(pipe.graph_facts()))) == 1501
    pipe.close()


def test_the_types_of_data_that_no_output_shows():
    pipe = flips()
    dtypes = dtypes_of_all_data(pipe)
    names = {node.ordinal: node.operator.name for node in pipe.graph_facts().nodes}
    found = {names[ordinal]: dtype for (ordinal, _), dtype in dtypes.items()}
    assert found == {
        "zeros": types.UINT8,
        "reshape": types.UINT8,
        "random.coin_flip": types.INT32,
        "flip": types.UINT8,
        "cast": types.FLOAT,
    }
    pipe.close()
