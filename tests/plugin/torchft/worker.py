"""A rank that trains by the function `train` of docs/distributed.md, in all orders at once.

    python -m penstock.tests.plugin.torchft.worker FOLDER NAME

Each step takes a batch of each order. FOLDER/NAME.log has a line for what was read at each attempt
of a step, and a line for each step that was taken. Once there is a file FOLDER/NAME, the name
"killed" or "stopped" says what becomes of the process in the middle of a step of three ranks.
FOLDER/steps has the number of steps, once the test knows it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from datetime import timedelta
from pathlib import Path

import torch

from penstock.tests.checkout import ROOT
from penstock.tests.plugin.every_order import HOLDS_STEPS, ORDERS, following, opened, samples

FAILURES = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}
PATIENCE = timedelta(seconds=20)


def program():
    """Return the names that the page's program defines."""
    page = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```python\n(.*?)```", page.partition("\n## torchft\n")[2], re.DOTALL)
    names = {"__name__": "program"}
    exec(text, names)
    return names


class Steps:
    """More than any step, until the test says how many there are."""

    def __init__(self, path):
        self._path = path

    def __gt__(self, step):
        return not self._path.exists() or step < int(self._path.read_text())


class AllOrders:
    """Iterators of all orders, as one iterator. Some orders hold the samples of a step, too."""

    def __init__(self, folder):
        self._held = {f"{name}, held": opened(name, folder) for name in HOLDS_STEPS}
        self._all = {name: opened(name, folder) for name in ORDERS} | self._held
        self.place = ()

    def state_dict(self):
        return {name: iterator.state_dict() for name, iterator in self._all.items()}

    def load_state_dict(self, state):
        for name, iterator in self._all.items():
            iterator.load_state_dict(state[name])

    def reshard(self, rank, ranks):
        self.place = rank, ranks
        for name, iterator in self._all.items():
            iterator.reshard(rank, ranks, keep_global_batch=9 if name in self._held else False)

    def __next__(self):
        read = {}
        for name, iterator in self._all.items():
            batch = following(iterator)
            epoch = iterator.epoch - iterator.at_end
            read[name] = [epoch, samples(batch), len(batch["sample"])]
        return read


def main():
    """Train, and write what was read and taken."""
    folder, name = sys.argv[1:]
    net = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
    batches = AllOrders(Path(folder))
    names, attempt = program(), []
    with (Path(folder) / f"{name}.log").open("w", buffering=1) as log:

        class Manager(names["Manager"]):
            def start_quorum(self):
                super().start_quorum()
                attempt[:] = self.current_step(), self._quorum_id

            def should_commit(self):
                taken = super().should_commit()
                if taken:
                    print(json.dumps(["taken", *attempt]), file=log)
                return taken

        def loss_of(net, read):
            print(json.dumps(["read", *attempt, *batches.place, read]), file=log)
            if batches.place[1] == 3 and (Path(folder) / name).exists():
                os.kill(os.getpid(), FAILURES[name])
            numbers = [number for _, own, _ in read.values() for number in own]
            return net(torch.tensor(numbers, dtype=torch.float32)[:, None]).mean()

        names["Manager"] = Manager
        names["train"](batches, net, optimizer, loss_of, Steps(Path(folder) / "steps"), PATIENCE)
    os._exit(0)  # PyTorch sometimes aborts while the interpreter ends


if __name__ == "__main__":
    main()
