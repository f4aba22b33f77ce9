"""Batches as JAX arrays.

    from penstock.plugin.jax import DALIGenericIterator

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for batch in train:
        state = step(state, batch["image"], batch["label"])

Arrays share the memory of the pipeline's outputs, on the GPU and on the CPU. The pipeline uses this
memory again only after JAX has dropped the arrays. Batches in host memory are copied if JAX's
default device is no CPU. As everywhere in JAX, 64-bit dtypes become 32-bit dtypes unless
`jax_enable_x64` is set; these arrays are copies.

`integration` turns single outputs into arrays, `placement` puts the batches of several pipelines on
several devices, and `iterator` has the iterator. `decorator` makes iterators of definitions.
`fn` has the operator that is a function of arrays. `clu` has iterators with a look ahead, and is
imported by itself, because it needs CLU.
"""

from ...engine.errors import MissingDependencyError, install_hint

try:
    import jax.dlpack as _dlpack  # noqa: F401  (so that the error of its lack says what to do)
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.jax needs JAX ({error}): {install_hint('jax')}, or pip install "
        "'jax[cuda13]' for the GPU",
        name=error.name,
    ) from error

from ..base_iterator import LastBatchPolicy
from . import fn as fn
from . import integration as integration
from .decorator import data_iterator
from .iterator import DALIGenericIterator, GenericIterator

__all__ = ["DALIGenericIterator", "GenericIterator", "LastBatchPolicy", "data_iterator"]
