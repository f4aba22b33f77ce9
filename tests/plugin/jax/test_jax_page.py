"""docs/jax.md: the examples run, and print what the comments say."""

from __future__ import annotations

import re

import pytest

from penstock.tests.checkout import ROOT

pytest.importorskip("jax", reason="the plugin of JAX needs JAX")

PAGE = ROOT / "docs" / "jax.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


@pytest.fixture
def run(photo_tree, capsys, cpus):
    """Runs programs of the page, one after the other; returns the names and what was printed."""
    names = {"__name__": "an_example"}

    def run_one(program):
        text = program.replace('"photos"', repr(str(photo_tree.root)))
        exec(compile(text, str(PAGE), "exec"), names)
        printed = capsys.readouterr().out.splitlines()
        said = re.findall(r"^print\(.*\)  # (.*)$", program, re.M)
        assert not said or printed == said
        return names, printed

    return run_one


def test_a_network_learns(run):
    assert PROGRAMS[0].count("\n") <= 40
    names, printed = run(PROGRAMS[0])
    assert [line[:8] for line in printed] == ["epoch 0:", "epoch 1:", "epoch 2:"]
    losses = [float(line.split()[-1]) for line in printed]
    assert losses[2] < losses[0]
    assert len(names["batches"]) == 4


def test_the_other_examples(run, photo_tree):
    run(PROGRAMS[0])
    for program in PROGRAMS[1:3]:
        names, _ = run(program)
    assert names["total"].shape == ()
    run(PROGRAMS[4])
    with names["pipeline"](str(photo_tree.root)) as pipe:
        assert pipe.run()[0].shape() == [(32, 32, 3)] * 4


def test_the_look_ahead(run):
    pytest.importorskip("clu", reason="iterators with a look ahead need CLU")
    run("import jax\nfrom penstock import fn\n")
    run(PROGRAMS[3])
