"""Training on the CPU with batches of equal cost and with packs, beside fixed batches and padding.

python benchmarks/training_orders.py --speech jfk.flac [--rounds 3] [--json FILE]
    [--gpu [--utterances 1000]]

*Speech.* Two ranks (gloo) train a small transformer on log-mels of FLAC files. Windows of a
recording have lengths like those of LibriSpeech (`orders.py`). A fixed batch has 8 utterances in
any order, and is padded to its longest. `batch_cost` has at most as many seconds as 8 of the
longest utterances. Before that, both orders give the same log-mels, or the benchmark ends. A figure
is seconds of sound, without padding, a second of CPU time of both ranks, or of the clock. With
--gpu, one process decodes and trains on a GPU, a fixed batch has 32 utterances, an epoch has each
file eight times, and the network is larger. The first steps do not count there: a pipeline and a
network on a GPU begin slowly.

*Text.* One process trains on rows of 2,048 tokens: packs of `fn.readers.pack`, or one sample a
row, padded to 2,048 or to the longest of the batch. Lengths have a mean of 400. Attention is dense,
with a mask, so a row costs the square of its length. Before that, both forms give the same samples
to one network. Their losses must agree, or the benchmark ends. A figure is tokens, without padding.
With --gpu this part is left out.

The forms take turns. A turn is an epoch of a network that begins with the same weights. A loss that
is no number ends the benchmark. `loss` is the mean of an epoch's second half.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from penstock import Pipeline, fn, types
from penstock.benchmarks import common, orders

RATE, MELS = 16_000, 80
LENGTH, WORDS = 2048, 256
PORT_FILE = "store"


@dataclass(frozen=True)
class Setting:
    """How speech is trained on.

    Attributes:
        device: "cpu" or "cuda".
        ranks: processes.
        fixed: utterances of a fixed batch.
        width, layers: of the transformer.
        repeats: how often an epoch has each file.
        warm_steps: first steps of a turn that do not count.
    """

    device: str = "cpu"
    ranks: int = 2
    fixed: int = 8
    width: int = 128
    layers: int = 2
    repeats: int = 1
    warm_steps: int = 0


GPU = Setting("cuda", 1, 32, 512, 12, repeats=8, warm_steps=20)


@dataclass(frozen=True)
class Row:
    """The medians of the turns of two forms of batches.

    Attributes:
        name: what is compared.
        unit: of the figures.
        ours, other: amount a second of CPU time; `wall` and `other_wall` of the clock.
        ratio, lowest, highest: of CPU time, round by round; `wall_ratio` of the clock.
        loss, other_loss: of the last turn.
        steps, other_steps: of an epoch.
    """

    name: str
    unit: str
    ours: float
    other: float
    ratio: float
    lowest: float
    highest: float
    wall: float
    other_wall: float
    wall_ratio: float
    loss: float
    other_loss: float
    steps: int
    other_steps: int


@dataclass(frozen=True)
class Turn:
    """What an epoch of one form took.

    Attributes:
        amount: seconds of sound, or tokens, of all ranks.
        cpu, wall: seconds.
        loss: mean of the second half.
        steps: of a rank.
    """

    amount: float
    cpu: float
    wall: float
    loss: float
    steps: int


def compared(name: str, unit: str, ours: list[Turn], others: list[Turn]) -> Row:
    """Return the row of two forms."""
    pairs = list(zip(ours, others, strict=True))
    ratios = [(a.amount / a.cpu) / (b.amount / b.cpu) for a, b in pairs]
    walls = [(a.amount / a.wall) / (b.amount / b.wall) for a, b in pairs]
    row = Row(
        name,
        unit,
        ours=median(turn.amount / turn.cpu for turn in ours),
        other=median(turn.amount / turn.cpu for turn in others),
        ratio=median(ratios),
        lowest=min(ratios),
        highest=max(ratios),
        wall=median(turn.amount / turn.wall for turn in ours),
        other_wall=median(turn.amount / turn.wall for turn in others),
        wall_ratio=median(walls),
        loss=ours[-1].loss,
        other_loss=others[-1].loss,
        steps=ours[-1].steps,
        other_steps=others[-1].steps,
    )
    print(row, flush=True)
    return row


def network(dimensions: int, layers: int) -> Any:
    """Return the layers of a transformer, without what is before and behind them."""
    import torch

    layer = torch.nn.TransformerEncoderLayer(
        dimensions, 4, 4 * dimensions, dropout=0.0, batch_first=True, norm_first=True
    )
    return torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)


def trained(net: Any, losses: Iterable[tuple[Any, float]], warm_steps: int = 0) -> Turn:
    """Train for an epoch.

    Args:
        net: the network.
        losses: the loss of each batch, and the amount of data in it.
        warm_steps: steps that do not count.

    Raises:
        RuntimeError: a loss is no number.
    """
    import torch

    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    amount, seen = 0.0, []
    cpu, wall = common.cpu_seconds(), time.perf_counter()
    for loss, count in losses:
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        amount += count
        seen.append(loss.item())
        if len(seen) == warm_steps:
            amount, cpu, wall = 0.0, common.cpu_seconds(), time.perf_counter()
    cpu, wall = common.cpu_seconds() - cpu, time.perf_counter() - wall
    if not np.isfinite(seen).all():
        raise RuntimeError(f"losses: {seen}")
    return Turn(amount, cpu, wall, float(np.mean(seen[len(seen) // 2 :])), len(seen))


# Speech


def utterances(folder: Path, recording: Path, count: int) -> Any:
    """Write windows of a recording as FLAC; return their lengths in seconds, (count,)."""
    import soundfile

    with Pipeline(1, 1) as pipe:
        encoded, _ = fn.readers.file(files=[str(recording)])
        pipe.set_outputs(fn.decoders.audio(encoded, sample_rate=RATE, downmix=True)[0])
        signal = np.array(pipe.run()[0].at(0)).ravel()
    seconds = orders.lengths(count)
    starts = np.random.default_rng(1).integers(0, len(signal), count)
    for number, (start, length) in enumerate(zip(starts, seconds, strict=True)):
        window = np.resize(np.roll(signal, -start), round(length * RATE))
        soundfile.write(folder / f"{number:04}.flac", window, RATE, "PCM_16")
    return seconds


def speech(folder: Path, seconds: Any, rank: int, costed: bool, setting: Setting) -> Any:
    """Return the batches of a rank: log-mels (batch, MELS, frames), frames, and what is no copy."""
    from penstock.plugin.pytorch import DALIGenericIterator

    order: dict[str, Any] = {"pad_last_batch": True}
    size, on_gpu = setting.fixed, setting.device == "cuda"
    if costed:
        budget = size * float(seconds.max())
        costs = np.tile(seconds, setting.repeats)
        order = {"batch_cost": {"by": costs, "budget": budget, "buckets": 10}}
        size *= 10
    gpu: dict[str, Any] = {"device_id": 0} if on_gpu else {"exec_processes": False}
    with Pipeline(size, 8 if on_gpu else 1, seed=1, **gpu) as pipe:
        encoded, _ = fn.readers.file(
            files=[str(folder / f"{number:04}.flac") for number in range(len(seconds))]
            * setting.repeats,
            random_shuffle=True,
            name="speech",
            shard_id=rank,
            num_shards=setting.ranks,
            **order,
        )
        decoder = "mixed" if on_gpu else "cpu"
        sound, _ = fn.decoders.audio(encoded, downmix=True, dtype=types.FLOAT, device=decoder)
        spectra = fn.spectrogram(sound, nfft=512, window_length=400, window_step=160)
        mels = fn.mel_filter_bank(spectra, sample_rate=RATE, nfilter=MELS)
        mels = fn.to_decibels(mels, cutoff_db=-80) * 0.05
        pipe.set_outputs(fn.pad(mels, fill_value=0), mels.shape(dtype=types.INT64))
    return DALIGenericIterator(
        pipe,
        ["mels", "shape"],
        reader_name="speech",
        last_batch_policy="partial",
        batch_form="tuple",
        with_valid=True,
    )


def check_speech(folder: Path, seconds: Any, setting: Setting) -> None:
    """Raise RuntimeError unless both orders give the same utterances, padded with zeros."""
    found = []
    for costed in (True, False):
        rows = []
        with speech(folder, seconds, 0, costed, replace(setting, ranks=1)) as batches:
            for mels, shape, valid in batches:
                lengths, own = shape[:, 1].tolist(), valid.flatten().tolist()
                for row, frames, is_valid in zip(mels, lengths, own, strict=True):
                    if row[:, frames:].any():
                        raise RuntimeError("an utterance has other values than 0 behind its end")
                    if is_valid:
                        rows.append((frames, float(row.double().sum())))
        found.append(np.array(sorted(rows)))
    ours, others = found
    if len(ours) != len(seconds) * setting.repeats or not np.allclose(ours, others, rtol=1e-6):
        raise RuntimeError("the orders give other utterances, or other log-mels")


def make_speech_net(setting: Setting) -> Any:
    """Return a network that predicts the next frame, at a fourth of the rate."""
    import torch

    width = setting.width

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before = torch.nn.Sequential(
                torch.nn.Conv1d(MELS, width, 3, 2, 1),
                torch.nn.GELU(),
                torch.nn.Conv1d(width, width, 3, 2, 1),
            )
            self.layers = network(width, setting.layers)
            self.after = torch.nn.Linear(width, MELS)

        def forward(self, mels: Any, frames: Any) -> Any:
            hidden = self.before(mels).transpose(1, 2)
            steps = torch.arange(hidden.shape[1], device=hidden.device)
            padding = steps >= frames[:, None] // 4
            guess = self.after(self.layers(hidden, src_key_padding_mask=padding))[:, :-1]
            wanted = mels[:, :, ::4].transpose(1, 2)[:, 1 : guess.shape[1] + 1]
            return ((guess - wanted)[~padding[:, 1:]] ** 2).mean()

    torch.manual_seed(0)
    return Net().to(setting.device)


def train_speech(
    rank: int, folder: Path, seconds: Any, rounds: int, setting: Setting, results: Any
) -> None:
    """Train as one of the ranks; rank 0 puts the turns of both forms, in pairs, into `results`."""
    import torch
    from torch.nn.parallel import DistributedDataParallel

    torch.set_num_threads(1)
    distributed: Any = torch.distributed
    store = distributed.FileStore(str(folder / PORT_FILE), setting.ranks)
    torch.distributed.init_process_group("gloo", store=store, rank=rank, world_size=setting.ranks)
    for _ in range(rounds):
        for costed in (True, False):
            net = make_speech_net(setting)
            if setting.ranks > 1:
                net = DistributedDataParallel(net)
            with speech(folder, seconds, rank, costed, setting) as batches:
                torch.distributed.barrier()
                turn = trained(net, _speech_losses(net, batches), setting.warm_steps)
            sums = torch.tensor([turn.amount, turn.cpu], dtype=torch.float64)
            torch.distributed.all_reduce(sums)
            if rank == 0:
                amount, cpu = sums.tolist()
                results.put(Turn(amount, cpu, turn.wall, turn.loss, turn.steps))
    torch.distributed.destroy_process_group()


def _speech_losses(net: Any, batches: Any) -> Iterator[tuple[Any, float]]:
    import torch

    for mels, shape, valid in batches:
        frames = shape[:, 1].to(mels.device)
        with torch.autocast(mels.device.type, torch.bfloat16, enabled=mels.is_cuda):
            loss = net(mels, frames)
        # The last step has copies, which are no more sound.
        yield loss, float(shape[valid.flatten(), 1].sum()) / 100


# Text


def texts(folder: Path, count: int) -> Any:
    """Write tokens; return the lengths, (count,): a mean of 400, and LENGTH at most."""
    rng = np.random.default_rng(3)
    lengths = np.clip(rng.lognormal(5.63, 0.85, count), 16, LENGTH).astype(int)
    lengths = np.clip(lengths * 400 / lengths.mean(), 16, LENGTH).astype(int)
    for number, length in enumerate(lengths):
        steps = rng.integers(1, 4, length).cumsum() % (WORDS - 1) + 1
        np.save(folder / f"{number:04}.npy", steps.astype(np.int32))
    return lengths


def rows(folder: Path, lengths: Any, form: str) -> Any:
    """Return the batches of a form: tokens, positions and the number of the sample, (2, length)."""
    import torch

    from penstock.plugin.pytorch import DALIGenericIterator

    files = [str(folder / f"{number:04}.npy") for number in range(len(lengths))]
    order: dict[str, Any] = {"random_shuffle": True, "pad_last_batch": True, "name": "rows"}
    names = ["tokens", "more"]
    with Pipeline(2, 1, seed=1, exec_processes=False) as pipe:
        if form == "packs":
            tokens, bounds, positions, _ = fn.readers.pack(
                fn.readers.numpy(files=files), length=LENGTH, lengths=lengths, **order
            )
            pipe.set_outputs(tokens, fn.pad(bounds, fill_value=LENGTH), positions)
            names.append("positions")
        else:
            tokens = fn.readers.numpy(files=files, **order)
            shape: dict[str, Any] = {"shape": [LENGTH]} if form == "padded" else {}
            pipe.set_outputs(fn.pad(tokens, **shape), tokens.shape(dtype=types.INT64))
    options: dict[str, Any] = {
        "last_batch_policy": "partial",
        "batch_form": "tuple",
        "reader_name": "rows",
    }
    iterator: Any = DALIGenericIterator(pipe, names, **options)
    with iterator as batches:
        for tokens, more, *positions in batches:
            steps = torch.arange(tokens.shape[1]).expand(len(tokens), -1).contiguous()
            if positions:
                sample = torch.searchsorted(more.long(), steps, right=True)
                yield tokens.long(), positions[0].long(), sample
            else:
                yield tokens.long(), steps, (steps >= more).long()


def make_text_net() -> Any:
    """Return a network that predicts the next tokens: the sum of losses, and their number."""
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(WORDS, 128)
            self.places = torch.nn.Embedding(LENGTH, 128)
            self.layers = network(128, 2)
            self.after = torch.nn.Linear(128, WORDS)

        def forward(self, tokens: Any, positions: Any, sample: Any) -> Any:
            hidden = self.words(tokens) + self.places(positions)
            steps = torch.arange(tokens.shape[1])
            seen = (sample[:, :, None] == sample[:, None, :]) & (steps[:, None] >= steps)
            mask = torch.zeros(seen.shape).masked_fill_(~seen, -torch.inf)
            guess = self.after(self.layers(hidden, mask.repeat_interleave(4, 0)))
            follows = (sample[:, 1:] == sample[:, :-1]) & (tokens[:, 1:] > 0)
            wanted = tokens[:, 1:][follows]
            return torch.nn.functional.cross_entropy(
                guess[:, :-1][follows], wanted, reduction="sum"
            ), len(wanted)

    torch.manual_seed(0)
    return Net()


def train_text(folder: Path, lengths: Any, form: str) -> Turn:
    """Train for an epoch of one form."""
    net = make_text_net()

    def losses() -> Iterator[tuple[Any, float]]:
        for tokens, positions, sample in rows(folder, lengths, form):
            loss, count = net(tokens, positions, sample)
            yield loss / count, float((tokens > 0).sum())

    return trained(net, losses())


def check_packs(folder: Path, lengths: Any) -> None:
    """Raise RuntimeError unless packs and padded rows have the same loss with one network."""
    import torch

    net, means = make_text_net().eval(), []
    with torch.no_grad():
        for form in ("packs", "to the longest"):
            found = [net(*batch) for batch in rows(folder, lengths, form)]
            counts = sum(count for _, count in found)
            means.append((float(sum(loss for loss, _ in found)) / counts, counts))
    (ours, count), (other, others) = means
    if count != others or abs(ours - other) > 1e-4 * other:
        raise RuntimeError(f"losses differ: packs {means[0]}, padded {means[1]}")
    print(f"one network: a loss of {ours:.5f} for packs, {other:.5f} for padded rows", flush=True)


def main() -> int:
    import torch

    parser = common.command_line(__doc__, rounds=3, only=False)
    parser.add_argument("--speech", type=Path, required=True, metavar="FILE", help="a recording")
    parser.add_argument("--utterances", type=int, default=240)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--gpu", action="store_true", help="speech on a GPU")
    options = parser.parse_args()
    setting = GPU if options.gpu else Setting()
    found = [*of_speech(options, setting), *(() if options.gpu else of_text(options))]
    common.record(options, found, load=os.getloadavg()[0], torch=torch.__version__)
    return 0


def of_speech(options: Namespace, setting: Setting) -> list[Row]:
    """Return the row of speech."""
    import torch

    with tempfile.TemporaryDirectory() as text:
        seconds = utterances(Path(text), options.speech, options.utterances)
        check_speech(Path(text), seconds, setting)
        processes: Any = torch.multiprocessing
        results = processes.get_context("spawn").SimpleQueue()
        arguments = (Path(text), seconds, options.rounds, setting, results)
        processes.spawn(train_speech, arguments, setting.ranks)
        turns = [results.get() for _ in range(2 * options.rounds)]
    where = "a GPU" if setting.device == "cuda" else f"{setting.ranks} ranks"
    name = f"speech, batch_cost by fixed batches, {where}"
    return [compared(name, "s of sound a CPU s", turns[::2], turns[1::2])]


def of_text(options: Namespace) -> list[Row]:
    """Return the rows of text."""
    import torch

    torch.set_num_threads(1)
    forms = ("packs", "padded", "to the longest")
    turns: dict[str, list[Turn]] = {form: [] for form in forms}
    with tempfile.TemporaryDirectory() as text:
        lengths = texts(Path(text), options.texts)
        check_packs(Path(text), lengths)
        for _ in range(options.rounds):
            for form in forms:
                turns[form].append(train_text(Path(text), lengths, form))
    name, unit = "text, packs by rows padded to", "tokens a CPU s"
    others = {"2,048": turns["padded"], "the longest of the batch": turns["to the longest"]}
    return [
        compared(f"{name} {what}", unit, turns["packs"], other) for what, other in others.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
