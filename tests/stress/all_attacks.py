"""The attacks by name."""

from __future__ import annotations

from .attacks import (
    corrupt_images,
    corrupt_media,
    corrupt_records,
    dali_judge,
    interrupts,
    kills,
    limits,
    lying_servers,
    memory_growth,
    operator_graphs,
    reader_settings,
    resumes,
    shared_pipelines,
)

ATTACKS = {
    module.__name__.rpartition(".")[2]: module.case
    for module in (
        corrupt_images,
        corrupt_media,
        corrupt_records,
        reader_settings,
        resumes,
        operator_graphs,
        interrupts,
        kills,
        limits,
        shared_pipelines,
        lying_servers,
        memory_growth,
        dali_judge,
    )
}
