"""The first epoch of tar archives behind HTTP or S3, without indexes, beside other loaders.

python benchmarks/remote_tars.py [--latency 0.02] [--save results/remote_tars_DATE.json]

A server on loopback answers each request after 20 ms. 2,048 photographs of about 84 KB lie in eight
archives, and in the own formats of MDS and LitData. Each loader is a process of its own, shuffles,
and hands out batches of 64 encoded images with labels. Imports come before the clock starts. The
consumer takes a checksum of each image, and each must come once, or the loader has no figure.

Columns: seconds to the first batch; samples a second of the first epoch; CPU seconds of the loader
up to the last batch, and of its processes up to their end; bytes that were asked for, as multiples
of the data.
`make peers VENV=FOLDER/..` installs the loaders; by default they lie in `.venv/peers`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from penstock.benchmarks import common
from penstock.tests.readers.servers import ObjectServer

ROOT = Path(__file__).resolve().parent.parent
SHARDS, EACH, BATCH = 8, 256, 64
CHECKSUMS = "checksums.json"

TIMED = """
import collections, gc, json, multiprocessing, os, resource, sys, time, zlib
URL, ENDPOINT, BATCH, EACH = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
CACHE, TOTAL = sys.argv[5], 8 * EACH
URLS = [f"{URL}/tars/{n}.tar" for n in range(8)]
os.environ.update(AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_DEFAULT_REGION="us-east-1",
    S3_ENDPOINT_URL=ENDPOINT, XDG_CACHE_HOME=CACHE, HF_HOME=CACHE, TOKENIZERS_PARALLELISM="false")
def cpu(kind):
    return sum(resource.getrusage(kind)[:2])
def report(make):
    before, start = cpu(resource.RUSAGE_SELF), time.perf_counter()
    batches, close = make()
    count, first, seen = 0, 0.0, collections.Counter()
    for images in batches:
        count += len(images)
        seen.update(map(zlib.crc32, images))
        first = first or time.perf_counter() - start
        if count >= TOTAL:
            break
    seconds, own = time.perf_counter() - start, cpu(resource.RUSAGE_SELF) - before
    del batches
    close()
    gc.collect()
    for child in multiprocessing.active_children():
        child.terminate()
        child.join()  # so that its CPU time counts
    wanted = collections.Counter(json.load(open(sys.argv[6])))
    if seen != wanted:
        sys.exit(f"{(seen - wanted).total()} images are wrong or doubled, and "
            f"{(wanted - seen).total()} are missing")
    print(json.dumps({"first": first, "rate": count / seconds, "samples": count,
        "cpu": own + cpu(resource.RUSAGE_CHILDREN)}))
"""
PENSTOCK = """
from penstock import fn, pipeline_def
import hashlib, tempfile, numpy, numpy.ma, obstore.store, penstock.readers.webdataset.reader
import penstock.readers.remote.objects, penstock.engine.run.executor, penstock.engine.run.feeder
import penstock.engine.run.opening, penstock.engine.run.workers.choice
import penstock.engine.run.workers.threads, penstock.fn.readers, penstock.engine.pipeline.built
import penstock.engine.pipeline.run
from penstock.engine.graph.operator import OPERATORS
OPERATORS.complete()  # imports what all operators need
@pipeline_def(batch_size=BATCH, num_threads=2, seed=1)
def pipeline():
    return fn.readers.webdataset(paths=URLS, ext=["jpg", "cls"], dtypes=[UINT8, UINT8],
        random_shuffle=True, SAMPLES)
def make():
    pipe = pipeline()
    pipe.build()
    images = (pipe.run()[0] for _ in range(TOTAL))
    return ([batch.at(n) for n in range(len(batch))] for batch in images), pipe.close
from penstock.types import UINT8
report(make)
"""
PEER_PROGRAMS = {
    "webdataset, 2 processes": (
        "energon",
        """
import torch, webdataset
def make():
    data = webdataset.WebDataset(URLS, shardshuffle=8).shuffle(512).to_tuple("jpg", "cls")
    data = data.batched(BATCH, collation_fn=None)
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2)
    return ([image for image, _ in batch] for batch in loader), lambda: None
report(make)
""",
    ),
    "webdataset, 1 process": (
        "webdataset",
        """
import webdataset
def make():
    data = webdataset.WebDataset(URLS, shardshuffle=8).shuffle(512).to_tuple("jpg", "cls")
    return ([i for i, _ in batch] for batch in data.batched(BATCH, collation_fn=None)), lambda: None
report(make)
""",
    ),
    "webdataset, in order": (
        "webdataset",
        """
import webdataset
def make():
    data = webdataset.WebDataset(URLS, shardshuffle=False).to_tuple("jpg", "cls")
    return ([i for i, _ in batch] for batch in data.batched(BATCH, collation_fn=None)), lambda: None
report(make)
""",
    ),
    "HF streaming": (
        "datasets",
        """
import datasets
def make():
    data = datasets.load_dataset("webdataset", data_files=URLS, split="train", streaming=True)
    data = data.cast_column("jpg", datasets.Image(decode=False)).shuffle(seed=1, buffer_size=512)
    return ([i["bytes"] for i in b["jpg"]] for b in data.iter(BATCH)), lambda: None
report(make)
""",
    ),
    "MDS, 2 processes": (
        "mds",
        """
import torch, streaming
def make():
    data = streaming.StreamingDataset(remote="s3://mds/set", local=CACHE + "/mds", shuffle=True,
        batch_size=BATCH)
    loader = torch.utils.data.DataLoader(data, BATCH, num_workers=2, collate_fn=list)
    return ([sample["jpg"] for sample in batch] for batch in loader), lambda: None
report(make)
""",
    ),
    "LitData, 2 processes": (
        "litdata",
        """
import litdata, litdata.streaming.downloader
litdata.streaming.downloader._OBSTORE_CLIENT_OPTIONS["allow_http"] = True
def make():
    data = litdata.StreamingDataset("s3://litdata/set", shuffle=True, cache_dir=CACHE + "/lit",
        storage_options={"endpoint_url": ENDPOINT})
    loader = litdata.StreamingDataLoader(data, batch_size=BATCH, num_workers=2, collate_fn=list)
    return ([sample["jpg"] for sample in batch] for batch in loader), lambda: None
report(make)
""",
    ),
}
WRITERS = {
    "mds": """
import sys, pickle, streaming
samples = pickle.load(open(sys.argv[1], "rb"))
columns = {"jpg": "bytes", "cls": "int"}
with streaming.MDSWriter(out=sys.argv[2], columns=columns, size_limit=28 << 20) as writer:
    for image, label in samples:
        writer.write({"jpg": image, "cls": label})
""",
    "litdata": """
import sys, pickle, litdata
samples = pickle.load(open(sys.argv[1], "rb"))
def one(number):
    return {"jpg": samples[number][0], "cls": samples[number][1]}
if __name__ == "__main__":
    litdata.optimize(one, list(range(len(samples))), sys.argv[2], chunk_bytes="28MB", num_workers=1)
""",
}


def python_of(peers: Path, peer: str) -> Path:
    return peers / peer / "bin" / "python"


def versions_of(peers: Path) -> dict[str, str]:
    """Return the releases of the loaders."""
    names = {"webdataset": "webdataset", "datasets": "datasets", "litdata": "litdata"}
    found = {}
    for peer, name in (names | {"mds": "mosaicml-streaming"}).items():
        program = f"import importlib.metadata as m; print(m.version({name!r}))"
        if (python := python_of(peers, peer)).exists():
            found[name] = subprocess.check_output([python, "-c", program], text=True).strip()
    return found


def photographs() -> list[bytes]:
    """Return JPEG files of about 84 KB: smooth pictures with noise."""
    random = np.random.default_rng(0)
    files = []
    for number in range(16):
        coarse = Image.fromarray(random.integers(0, 255, (12, 16, 3), np.uint8))
        smooth = np.asarray(coarse.resize((500, 375)), np.int16)
        pixels = (smooth + random.integers(-30, 30, smooth.shape)).clip(0, 255).astype(np.uint8)
        stream = io.BytesIO()
        Image.fromarray(pixels).save(stream, "JPEG", quality=88, comment=b"%d" % number)
        files.append(stream.getvalue())
    return files


def put_data(server: ObjectServer, folder: Path, peers: Path) -> int:
    """Put the data sets on the server; return the bytes of the archives."""
    import pickle

    files = photographs()
    samples = [(files[n % len(files)] + b"%06d" % n, n) for n in range(SHARDS * EACH)]
    checksums = [zlib.crc32(image) for image, _ in samples]
    (folder / CHECKSUMS).write_text(json.dumps(checksums))
    for shard in range(SHARDS):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as archive:
            for image, label in samples[shard * EACH : (shard + 1) * EACH]:
                for name, content in (("jpg", image), ("cls", b"%d" % label)):
                    member = tarfile.TarInfo(f"{label:06d}.{name}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        server.objects[f"tars/{shard}.tar"] = stream.getvalue()
        server.tags[f"tars/{shard}.tar"] = f'"{shard}"'
    (folder / "samples").write_bytes(pickle.dumps(samples))
    for peer, program in WRITERS.items():
        python = python_of(peers, peer)
        if python.exists():
            (folder / f"write_{peer}.py").write_text(program)
            command = [python, folder / f"write_{peer}.py", folder / "samples", folder / peer]
            subprocess.run(command, check=True, capture_output=True)
            for path in (folder / peer).iterdir():
                server.objects[f"{peer}/set/{path.name}"] = path.read_bytes()
                server.tags[f"{peer}/set/{path.name}"] = f'"{path.name}"'
    return sum(len(c) for name, c in server.objects.items() if name.startswith("tars/"))


def moved(server: ObjectServer) -> int:
    """Return the bytes that were asked for."""
    total = 0
    for path, wanted in server.requests:
        size = len(server.objects.get(path, b""))
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        total += min(int(last or size), size - 1) + 1 - int(first) if first and size else size
    return total


def run(python: Path, program: str, server: ObjectServer, folder: Path) -> dict[str, Any]:
    """Run one loader; return what it reports, with bytes and requests."""
    server.requests.clear()
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        (Path(cache) / "program.py").write_text(TIMED + program)
        arguments = [server.url, server.url, BATCH, EACH, cache, folder / CHECKSUMS]
        command = [str(python), f"{cache}/program.py", *map(str, arguments)]
        own = {"PYTHONPATH": str(ROOT / "src")} if str(python) == sys.executable else {}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=180, env=os.environ | own
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        return {"error": done.stderr.strip()[-600:]}
    report: dict[str, Any] = json.loads(lines[-1])
    return report | {"moved": moved(server), "requests": len(server.requests)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--loaders", default="", help="parts of names, with commas between them")
    parser.add_argument("--peers", type=Path, default=common.PEERS)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    told = PENSTOCK.replace("SAMPLES", f"samples_per_shard=[{EACH}] * 8")
    own = {
        "penstock, number of each": told,
        "penstock, one number": PENSTOCK.replace("SAMPLES", f"samples_per_shard={EACH}"),
        "penstock, no numbers": PENSTOCK.replace("SAMPLES", "name='reader'"),
        "penstock, in order": told.replace("random_shuffle=True", "random_shuffle=False"),
    }
    programs = {name: (Path(sys.executable), program) for name, program in own.items()}
    for name, (peer, program) in PEER_PROGRAMS.items():
        if (python := python_of(options.peers, peer)).exists():
            programs[name] = (python, program)
    wanted = options.loaders.split(",")
    programs = {n: made for n, made in programs.items() if any(part in n for part in wanted)}
    with ObjectServer() as server, tempfile.TemporaryDirectory() as text:
        total = put_data(server, Path(text), options.peers)
        server.latency = options.latency
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in programs}
        for _ in range(options.repeat):
            for name, (python, program) in programs.items():
                results[name].append(run(python, program, server, Path(text)))
                print(name, results[name][-1], file=sys.stderr, flush=True)
    print(f"{'':28} first batch  samples/s  CPU s  bytes  requests")
    for name, runs in results.items():
        sound = [one for one in runs if "error" not in one]
        if not sound:
            print(f"{name:28} {runs[0]['error']}")
            continue
        middle = {key: float(np.median([one[key] for one in sound])) for key in sound[0]}
        print(
            f"{name:28} {middle['first']:9.2f} s {middle['rate']:10.0f} {middle['cpu']:6.2f} "
            f"{middle['moved'] / total:5.2f}x {middle['requests']:9.0f}"
        )
    if options.save:
        options.save.write_text(
            json.dumps(
                {
                    "date": datetime.now(UTC).isoformat(timespec="seconds"),
                    "hardware": common.hardware(),
                    "versions": common.versions() | versions_of(options.peers),
                    "load": os.getloadavg()[0],
                    "bytes": total,
                    "latency": options.latency,
                    "runs": results,
                },
                indent=1,
            )
        )


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    main()
