"""docs/batches.md: its programs run, and its pictures are drawn by the orders themselves."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from penstock import fn, pipeline_def
from penstock.engine.order.cursor import Cursor
from penstock.engine.order.dealt import Dealt
from penstock.engine.order.length_classes import LengthClasses
from penstock.engine.order.mixture import Mixture
from penstock.engine.order.packs import Packs
from penstock.engine.order.rounds import Rounds
from penstock.engine.order.sampler import Sampler
from penstock.engine.order.shares import shares_of_choice, shares_of_weights
from penstock.engine.order.subset import Subset
from penstock.tests.checkout import ROOT

from .readers.energon_sets import prepared

PAGE = (ROOT / "docs" / "batches.md").read_text("utf-8")
MIXED, LISTED, BALANCED, COSTED, BOUND, PACKED, SHARED, MODEL, CHANGED = re.findall(
    r"```python\n(.*?)```", PAGE, re.DOTALL
)
PICTURES = dict(re.findall(r"<!-- (\w+) -->\n```text\n(.*?)```", PAGE, re.DOTALL))


def _picture(**rows):
    lines = (f"{name:<10}{' '.join(map(str, values))}" for name, values in rows.items())
    return "".join(f"{line}\n" for line in lines)


def _three_sources():
    sizes = {"a": 5, "b": 2, "c": 2}
    return Mixture(sizes, shares_of_choice(sizes, {})), np.array([0, 5, 7])


def test_turns_of_three_sources():
    plan, firsts = _three_sources()
    found = Cursor(plan, 9).select(0)
    assert PICTURES["turns"] == _picture(
        position=range(9),
        source=["abc"[i] for i in found.source],
        sample=found.index - firsts[found.source],
    )


def test_labels_in_balance():
    sizes = {"0": 8, "1": 2}
    shares = shares_of_weights(sizes, {"0": 1, "1": 1}, "longest")
    found = Cursor(Mixture(sizes, shares, indices=Subset(range(10), 10)), 8).select(0)
    assert PICTURES["balance"] == _picture(
        position=range(8), label=found.source, sample=found.index
    )


def test_two_ranks():
    plan, _ = _three_sources()
    rank_of, step_of, source_of = {}, {}, {}
    for rank in range(2):
        cursor = Cursor(plan, 2, shard_id=rank, num_shards=2)
        for step in range(3):
            found = cursor.select(step)
            places = zip(found.epoch.tolist(), found.position.tolist(), found.source, strict=True)
            for epoch, position, source in places:
                if not epoch:
                    rank_of[position], step_of[position] = rank, step
                    source_of[position] = "abc"[source]
    assert PICTURES["ranks"] == _picture(
        position=range(9),
        source=[source_of[i] for i in range(9)],
        rank=[rank_of[i] for i in range(9)],
        step=[step_of[i] for i in range(9)],
    )


def test_a_step_that_stays_as_large():
    state = replace(Sampler(8, 2).state, global_batch=4)
    rank_of = {}
    for step, ranks in enumerate((2, 3)):
        plan = Dealt(Sampler(8, 2, state=state))
        cursors = [Cursor(plan, 2, shard_id=rank, num_shards=ranks) for rank in range(ranks)]
        for rank, cursor in enumerate(cursors):
            rank_of |= dict.fromkeys(cursor.select(0).position.tolist(), (rank, step))
        state = cursors[0].state_after(1)
    assert PICTURES["held"] == _picture(
        position=sorted(rank_of),
        rank=[rank_of[i][0] for i in range(8)],
        step=[rank_of[i][1] for i in range(8)],
    )


def test_rounds_of_two_classes():
    classes = LengthClasses([1] * 10 + [2] * 5, budget=2, buckets=[1, 2], most=9)
    ranks = [Rounds(classes, 9, shard_id=rank, num_shards=2) for rank in range(2)]
    steps = [[rank.select(step) for rank in ranks] for step in range(ranks[0].sizes(0)[0] // 9)]
    assert PICTURES["rounds"] == "".join(
        f"{line}\n"
        for line in (
            "step     " + " ".join(map(str, range(len(steps)))),
            "class    " + " ".join(str(one.source[0]) for one, _ in steps),
            "samples  " + " ".join(str(one.valid.sum() + two.valid.sum()) for one, two in steps),
        )
    )


def test_sources_of_a_metadataset(tmp_path):
    (tmp_path / "one").mkdir()
    prepared(tmp_path / "one")
    file = tmp_path / "all.yaml"
    file.write_text('{"splits": {"train": {"blend": [{"path": "one", "weight": 1}]}}}')
    names = {"pipeline_def": pipeline_def, "fn": fn}
    arguments = {"ext": ["label"], "dtypes": [np.int32]}
    exec(LISTED, names)
    with names["listed"](str(file), arguments) as pipe:
        fields, source = pipe.run()
        assert len(fields) == 16
        assert not source.as_array().any()


def test_speech_in_batches_of_equal_cost(tmp_path):
    soundfile = pytest.importorskip("soundfile")
    entries = []
    for i in range(60):
        seconds = 0.1 + 0.02 * i
        soundfile.write(tmp_path / f"{i}.wav", np.zeros(int(seconds * 8000)), 8000)
        entries.append({"audio_filepath": f"{i}.wav", "duration": seconds, "text": str(i)})
    manifest = tmp_path / "speech.json"
    manifest.write_text("\n".join(map(json.dumps, entries)))
    program = COSTED.replace('"budget": 600, "buckets": 30', '"budget": 6, "buckets": 4')
    names = {"fn": fn, "pipeline_def": pipeline_def}
    exec(compile(program, "batches.md", "exec"), names)
    with names["utterances"](str(manifest)) as pipe:
        steps = pipe.shard_sizes("speech")[0] // 256
        texts, sizes = [], []
        for _ in range(steps):
            audio, text = pipe.run()
            sizes.append(len(text))
            assert audio.shape()[0][0] * len(audio) <= 6 * 8000
            texts += [bytes(row).decode() for row in text.rows()][: int(text.valid.sum())]
        assert sorted(map(int, texts)) == [*range(60)]
        assert len(set(sizes)) > 2
    program = BOUND.replace('"budget": 600, "buckets": 30', '"budget": 6, "buckets": 4')
    exec(compile(program, "batches.md", "exec"), names)
    shapes = set()
    with names["of_few_shapes"](str(manifest)) as pipe:
        for _ in range(steps):
            audio, samples, _ = pipe.run()
            shapes.add(audio.as_array().shape)
            assert samples.as_array().max() <= audio.as_array().shape[1]
    assert len(shapes) == 4


def test_packed_rows():
    packs = Packs(np.array([3, 2, 2, 5]), 5)
    lengths = [3, 2, 2, 5]
    rows = []
    for index in range(packs.size):
        row = [str(n) for n in packs.samples(index).tolist() for _ in range(lengths[n])]
        rows.append(row + ["."] * (5 - len(row)))
    rows.sort()
    assert PICTURES["rows"] == "".join(f"row {i}  {' '.join(row)}\n" for i, row in enumerate(rows))


def test_a_model_trains_on_packed_rows(tmp_path):
    torch = pytest.importorskip("torch")
    from penstock.plugin.pytorch import DALIGenericIterator

    torch.manual_seed(0)
    paths = []
    for i in range(96):  # texts that count up from some word
        paths.append(str(tmp_path / f"{i:02}.npy"))
        first, length = 1 + i % 7, 3 + i % 20
        np.save(paths[-1], (1 + (first + np.arange(length)) % 31).astype(np.int64))
    names = {"fn": fn, "pipeline_def": pipeline_def}
    exec(compile(PACKED + MODEL, "batches.md", "exec"), names)
    model = names["Model"]()
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    losses = []
    with names["rows_of_tokens"](paths) as pipe:
        batches = DALIGenericIterator(pipe, reader_name="tokens")
        for _ in range(15):
            for (batch,) in batches:
                loss = names["loss_of"](model, batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
        tokens, bounds = batch["tokens"].long(), batch["cu_seqlens"].long()
        _, sample = model(tokens, batch["positions"].long(), bounds)
        whole, _ = model(tokens, batch["positions"].long(), bounds)
        alone = tokens.clone()
        alone[0, sample[0] != 1] = 0  # another row that has the first sample alone
        changed, _ = model(alone, batch["positions"].long(), bounds)
        assert torch.allclose(whole[0, sample[0] == 1], changed[0, sample[0] == 1], atol=1e-6)
    assert losses[-1] < 0.5 * losses[0]


def test_shares_of_packed_rows(tmp_path):
    paths = {name: [str(tmp_path / f"{name}{i}.npy") for i in range(40)] for name in ("a", "b")}
    for number, path in enumerate([*paths["a"], *paths["b"]]):
        np.save(path, np.full(20 + number % 9, number, np.int32))
    names = {"fn": fn, "pipeline_def": pipeline_def}
    exec(compile(SHARED, "batches.md", "exec"), names)
    with names["mixed_rows"](*paths.values()) as pipe:
        for _ in range(10):
            assert np.bincount(pipe.run()[2].as_array()).tolist() == [6, 2]


def test_the_programs(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    for folder, count in (("hand", 20), ("web", 40)):
        for i in range(count):
            path = tmp_path / folder / f"label {i % 3}" / f"{i}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(bytes([i]))
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(MIXED + BALANCED + CHANGED, "batches.md", "exec"), names)
    loop = names["batches"]
    counts = [np.bincount(batch[0]["source"].numpy(), minlength=2) for batch in loop]
    assert len(counts) == 5  # 60 samples at equal shares of the longest epoch, 160 * 0.25 = 40
    names["pipe"].close()
