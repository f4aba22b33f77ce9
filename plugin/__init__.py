"""Iterators that hand batches to NumPy, PyTorch and JAX.

`base_iterator` runs pipelines and counts epochs, by the arithmetic in `epochs`. `options` and
`arguments` hold and check the constructors' arguments. `arrays`, `pytorch` and `jax` each derive an
iterator that converts batches for one framework. `pytorch.fn`, `jax.fn` and `numba.fn` hold the
operators that are functions of a plugin.
"""
