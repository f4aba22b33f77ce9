"""Batches for NumPy, PyTorch, JAX, TensorFlow, Keras and Paddle; data sets in Ray Data.

`base_iterator` runs pipelines and counts epochs, by the arithmetic in `epochs`. `epoch_loop` is one
loop over an epoch, `progress` says how far an iterator is, and `iterator_state` is its part of a
checkpoint. `options`, `arguments` and `two_outputs` hold and check the constructors' arguments, and
`forms` has the forms of a batch. `arrays`, `pytorch`, `jax` and `paddle` each derive an iterator
that converts batches for one framework; `mxnet` says why there is none. `ray` reads and writes data
sets in Ray Data.
`tf` has data sets of TensorFlow, and `keras` data sets of Keras; `framework_loops` lets both look
at the first batch of an epoch.
`pytorch.fn`, `jax.fn` and `numba.fn` hold the operators that are functions of a plugin.
`pytorch.experimental.proxy` has a pipeline compute what worker processes of PyTorch load, and
`pytorch.loader_evaluator` measures loaders. `triton` marks the pipeline of a module that NVIDIA
Triton loads. `native_plugins` refuses plugins of compiled operators.
"""
