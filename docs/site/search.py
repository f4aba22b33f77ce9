"""The search of the site: Pagefind's index, in which guides stand before references.

Readers search by words that a page does not say, so pages have keywords. The queries below are
asked when the site is built: each must find its page first.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

RANKING = {
    "termSimilarity": 2.0,
    "pageLength": 0.5,
    "termFrequency": 0.6,
    "metaWeights": {"title": 0},
}
"""Whole words count more than their parts, and long pages win less, than Pagefind itself has it."""

UNSEARCHED = (
    *("architecture", "benchmarks", "changelog", "contributing", "genindex", "glossary", "search"),
)
"""Pages for those who work on Penstock: users do not look for them."""

REFERENCES = ("names/", "operators/", "gallery", "iterator_arguments", "pipeline_arguments")
GUIDE, REFERENCE, NAME, KEYWORD = 1.0, 0.1, 1.0, 10.0
"""Weights of words."""

KEYWORDS = {
    "clips": "video classification, action recognition, frames",
    "command_line": "penstock doctor, inspect, convert, bench, tune, verify",
    "damaged": "corrupt files, broken shard, truncated, skip bad samples",
    "datasets": "convert to WebDataset, TFRecord, Parquet, RecordIO, LMDB, COCO, Hugging Face, Hub",
    "debugging": "breakpoint, print values, step through",
    "detection": "bounding boxes, keypoints, polygons, COCO, instance segmentation",
    "detector": "object detection, mAP, train on COCO",
    "distributed": "multiple GPUs, multi-GPU, DDP, FSDP, torchrun, several nodes, ranks",
    "errors": "exception, traceback, message, what to do",
    "from_torch": "DataLoader, Dataset, collate, num_workers, PyTorch",
    "iterators": "checkpoint, resume, state_dict, save and load, end of an epoch, last batch",
    "systems": "macOS, Windows, Python 3.14, free-threaded, supported systems",
    "performance": "slow, speed, bottleneck, faster, GPU utilization, out of memory, prefetch",
    "porting": "NVIDIA DALI, migrate from DALI",
    "remote": "S3, GCS, Azure, HTTP, cloud storage, bucket",
    "segmentation": "image and mask, mask and image, masks, semantic segmentation, U-Net",
    "shuffling": "shuffle, random order, seed, reproducible",
    "speech": "ASR, speech recognition, CTC, LibriSpeech, Common Voice, NeMo",
    "training": "AMP, mixed precision, autocast, ImageNet, image classification, accuracy, folder",
    "video": "MP4, frames, sequence, decode video",
    "your_python": "python_function, external_source, custom Python, callback",
}
"""Words that readers look for, by page."""

QUERIES = {
    "checkpoint": "iterators",
    "image and mask": "segmentation",
    "AMP": "training",
    "multiple GPUs": "distributed",
    "convert to WebDataset": "datasets",
    "corrupt files": "damaged",
    "DataLoader": "from_torch",
    "bounding boxes": "detection",
    "shuffle": "shuffling",
    "S3 bucket": "remote",
    "GPU utilization": "performance",
    "fn.resize": "operators/resize",
}
"""What readers ask for, with the pages that answer."""

ARTICLE = '<article role="main" id="furo-main-content">'


def searchable(page: str, text: str) -> str:
    """Return the HTML of a page with what Pagefind is to find, and with its weight.

    >>> searchable("changelog", ARTICLE) == ARTICLE
    True
    >>> searchable("video", ARTICLE).startswith('<article data-pagefind-body')
    True
    """
    text = text.replace("<html ", f"<html data-ranking='{json.dumps(RANKING)}' ", 1)
    if page in UNSEARCHED:
        return text
    is_reference = page.startswith(REFERENCES)
    weight, words, word_weight = GUIDE, KEYWORDS.get(page, ""), KEYWORD
    if is_reference:  # its headings count as those of guides do, unless they have a weight
        text = re.sub(r"<(h[1-3])>", rf'<\1 data-pagefind-weight="{REFERENCE}">', text)
        weight, word_weight = REFERENCE, NAME
        words = f"fn.{name}" if (name := page.removeprefix("operators/")) != page else ""
    opened = ARTICLE.replace(
        "<article", f'<article data-pagefind-body data-pagefind-weight="{weight}"'
    )
    if words:
        opened += (
            f'<p class="keywords" hidden data-pagefind-weight="{word_weight}">'
            f"{html.escape(words)}</p>"
        )
    return text.replace(ARTICLE, opened, 1)


def write(site: Path) -> None:
    """Write the index of a site into its folder `pagefind`."""
    shutil.rmtree(site / "pagefind", ignore_errors=True)  # else parts of older indexes stay
    command = [sys.executable, "-m", "pagefind", "--silent", "--exclude-selectors", ".headerlink"]
    subprocess.run([*command, "--site", site], check=True)


def found(site: Path, queries: list[str]) -> dict[str, list[str]] | None:
    """Return the pages that queries find, best first; None without Node.js."""
    node = shutil.which("node")
    if node is None:
        return None
    program = HERE / "queries.mjs"
    command: list[str | Path] = [node, program, site, json.dumps(RANKING), *queries]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    pages: dict[str, list[str]] = json.loads(printed)
    return pages


def wrong(site: Path) -> list[str]:
    """Return a line for each query that does not find its page first."""
    answers = found(site, list(QUERIES))
    if answers is None:
        print("The queries of the search are not tried: there is no Node.js", file=sys.stderr)
        return []
    return [
        f"the search for {query!r} finds {', '.join(answers[query]) or 'nothing'}; {page}.html "
        "is to be first: give the page keywords in docs/site/search.py"
        for query, page in QUERIES.items()
        if answers[query][:1] != [f"{page}.html"]
    ]


def description(text: str) -> str:
    """Return the first paragraph of a page's Markdown as plain text of one line.

    >>> description("# Title\\n\\nReads [files](a.md)\\nof `.npy`. More.\\n\\n## Next")
    'Reads files of .npy. More.'
    """
    paragraphs = re.split(r"\n\s*\n", text)
    first = next((part for part in paragraphs if re.match(r"[A-Za-z`\[]", part)), "")
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))
    return re.sub(r"[`*]", "", plain)[:300]
