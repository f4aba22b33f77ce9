"""Train a small network that spells speech, with the CTC loss, on manifests of NVIDIA NeMo.

    python examples/asr.py train.json val.json --letters "abcdefghijklmnopqrstuvwxyz '"

The program prints the loss of each epoch, and the share of wrong letters in other utterances. If
`--save` names a file that exists, the training goes on from there. `torchrun --nproc-per-node 2
examples/asr.py ...` trains on two ranks.
"""

import argparse
import os
from itertools import islice
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import GenericIterator

RATE = 16_000
BANDS = 64


@pipeline_def(batch_size=16, num_threads=4, seed=7)
def utterances(manifest: str, training: bool, device: str) -> Any:
    """Log-mel features and texts, filled to the longest of the batch, and the features' lengths."""
    audio, text = fn.readers.nemo_asr(
        manifest_filepaths=manifest,
        sample_rate=RATE,
        read_sample_rate=False,
        random_shuffle=training,
        pad_last_batch=not training,
        name="speech",
    )
    if device == "cuda":
        audio = audio.gpu()
    if training:  # other speeds, and noise
        audio = fn.audio_resample(audio, scale=fn.random.uniform(values=[0.9, 1.0, 1.1]))
        audio = fn.noise.gaussian(audio, stddev=fn.random.uniform(range=[0.0, 0.01]))
    audio = fn.preemphasis_filter(audio)
    spectrogram = fn.spectrogram(audio, nfft=512, window_length=400, window_step=160)
    bands = fn.mel_filter_bank(spectrogram, nfilter=BANDS, sample_rate=float(RATE))
    bands = fn.to_decibels(bands, cutoff_db=-60.0)
    bands = fn.normalize(bands, axes=[1], epsilon=1.0)
    return fn.pad(bands), bands.shape()[1], fn.pad(text)


def batches_of(pipeline: Pipeline, last_batch: str) -> Any:
    """Return an iterator over features, their lengths and texts."""
    return GenericIterator(
        pipeline,
        ["features", "windows", "text"],
        reader_name="speech",
        batch_form="tuple",
        last_batch_policy=last_batch,
    )


def network(letters: str) -> nn.Module:
    """Return a model: (batch, bands, windows) to scores of tokens; a step is two windows."""
    return nn.Sequential(
        nn.Conv1d(BANDS, 96, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Conv1d(96, 96, 7, padding=3),
        nn.ReLU(),
        nn.Conv1d(96, 1 + len(letters), 1),  # token 0 is CTC's blank
    )


def scored(model: nn.Module, features: Any, windows: Any, device: str) -> tuple[Any, Any]:
    """Return logarithms of probabilities (steps, batch, tokens), and the steps of each."""
    scores = model(features.to(device)).log_softmax(1).permute(2, 0, 1)
    return scores, (windows.flatten().long() + 1).div(2, rounding_mode="floor")


def tokens(text: torch.Tensor, letters: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tokens of all texts, one after the other, and their number in each text.

    Texts are bytes, filled with zeros. Bytes that are none of the letters have no token.
    """
    token_of = torch.zeros(256, dtype=torch.long)
    token_of[list(letters.encode("ascii"))] = torch.arange(1, len(letters) + 1)
    tokens = token_of[text.long()]
    return tokens[tokens > 0], (tokens > 0).sum(1)


def spelled(path: list[int]) -> list[int]:
    """Return the tokens of a path of CTC: without repetitions and blanks."""
    before = [0, *path[:-1]]
    return [token for token, last in zip(path, before, strict=True) if token not in (0, last)]


def errors(found: list[int], wanted: list[int]) -> int:
    """Return how many tokens must be put in, left out or replaced (Levenshtein)."""
    row = list(range(len(wanted) + 1))
    for number, token in enumerate(found, 1):
        diagonal, row[0] = row[0], number
        for at, other in enumerate(wanted, 1):
            least = min(row[at] + 1, row[at - 1] + 1, diagonal + (token != other))
            diagonal, row[at] = row[at], least
    return row[-1]


def train(
    manifest: str,
    val_manifest: str,
    letters: str,
    epochs: int = 10,
    device: str = "cpu",
    save: str = "",
) -> None:
    """Train, and validate after each epoch."""
    gpu = int(os.environ.get("LOCAL_RANK", 0)) if device == "cuda" else None
    if gpu is not None:
        torch.cuda.set_device(gpu)
    batches = batches_of(utterances(manifest, True, device, device_id=gpu), "fill")
    val_batches = batches_of(utterances(val_manifest, False, device, device_id=gpu), "partial")
    model = network(letters).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "batches": batches}
    first = 0
    if os.path.exists(save):
        run = torch.load(save, map_location=device)
        for name, part in parts.items():
            part.load_state_dict(run[name])
        first = run["epoch"] + 1
    parallel = DistributedDataParallel(model) if dist.is_initialized() else model
    loss_of = nn.CTCLoss(zero_infinity=True)

    for epoch in range(first, epochs):
        model.train()
        sums = torch.zeros(4, device=device)  # of losses, steps, wrong tokens and tokens
        for features, windows, text in batches:
            scores, steps = scored(parallel, features, windows, device)
            targets, counts = tokens(text.cpu(), letters)
            loss = loss_of(scores, targets, steps, counts)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums[:2] += torch.stack([loss.detach(), torch.ones_like(loss)])
        model.eval()
        with torch.no_grad():
            for features, windows, text in val_batches:
                scores, steps = scored(model, features, windows, device)
                targets, counts = tokens(text.cpu(), letters)
                paths = scores.argmax(2).T.tolist()
                texts = iter(targets.tolist())
                for path, length, count in zip(paths, steps.tolist(), counts.tolist(), strict=True):
                    wrong = errors(spelled(path[:length]), list(islice(texts, count)))
                    sums[2:] += torch.tensor([wrong, count], device=device)
        if dist.is_initialized():
            dist.all_reduce(sums)
        if dist.is_initialized() and dist.get_rank():
            continue  # the first rank prints and saves
        losses, number, wrong, total = sums.tolist()
        print(f"epoch {epoch}: loss {losses / number:.3f}, letter errors {wrong / total:.1%}")
        if save:
            run = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**run, "epoch": epoch}, save)

    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("manifest", help="the utterances of the training")
    parser.add_argument("val_manifest", help="the utterances of the validation")
    parser.add_argument("--letters", default="abcdefghijklmnopqrstuvwxyz '")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--save", default="", help="the file in which the run is kept")
    given = parser.parse_args()
    if dist.is_torchelastic_launched():  # by torchrun
        dist.init_process_group()
    train(**vars(given))
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
