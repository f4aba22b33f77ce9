"""Sums, means, deviations, least and largest elements along axes.

operators             reduction_operator (axes, layouts, the base), reductions (the eight operators)
what each computes    functions: one row for each
which axes            axis_groups: neighboring axes of one role
CPU                   cpu_reduce
GPU                   gpu_reduce
"""
