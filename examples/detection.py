"""Train a small detector on a data set in COCO's format.

    python examples/detection.py train2017 instances_train2017.json val2017 instances_val2017.json

The program prints the loss of each epoch, and how many objects of the other images the detector
finds. If `--save` names a file that exists, the training goes on from there. `torchrun
--nproc-per-node 2 examples/detection.py ...` trains on two ranks.
"""

import argparse
import json
import os
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy, smooth_l1_loss
from torch.nn.parallel import DistributedDataParallel

from penstock import Pipeline, fn, pipeline_def
from penstock.plugin.pytorch import GenericIterator

SIDE = 96
GRIDS = {12: 0.25, 6: 0.4, 3: 0.75}  # cells along a side, and the size of their anchors
RATIOS = (1.0, 2.0, 0.5)  # width to height
STDS = [0.1, 0.1, 0.2, 0.2]  # scale the four offsets to about one


def anchor_boxes() -> torch.Tensor:
    """Return the anchors as left, top, right and bottom, relative to the image: (anchors, 4)."""
    found = []
    for cells, size in GRIDS.items():
        y, x = torch.meshgrid(*[(torch.arange(cells) + 0.5) / cells] * 2, indexing="ij")
        for ratio in RATIOS:
            w, h = size * ratio**0.5 / 2, size / ratio**0.5 / 2
            found.append(torch.stack([x - w, y - h, x + w, y + h], -1).reshape(-1, 4))
    return torch.cat(found)


@pipeline_def(batch_size=16, num_threads=4, seed=7)
def scenes(folder: str, annotations: str, training: bool, decoder: str, anchors: Any) -> Any:
    """Images, and the offset and class of each anchor; for validation boxes and labels."""
    encoded, boxes, labels = fn.readers.coco(
        file_root=folder,
        annotations_file=annotations,
        ltrb=True,
        ratio=True,
        skip_empty=True,
        random_shuffle=training,
        pad_last_batch=not training,
        name="scenes",
    )
    mirror = fn.random.coin_flip() if training else 0
    if training:
        start, shape, boxes, labels = fn.random_bbox_crop(
            boxes,
            labels,
            thresholds=[0.0, 0.3, 0.7],
            threshold_type="overlap",  # the share of a box that is in the window
            allow_no_crop=False,
            scaling=[0.5, 1.0],
            aspect_ratio=[0.5, 2.0],
        )
        images = fn.decoders.image_slice(encoded, start, shape, device=decoder)
        boxes = fn.bb_flip(boxes, ltrb=True, horizontal=mirror)
    else:
        images = fn.decoders.image(encoded, device=decoder)
    images = fn.resize(images, size=(SIDE, SIDE))
    images = fn.crop_mirror_normalize(images, mean=[124.0] * 3, std=[58.0] * 3, mirror=mirror)
    if not training:  # -1 fills the lists of a batch to one length
        return images, fn.pad(boxes, fill_value=-1), fn.pad(labels, fill_value=-1)
    offsets, classes = fn.box_encoder(boxes, labels, anchors=anchors, offset=True, stds=STDS)
    return images, offsets, classes


def batches_of(pipeline: Pipeline, last_batch: str) -> Any:
    """Return an iterator over images, boxes or offsets, and classes."""
    return GenericIterator(
        pipeline,
        ["images", "boxes", "classes"],
        reader_name="scenes",
        batch_form="tuple",
        last_batch_policy=last_batch,
    )


class Detector(nn.Module):
    """Convolutions that halve the image, and a head for each grid of anchors."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.classes = 1 + classes  # 0 is the background
        self.stem = nn.Sequential(halved(3, 16), halved(16, 32), halved(32, 64))
        self.parts = nn.ModuleList([nn.Identity(), halved(64, 64), halved(64, 64)])
        self.heads = nn.ModuleList(
            nn.Conv2d(64, len(RATIOS) * (4 + self.classes), 3, padding=1) for _ in GRIDS
        )

    def forward(self, images: torch.Tensor) -> Any:
        """Return offsets (batch, anchors, 4) and scores (batch, anchors, classes)."""
        features, found = self.stem(images), []
        for part, head in zip(self.parts, self.heads, strict=True):
            features = part(features)
            cells = head(features).unflatten(1, (len(RATIOS), 4 + self.classes))
            found.append(cells.permute(0, 1, 3, 4, 2).flatten(1, 3))
        every = torch.cat(found, 1)
        return every[..., :4], every[..., 4:]


def halved(channels: int, more: int) -> nn.Module:
    """Return layers that halve height and width."""
    return nn.Sequential(nn.Conv2d(channels, more, 4, 2, 1), nn.BatchNorm2d(more), nn.ReLU())


def loss_of(offsets: Any, scores: Any, wanted: Any, classes: Any) -> Any:
    """Return SSD's loss: of all matched anchors, and of three times as many of the background."""
    matched = classes > 0
    count = matched.sum().clamp(min=1)
    losses = cross_entropy(scores.flatten(0, 1), classes.flatten().long(), reduction="none")
    worst = losses[~matched.flatten()].topk(min(3 * int(count), int((~matched).sum()))).values
    boxes = smooth_l1_loss(offsets[matched], wanted[matched], reduction="sum")
    return (losses[matched.flatten()].sum() + worst.sum() + boxes) / count


def decoded(offsets: torch.Tensor, anchors: torch.Tensor) -> torch.Tensor:
    """Return boxes as left, top, right and bottom: what `box_encoder` has encoded."""
    moved = offsets * torch.tensor(STDS, device=offsets.device)
    sizes = anchors[:, 2:] - anchors[:, :2]
    centers = (anchors[:, 2:] + anchors[:, :2]) / 2 + moved[..., :2] * sizes
    halves = sizes * moved[..., 2:].exp() / 2
    return torch.cat([centers - halves, centers + halves], -1)


def overlaps(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the intersection over union of each box of `a` with each box of `b`."""
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    common = (high - low).clamp(min=0).prod(-1)
    areas = [(boxes[:, 2:] - boxes[:, :2]).prod(-1) for boxes in (a, b)]
    return common / (areas[0][:, None] + areas[1][None] - common)


def detections(offsets: Any, scores: Any, anchors: Any, least: float = 0.5) -> tuple[Any, Any]:
    """Return the boxes and classes that one image has, without those that overlap a better one."""
    best, classes = scores.softmax(-1)[:, 1:].max(-1)
    order = best.argsort(descending=True)
    order = order[best[order] > least]
    boxes, classes = decoded(offsets, anchors)[order], classes[order] + 1
    same = (overlaps(boxes, boxes) > 0.45) & (classes[:, None] == classes[None])
    kept: list[int] = []
    for number in range(len(boxes)):
        if not same[number, kept].any():
            kept.append(number)
    return boxes[kept], classes[kept]


def found_of(found: tuple[Any, Any], boxes: torch.Tensor, labels: torch.Tensor) -> Any:
    """Return for each box whether a detection of its class covers it by a half."""
    hits = (overlaps(boxes, found[0]) > 0.5) & (labels[:, None] == found[1][None])
    return hits.any(1)


def train(
    path: str,
    annotations: str,
    val_path: str,
    val_annotations: str,
    epochs: int = 20,
    device: str = "cpu",
    save: str = "",
) -> None:
    """Train, and validate after each epoch."""
    gpu = int(os.environ.get("LOCAL_RANK", 0)) if device == "cuda" else None
    if gpu is not None:
        torch.cuda.set_device(gpu)
    decoder = "mixed" if device == "cuda" else "cpu"
    anchors = anchor_boxes()
    given = decoder, anchors.numpy()
    batches = batches_of(scenes(path, annotations, True, *given, device_id=gpu), "fill")
    val_pipeline = scenes(val_path, val_annotations, False, *given, device_id=gpu)
    val_batches = batches_of(val_pipeline, "partial")
    with open(annotations, encoding="utf-8") as file:
        classes = len(json.load(file)["categories"])
    model, anchors = Detector(classes).to(device), anchors.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    parts: dict[str, Any] = {"model": model, "optimizer": optimizer, "batches": batches}
    first = 0
    if os.path.exists(save):
        run = torch.load(save, map_location=device)
        for name, part in parts.items():
            part.load_state_dict(run[name])
        first = run["epoch"] + 1
    parallel = DistributedDataParallel(model) if dist.is_initialized() else model

    for epoch in range(first, epochs):
        model.train()
        sums = torch.zeros(4, device=device)  # of losses, steps, objects found and objects
        for images, offsets, labels in batches:
            moved, scores = parallel(images)
            loss = loss_of(moved, scores, offsets.to(device), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sums[:2] += torch.stack([loss.detach(), torch.ones_like(loss)])
        model.eval()
        with torch.no_grad():
            for images, boxes, labels in val_batches:
                samples = zip(*model(images), boxes.to(device), labels.to(device), strict=True)
                for offsets, scores, box, label in samples:
                    found = detections(offsets, scores, anchors)
                    hits = found_of(found, box[label >= 0], label[label >= 0])
                    sums[2:] += torch.tensor([hits.sum(), len(hits)], device=device)
        if dist.is_initialized():
            dist.all_reduce(sums)
        if dist.is_initialized() and dist.get_rank():
            continue  # the first rank prints and saves
        losses, steps, right, total = sums.tolist()
        print(f"epoch {epoch}: loss {losses / steps:.3f}, found {right / total:.1%}")
        if save:
            run = {name: part.state_dict() for name, part in parts.items()}
            torch.save({**run, "epoch": epoch}, save)

    batches.close()
    val_batches.close()


def main() -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("path", help="the folder of images")
    parser.add_argument("annotations", help="the annotations of these images")
    parser.add_argument("val_path")
    parser.add_argument("val_annotations")
    parser.add_argument("--epochs", type=int, default=20)
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
