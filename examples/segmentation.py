"""Train a network that gives each pixel a class, on a folder of images and a folder of masks.

    python examples/segmentation.py data/train data/val --classes 3

The folders `images` and `masks` below each path have files of the same names. The pixels of a mask
are classes, and 0 is the ground. The program prints the loss of each epoch, and the mean over the
classes of intersection over union (IoU) on other images.
"""

import argparse
from pathlib import Path
from typing import Any

import torch
from torch import nn

from penstock import Pipeline, fn, pipeline_def, types
from penstock.plugin.pytorch import GenericIterator

SIDE = 64
IGNORED = 255  # the class of pixels that do not count


@pipeline_def(batch_size=8, num_threads=4, seed=7)
def pairs(folder: str, training: bool, decoder: str) -> Any:
    """Images and masks of 64x64 pixels; in training, of one random window, mirrored or not."""
    paths = {kind: sorted(map(str, Path(folder, kind).iterdir())) for kind in ("images", "masks")}
    stems = [[Path(path).stem for path in files] for files in paths.values()]
    assert stems[0] == stems[1], "each image needs a mask of its name"
    # Readers with the same list, seed and shuffle read in the same order.
    same: dict[str, Any] = {"random_shuffle": training, "shuffle_seed": 1, "pad_last_batch": True}
    encoded, _ = fn.readers.file(files=paths["images"], name="images", **same)
    encoded_masks, _ = fn.readers.file(files=paths["masks"], **same)
    images = fn.decoders.image(encoded, device=decoder)
    masks = fn.decoders.image(encoded_masks, device=decoder, output_type=types.GRAY)

    # A mask's numbers must not be mixed: it takes the nearest pixel. Two calls, one seed.
    window: dict[str, Any] = {"size": (SIDE, SIDE), "random_area": (0.3, 1.0), "seed": 3}
    nearest = types.INTERP_NN
    if training:
        images = fn.random_resized_crop(images, **window)
        masks = fn.random_resized_crop(masks, interp_type=nearest, **window)
        images = fn.color_twist(images, brightness=fn.random.uniform(range=[0.8, 1.2]))
    else:
        images = fn.resize(images, size=(SIDE, SIDE))
        masks = fn.resize(masks, size=(SIDE, SIDE), interp_type=nearest)
    mirror = fn.random.coin_flip() if training else 0
    images = fn.crop_mirror_normalize(images, mean=[124.0] * 3, std=[58.0] * 3, mirror=mirror)
    return images, fn.flip(masks, horizontal=mirror)


def batches_of(pipeline: Pipeline) -> Any:
    """Return an iterator over images (batch, 3, 64, 64) and masks (batch, 64, 64, 1)."""
    return GenericIterator(
        pipeline,
        ["images", "masks"],
        reader_name="images",
        batch_form="tuple",
        last_batch_policy="partial",
    )


class Network(nn.Module):
    """A small U-Net: halves the image twice, and doubles it again with what was there before."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.down = nn.ModuleList([layers(3, 16), layers(16, 32), layers(32, 64)])
        self.up = nn.ModuleList([layers(64 + 32, 32), layers(32 + 16, 16)])
        self.last = nn.Conv2d(16, classes, 1)

    def forward(self, images: torch.Tensor) -> Any:
        """Return scores (batch, classes, height, width)."""
        whole, half, quarter = self.down
        first = whole(images)
        second = half(nn.functional.max_pool2d(first, 2))
        features = quarter(nn.functional.max_pool2d(second, 2))
        for up, before in zip(self.up, (second, first), strict=True):
            large = nn.functional.interpolate(features, scale_factor=2.0)
            features = up(torch.cat([large, before], 1))
        return self.last(features)


def layers(channels: int, more: int) -> nn.Module:
    """Return a convolution with its norm."""
    return nn.Sequential(nn.Conv2d(channels, more, 3, 1, 1), nn.BatchNorm2d(more), nn.ReLU())


def train(path: str, val_path: str, classes: int, epochs: int = 8, device: str = "cpu") -> None:
    """Train, and validate after each epoch."""
    decoder = "mixed" if device == "cuda" else "cpu"
    batches = batches_of(pairs(path, True, decoder))
    val_batches = batches_of(pairs(val_path, False, decoder))
    model = Network(classes).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        model.train()
        losses = []
        for images, masks in batches:
            wanted = masks.squeeze(3).long()
            loss: Any = nn.functional.cross_entropy(model(images), wanted, ignore_index=IGNORED)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        common, either = torch.zeros(2, classes, device=device)  # pixels of each class
        with torch.no_grad():
            for images, masks in val_batches:
                wanted, found = masks.squeeze(3), model(images).argmax(1)
                for class_ in range(classes):
                    a, b = wanted == class_, (found == class_) & (wanted != IGNORED)
                    common[class_] += (a & b).sum()
                    either[class_] += (a | b).sum()
        mean = (common / either).nanmean()  # without classes that no pixel has: 0 / 0 is nan
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.3f}, IoU {mean:.1%}")
    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", help="the folder for the training")
    parser.add_argument("val_path", help="the folder for the validation")
    parser.add_argument("--classes", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    train(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
