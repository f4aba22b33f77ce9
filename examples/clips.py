"""Train a network on clips of videos: a folder of videos for each class.

    python examples/clips.py videos/train videos/val --classes 4

Each epoch reads all clips of 8 frames in another order. The program prints the loss of each epoch,
and the accuracy on clips of other videos.
"""

import argparse
from typing import Any

import torch
from torch import nn

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import GenericIterator


@pipeline_def(batch_size=8, num_threads=4, seed=7)
def clips(folder: str, training: bool, device: str) -> Any:
    """Clips of every second of 16 frames, at 48x80 pixels, normalized, and their labels."""
    frames, labels = fn.readers.video(
        file_root=folder,
        sequence_length=8,
        stride=2,
        step=8,
        random_shuffle=training,
        pad_last_batch=True,
        device="gpu" if device == "cuda" else "cpu",
        name="clips",
    )
    frames = fn.resize(frames, size=(48, 80))
    frames = fn.crop_mirror_normalize(
        frames, mean=[124.0] * 3, std=[58.0] * 3, output_layout="FHWC"
    )
    return frames, labels


def batches_of(pipeline: Pipeline) -> Any:
    """Return an iterator over clips (batch, channels, frames, height, width) and labels."""
    return GenericIterator(
        pipeline,
        ["clips", "labels"],
        reader_name="clips",
        batch_form="tuple",
        class_labels="labels",
        channels_last="clips",
        last_batch_policy="partial",
    )


def network(classes: int) -> nn.Module:
    """Return a small network of convolutions in time and space."""
    return nn.Sequential(
        nn.Conv3d(3, 16, (3, 5, 5), stride=2, padding=(1, 2, 2)), nn.BatchNorm3d(16), nn.ReLU(),
        nn.Conv3d(16, 32, 3, stride=2, padding=1), nn.BatchNorm3d(32), nn.ReLU(),
        nn.Conv3d(32, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.AdaptiveMaxPool3d(1), nn.Flatten(), nn.Linear(32, classes),
    )  # fmt: skip


def train(path: str, val_path: str, classes: int, epochs: int = 8, device: str = "cpu") -> None:
    """Train, and validate after each epoch."""
    batches = batches_of(clips(path, True, device))
    val_batches = batches_of(clips(val_path, False, device))
    model = network(classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(epochs):
        model.train()
        losses = []
        for frames, labels in batches:
            loss: Any = nn.functional.cross_entropy(model(frames), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        right = total = 0
        with torch.no_grad():
            for frames, labels in val_batches:
                right += (model(frames).argmax(1) == labels.to(device)).sum().item()
                total += len(labels)
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}, accuracy {right / total:.1%}")
    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", help="the folder of the videos for the training")
    parser.add_argument("val_path", help="the folder of the videos for the validation")
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    train(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
