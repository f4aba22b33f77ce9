"""`torch.compile` of a training step: batches bring no new shapes, strides or types."""

from __future__ import annotations

import pytest

from penstock import fn, pipeline_def, types

torch = pytest.importorskip("torch")
testing = pytest.importorskip("torch._dynamo.testing", reason="this counts compilations")

from penstock.plugin.pytorch import GenericIterator  # noqa: E402  (only where PyTorch is)


@pipeline_def(batch_size=24, num_threads=1, seed=3)
def photographs(folder):
    encoded, label = fn.readers.file(file_root=folder, name="files", random_shuffle=True)
    images = fn.resize(fn.decoders.image(encoded), size=(16, 16))
    images = fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=255.0, output_layout="HWC")
    return {"image": images, "label": label}


@pytest.mark.filterwarnings("ignore:last_batch_policy=:RuntimeWarning")
@pytest.mark.slow
@pytest.mark.parametrize("policy", ["partial", "fill"])
def test_a_compiled_step_is_compiled_once_for_each_size_of_a_batch(photo_tree, policy):
    torch._dynamo.reset()
    counter = testing.CompileCounter()
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 196, 8)
    ).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    @torch.compile(backend=counter)
    def loss_of(image, label):
        return torch.nn.functional.cross_entropy(model(image), label)

    sizes, compiled = set(), []
    with photographs(photo_tree.root) as pipe:
        batches = GenericIterator(
            pipe,
            reader_name="files",
            last_batch_policy=policy,
            batch_form="dict",
            class_labels="label",
            channels_last="image",
        )
        for _ in range(3):
            for batch in batches:
                sizes.add(len(batch["label"]))
                loss = loss_of(**batch)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            compiled.append(counter.frame_count)
    torch._dynamo.reset()
    assert loss.isfinite()
    assert len(sizes) == (2 if policy == "partial" else 1)
    assert compiled == [len(sizes)] * 3
