"""Train a small language model on rows that hold several texts each.

    python examples/language.py data/texts/train data/texts/val

The folders hold text files, and a token is a byte. The program prints the loss of each epoch, and
how many bits a byte of other texts takes. Attention does not cross texts: `--device cuda` computes
it by PyTorch's FlashAttention for texts of different lengths, from `cu_seqlens`. If `--save` names
a file that exists, the training goes on from there. `torchrun --nproc-per-node 2
examples/language.py ...` trains on two ranks.
"""

import argparse
import os
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import GenericIterator

LENGTH, WIDTH, HEADS, LAYERS = 512, 128, 4, 3

Attention = Callable[..., torch.Tensor]


@pipeline_def(batch_size=8, num_threads=2, seed=7)
def rows(folder: str, training: bool, device: str) -> Any:
    """Rows of tokens, where texts begin in each, and each token's position in its text."""
    paths = [path for path in sorted(Path(folder).glob("*.txt")) if path.stat().st_size]
    text, _ = fn.readers.file(files=[str(path) for path in paths])
    tokens, cu_seqlens, positions, _ = fn.readers.pack(
        text,
        length=LENGTH,
        lengths=[path.stat().st_size for path in paths],  # or else all files are read once
        long="split",
        random_shuffle=training,
        pad_last_batch=not training,
        name="texts",
    )
    outputs = tokens, fn.pad(cu_seqlens, fill_value=LENGTH), positions
    return tuple(output.gpu() for output in outputs) if device == "cuda" else outputs


def batches_of(pipeline: Pipeline, last_batch: str) -> Any:
    """Return an iterator over tokens, `cu_seqlens` and positions."""
    return GenericIterator(
        pipeline,
        ["tokens", "cu_seqlens", "positions"],
        reader_name="texts",
        batch_form="tuple",
        last_batch_policy=last_batch,
    )


def attention_within(cu_seqlens: torch.Tensor) -> Attention:
    """Return causal attention that stays within each text.

    Args:
        cu_seqlens: where texts begin in each row, and where the last one ends, filled up with
            LENGTH: (batch, bounds).

    Returns:
        A function of queries, keys and values, each (batch, LENGTH, HEADS, n). So is its result.
    """
    batch, device = len(cu_seqlens), cu_seqlens.device
    if cu_seqlens.is_cuda:
        from torch.nn.attention.varlen import varlen_attn

        varlen: Any = varlen_attn
        # The rows one after the other are one long row. What is left of a row counts as a text.
        starts = (cu_seqlens + LENGTH * torch.arange(batch, device=device)[:, None]).flatten()
        bounds = functional.pad(starts, (0, 1), value=batch * LENGTH).int()

        def attend(*parts: torch.Tensor) -> torch.Tensor:
            flat = [part.flatten(0, 1).bfloat16() for part in parts]
            found: torch.Tensor = varlen(*flat, bounds, bounds, LENGTH, LENGTH, window_size=(-1, 0))
            return found.view_as(parts[0])

        return attend
    steps = torch.arange(LENGTH).repeat(batch, 1)
    number = torch.searchsorted(cu_seqlens, steps, right=True)  # of a token's text in its row
    mask = (number[:, None, :, None] == number[:, None, None, :]).tril()

    def attend_by_mask(*parts: torch.Tensor) -> torch.Tensor:
        query, key, value = (part.transpose(1, 2) for part in parts)
        return functional.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2)

    return attend_by_mask


class Layer(nn.Module):
    """A layer of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.second_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inputs, self.outputs = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.thinking = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, hidden: Any, attention: Attention) -> Any:
        """(batch, LENGTH, WIDTH) to the same."""
        parts = self.inputs(self.norm(hidden)).unflatten(2, (3, HEADS, -1)).unbind(2)
        hidden = hidden + self.outputs(attention(*parts).flatten(2).type_as(hidden))
        return hidden + self.thinking(self.second_norm(hidden))


class Model(nn.Module):
    """Gives each token the scores of the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(256, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.scores = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 256))

    def forward(self, tokens: Any, cu_seqlens: Any, positions: Any) -> tuple[Any, Any]:
        """Return the summed losses of tokens that follow one of their text, and their number."""
        attention = attention_within(cu_seqlens)
        hidden = self.words(tokens.int()) + self.places(positions)
        for layer in self.layers:
            hidden = layer(hidden, attention)
        follows = positions[:, 1:] > 0
        wanted = torch.where(follows, tokens[:, 1:].long(), -100)  # -100 has no loss
        scores = self.scores(hidden[:, :-1]).flatten(0, 1)
        loss = functional.cross_entropy(scores, wanted.flatten(), reduction="sum")
        return loss, follows.sum().clamp(min=1)  # texts of one token have no loss


def train(
    folder: str, val_folder: str, epochs: int = 6, device: str = "cpu", save: str = ""
) -> None:
    """Train, and validate after each epoch."""
    gpu = int(os.environ.get("LOCAL_RANK", 0)) if device == "cuda" else None
    if gpu is not None:
        torch.cuda.set_device(gpu)
    batches = batches_of(rows(folder, True, device, device_id=gpu), "fill")
    val_batches = batches_of(rows(val_folder, False, device, device_id=gpu), "partial")
    model = Model().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "batches": batches}
    first = 0
    if os.path.exists(save):
        run = torch.load(save, map_location=device)
        for name, part in parts.items():
            part.load_state_dict(run[name])
        first = run["epoch"] + 1
    parallel = DistributedDataParallel(model) if dist.is_initialized() else model

    for epoch in range(first, epochs):
        sums = torch.zeros(4, device=device)  # losses and tokens of the training, of other texts
        for batch in batches:
            loss, count = parallel(*batch)
            optimizer.zero_grad()
            (loss / count).backward()
            optimizer.step()
            sums[:2] += torch.stack([loss.detach(), count])
        with torch.no_grad():
            for batch in val_batches:
                sums[2:] += torch.stack(model(*batch))
        if dist.is_initialized():
            dist.all_reduce(sums)
        if dist.is_initialized() and dist.get_rank():
            continue  # the first rank prints and saves
        loss, count, val_loss, val_count = sums.tolist()
        bits = val_loss / val_count / log(2)
        print(f"epoch {epoch}: loss {loss / count:.3f}, {bits:.2f} bits a byte")
        if save:
            run = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**run, "epoch": epoch}, save)

    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", help="the texts of the training")
    parser.add_argument("val_folder", help="the texts of the validation")
    parser.add_argument("--epochs", type=int, default=6)
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
