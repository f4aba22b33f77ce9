"""Operators that move elements and keep their values: windows, orders, joined samples.

operators    crop, slice, pad, flip, transpose, reshape, dimensions, join, subscript,
             element_extract
CPU          extract: a window of a sample, with what lies outside; window_operator: its arguments
GPU          gpu_extract: the windows of a batch; strided_views: views of samples;
             gpu_copies: results out of views, by the fastest kernel, with gather_plan,
             gpu_pixel_copies and gpu_tile_copies; gpu_subscript: indexing of views;
             same_memory: other shapes without a copy

A new operator that moves elements derives from `SampleOperator` (or `WindowOperator`, if its result
is a window) and has two functions. `sample` returns a NumPy view, or fills `workspace.empty(...)`.
`batch_gpu` makes a `StridedViews` of the batch, turns it into the results, and returns
`copy_views(batch, view)`. `flip.py` is the shortest example.
"""
