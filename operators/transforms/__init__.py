"""Affine maps: matrices, and points that are mapped by them.

operators    translation, scaling, rotating, shearing, cropping, combining, coord_transform
shared       matrix_operator: the base of operators that make a matrix; matrices: the formulas

A map of n dimensions is a float32 matrix [M T] of shape (n, n + 1), which maps a column vector p to
M p + T. The formulas work on stacks of matrices (count, n, n + 1), so that one call serves a batch.
"""
