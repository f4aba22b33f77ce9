"""Mixtures beside MDS, LitData and grain, and batches by cost beside lhotse's dynamic buckets.

python benchmarks/orders_peers.py [--images 4000] [--cuts 100000] [--rounds 5] [--json FILE]

*Mixtures.* Three sources with shares of 0.6, 0.3 and 0.1 hold the same JPEG files of about 84 KB in
each format, local and cached. A loader shuffles, has two threads or worker processes, and hands out
batches of 64 encoded images with the number of their source. Of the first quarter the checksums are
compared: a wrong image, or one that comes twice, ends the benchmark. Then the clock starts, and a
byte of every page is read. `apart` is how far a batch is from its shares at most, in samples.

*Batches by cost.* Lengths are those of `orders.py`, a batch has 600 s, there are 30 buckets.
`padding` is the part of the padded batches that is no sound, counted by the consumer. A step's time
is that of the order and of its lengths; no sound is read.

Each turn is a process, and loaders take turns. CPU seconds are those of all its processes.
`make peers PEERS="mds litdata grain lhotse"` installs the others; `--peers` is their folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import zlib
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from penstock.benchmarks import common, orders, remote_tars

SHARES = (0.6, 0.3, 0.1)

MIXED = """
import json, multiprocessing, os, resource, sys, time, zlib
import numpy as np
FOLDER, COUNT, BATCH = sys.argv[1], int(sys.argv[2]), 64
SHARES = (0.6, 0.3, 0.1)
TICKS = os.sysconf("SC_CLK_TCK")
def cpu():
    total = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{entry}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)] = int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    own = {os.getpid()}
    while more := {pid for pid, (parent, _) in parents.items() if parent in own} - own:
        own |= more
    return total + sum(parents[pid][1] for pid in own - {os.getpid()})
def report(batches):
    known = [set(sums) for sums in json.load(open(f"{FOLDER}/checksums.json"))]
    count, apart, seen, start = 0, 0.0, set(), None
    for images, sources in batches:
        if start is None:
            for image, source in zip(images, sources, strict=True):
                checksum = zlib.crc32(image)
                if checksum not in known[source] or checksum in seen:
                    sys.exit("an image is wrong or came twice")
                seen.add(checksum)
            if len(seen) >= COUNT // 4:
                start = time.perf_counter(), cpu()
            continue
        count += len(images)
        for image in images:
            np.frombuffer(image, np.uint8)[::4096].sum()
        found = np.bincount(sources, minlength=3)
        apart = max(apart, float(np.abs(found - len(images) * np.array(SHARES)).max()))
        if count >= COUNT // 2:
            break
    seconds, used = time.perf_counter() - start[0], cpu() - start[1]
    print(json.dumps({"rate": count / seconds, "cpu_rate": count / used, "apart": apart}))
    sys.stdout.flush()
    for child in multiprocessing.active_children():
        child.terminate()
    os._exit(0)
"""
PENSTOCK = """
import glob
from penstock import fn, pipeline_def
@pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
def pipeline():
    members = {str(i): READER for i in range(3)}
    weights = {str(i): share for i, share in enumerate(SHARES)}
    images, source = fn.readers.mix(members, weights=weights, random_shuffle=True)
    return images, source
pipe = pipeline()
def batches():
    while True:
        images, sources = pipe.run()
        yield images.rows(), sources.as_array().ravel()
if __name__ == "__main__":
    report(batches())
"""
PARQUET = 'fn.readers.parquet(path=f"{FOLDER}/{i}.parquet", columns=["jpg"])'
MDS = 'fn.readers.mds(path=f"{FOLDER}/mds{i}", columns=["jpg"])'
TARS = 'fn.readers.webdataset(paths=f"{FOLDER}/{i}.tar", ext=["jpg"])'
LOADERS = {
    "mds": """
import torch, streaming
def batches():
    streams = [streaming.Stream(local=f"{FOLDER}/mds{i}", proportion=share)
        for i, share in enumerate(SHARES)]
    data = streaming.StreamingDataset(streams=streams, shuffle=True, batch_size=BATCH,
        epoch_size=COUNT)
    for batch in torch.utils.data.DataLoader(data, BATCH, num_workers=2, collate_fn=list):
        yield [sample["jpg"] for sample in batch], [sample["source"] for sample in batch]
if __name__ == "__main__":
    report(batches())
""",
    "litdata": """
import litdata
def batches():
    members = [litdata.StreamingDataset(f"{FOLDER}/litdata{i}", shuffle=True) for i in range(3)]
    data = litdata.CombinedStreamingDataset(members, weights=SHARES, iterate_over_all=False)
    loader = litdata.StreamingDataLoader(data, batch_size=BATCH, num_workers=2, collate_fn=list)
    for batch in loader:
        yield [sample["jpg"] for sample in batch], [sample["source"] for sample in batch]
if __name__ == "__main__":
    report(batches())
""",
    "grain": """
import grain
from absl import flags
flags.FLAGS(sys.argv[:1])
def batches():
    members = [grain.MapDataset.source(grain.sources.ArrayRecordDataSource(f"{FOLDER}/{i}.array"))
        .shuffle(seed=i).repeat() for i in range(3)]
    data = grain.MapDataset.mix(members, SHARES).batch(BATCH, batch_fn=list).to_iter_dataset()
    for batch in data.mp_prefetch(grain.multiprocessing.MultiprocessingOptions(num_workers=2)):
        yield [record[1:] for record in batch], [record[0] for record in batch]
if __name__ == "__main__":
    report(batches())
""",
}
WRITERS = {
    "mds": """
import streaming
columns = {"jpg": "bytes", "source": "int"}
def write(i, images):
    with streaming.MDSWriter(out=f"{FOLDER}/mds{i}", columns=columns) as writer:
        for image in images:
            writer.write({"jpg": image, "source": i})
""",
    "litdata": """
import litdata
def one(place):
    return {"jpg": SOURCES[place[0]][place[1]], "source": place[0]}
def write(i, images):
    places = [(i, number) for number in range(len(images))]
    litdata.optimize(one, places, f"{FOLDER}/litdata{i}", chunk_bytes="64MB", num_workers=1)
""",
    "grain": """
from array_record.python.array_record_module import ArrayRecordWriter
def write(i, images):
    writer = ArrayRecordWriter(f"{FOLDER}/{i}.array", "group_size:1")
    for image in images:
        writer.write(bytes([i]) + image)
    writer.close()
""",
}
SOURCES = """
import pickle, sys
FOLDER = sys.argv[1]
SOURCES = pickle.load(open(f"{FOLDER}/images", "rb"))
"""
WRITE = """
if __name__ == "__main__":
    for i, images in enumerate(SOURCES):
        write(i, images)
"""
COSTED = """
import json, sys, time
import numpy as np
FOLDER, WORLD = sys.argv[1], int(sys.argv[2])
def report(batches):
    next(batches)
    start, batch_seconds, padded, held, most = time.process_time(), 0.0, 0.0, 0.0, 0.0
    steps = 0
    for lengths in batches:
        steps += 1
        padded += len(lengths) * float(lengths.max())
        held += float(lengths.sum())
        most = max(most, len(lengths) * float(lengths.max()))
    used = time.process_time() - start
    print(json.dumps({"padding": 1 - held / padded, "ms": 1000 * used / steps, "steps": steps,
        "most": most}))
"""
BUCKETS = {
    "penstock": """
from penstock import fn, pipeline_def
@pipeline_def(batch_size=1200, num_threads=1, seed=1, exec_processes=False)
def pipeline():
    cost = {"by": "duration", "budget": 600, "buckets": 30}
    return fn.readers.parquet(path=f"{FOLDER}/lengths.parquet", columns=["duration"],
        batch_cost=cost, random_shuffle=True, name="data", shard_id=0, num_shards=WORLD)
from penstock.plugin.arrays import GenericIterator
with GenericIterator(pipeline(), ["duration"], reader_name="data", batch_form="tuple") as loop:
    report(lengths for (lengths,) in loop)
""",
    "lhotse": """
from lhotse import CutSet, MonoCut
from lhotse.dataset.sampling import DynamicBucketingSampler
lengths = np.load(f"{FOLDER}/lengths.npy")
cuts = CutSet.from_cuts(MonoCut(str(i), 0, float(n), 0) for i, n in enumerate(lengths))
sampler = DynamicBucketingSampler(cuts, max_duration=600, num_buckets=30, shuffle=True, seed=1,
    world_size=WORLD, rank=0)
report(np.array([cut.duration for cut in batch]) for batch in sampler)
""",
}


@dataclass(frozen=True)
class Row:
    """The medians of a loader's turns.

    Attributes:
        loader: name of the loader, with its format or its number of ranks.
        figures: what its turns report, by name.
        ratio: how many times as much Penstock gives for a second of CPU time: the median of the
            rounds; None for Penstock.
        lowest, highest: of these ratios.
    """

    loader: str
    figures: dict[str, float]
    ratio: float | None = None
    lowest: float | None = None
    highest: float | None = None


def write(folder: Path, options: Namespace, pythons: dict[str, Path]) -> None:
    """Write the images in each format, and the lengths."""
    import pickle
    import tarfile
    from io import BytesIO

    import pyarrow as arrow
    from pyarrow import parquet

    files = remote_tars.photographs()
    images = [files[n % len(files)] + b"%06d" % n for n in range(options.images)]
    ends = np.cumsum([0, *(round(options.images * share) for share in SHARES)])
    sources = [images[ends[i] : ends[i + 1]] for i in range(len(SHARES))]
    (folder / "images").write_bytes(pickle.dumps(sources))
    sums = [list(map(zlib.crc32, source)) for source in sources]
    (folder / "checksums.json").write_text(json.dumps(sums))
    for i, source in enumerate(sources):
        table = arrow.table({"jpg": arrow.array(source, arrow.binary())})
        parquet.write_table(table, folder / f"{i}.parquet", row_group_size=64, compression="none")
        with tarfile.open(folder / f"{i}.tar", "w") as archive:
            for number, image in enumerate(source):
                member = tarfile.TarInfo(f"{number:06d}.jpg")
                member.size = len(image)
                archive.addfile(member, BytesIO(image))
    for peer in WRITERS.keys() & pythons.keys():
        _run(pythons[peer], SOURCES + WRITERS[peer] + WRITE, folder)
    lengths = orders.lengths(options.cuts).round(3)
    np.save(folder / "lengths.npy", lengths)
    table = arrow.table({"duration": lengths.astype(np.float32)})
    parquet.write_table(table, folder / "lengths.parquet", compression="none")


def _run(python: Path, program: str, folder: Path, *arguments: int) -> str:
    script = folder / "program.py"
    script.write_text(program)
    command = [str(python), str(script), str(folder), *map(str, arguments)]
    others = {} if str(python) == sys.executable else {"PYTHONPATH": ""}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=500, env=os.environ | others
    )
    if done.returncode:
        raise RuntimeError(f"{python}: {done.stderr[-2000:]}")
    return done.stdout


def by_turns(
    programs: dict[str, tuple[Path, str, int]], key: str, folder: Path, rounds: int
) -> list[Row]:
    """Run the programs by turns; the first one is Penstock's.

    Args:
        programs: Python, program and its argument, by the loader's name.
        key: of the figure whose ratios count: "cpu_rate", or "ms", of which less is better.
    """
    turns: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (python, program, argument) in programs.items():
            lines = _run(python, program, folder, argument).splitlines()
            turns[name].append(json.loads(next(line for line in lines if line.startswith("{"))))
            print(name, turns[name][-1], file=sys.stderr, flush=True)
    first, rows = next(iter(turns.values())), []
    for name, own in turns.items():
        figures = {each: median(turn[each] for turn in own) for each in own[0]}
        pairs = [(a[key], b[key]) for a, b in zip(first, own, strict=True)]
        ratios = [b / a if key == "ms" else a / b for a, b in pairs]
        if name.startswith("penstock"):
            rows.append(Row(name, figures))
        else:
            rows.append(Row(name, figures, median(ratios), min(ratios), max(ratios)))
        print(f"{name:24}", *(f"{k} {v:.4g}" for k, v in figures.items()), rows[-1].ratio)
    return rows


def main() -> int:
    parser = common.command_line(__doc__, only=False)
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--cuts", type=int, default=100_000, help="lengths of recordings")
    parser.add_argument("--peers", type=Path, default=common.PEERS)
    options = parser.parse_args()
    own = Path(sys.executable)
    pythons = {
        name: options.peers / name / "bin" / "python"
        for name in (*LOADERS, "lhotse")
        if (options.peers / name / "bin" / "python").exists()
    }
    mixed: dict[str, tuple[Path, str, int]] = {
        f"penstock, {form}": (own, MIXED + PENSTOCK.replace("READER", reader), options.images)
        for form, reader in (("Parquet", PARQUET), ("tar", TARS), ("MDS", MDS))
        if form != "MDS" or "mds" in pythons  # which writes it
    }
    for peer in LOADERS.keys() & pythons.keys():
        mixed[peer] = pythons[peer], MIXED + LOADERS[peer], options.images
    buckets = {
        f"{peer}, {world} ranks": (pythons.get(peer, own), COSTED + BUCKETS[peer], world)
        for world in (1, 8)
        for peer in BUCKETS
        if peer == "penstock" or peer in pythons
    }
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write(folder, options, pythons)
        rows = by_turns(mixed, "cpu_rate", folder, options.rounds)
        for world in (1, 8):
            chosen = {k: v for k, v in buckets.items() if v[2] == world}
            rows += by_turns(chosen, "ms", folder, options.rounds)
    packages = {"mds": "mosaicml-streaming"}
    found = {
        peer: subprocess.check_output(
            [python, "-c", VERSION, packages.get(peer, peer)], text=True
        ).strip()
        for peer, python in pythons.items()
    }
    common.record(options, rows, peers=found, load=os.getloadavg()[0])
    return 0


VERSION = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"

if __name__ == "__main__":
    sys.exit(main())
