"""The proxy's loader in training frameworks."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from penstock.plugin.pytorch.experimental.proxy import DataLoader  # noqa: E402

pytestmark = [
    # Lightning says so of loaders with less workers than the machine has cores.
    pytest.mark.filterwarnings("ignore:The '.*_dataloader' does not have many workers"),
    # Lightning walks through trees in a way that PyTorch calls deprecated.
    pytest.mark.filterwarnings(r"ignore:`isinstance\(treespec, LeafSpec\)` is:FutureWarning"),
]


@pytest.fixture
def server(serve):
    return serve()


@pytest.fixture
def loader(server, items):
    data = items(lambda i: (server.proxy(np.full(2, i, np.float32)), i))
    return DataLoader(server, data, batch_size=4, num_workers=1)


EPOCH = [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18]]


@pytest.mark.slow
def test_lightning_trains_with_the_loader(loader, tmp_path):
    lightning = pytest.importorskip("lightning")
    seen = []

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)

        def training_step(self, batch, index):
            seen.append(batch[0][:, 0].tolist())
            return self.layer(batch[0]).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=1,
        default_root_dir=tmp_path,
    )
    trainer.fit(Module(), loader)
    assert seen == EPOCH * 2


def test_accelerates_own_loader_leaves_the_replacement_to_the_program(server, loader):
    accelerator = pytest.importorskip("accelerate").Accelerator(cpu=True)
    prepared = accelerator.prepare(loader)
    seen = [server.produce_data(batch)[0][:, 0].tolist() for batch in prepared]
    assert seen == EPOCH
