"""What steers a running pipeline: rules, and what they read.

readings      one look at the clocks for each batch that is delivered, and decisions
groups        batches that a GPU computes together
engine_share  files that the GPU's JPEG engine decodes
workers       threads or processes
reads         batches that are read at once

A rule is a pure function of readings and limits, `decide`. Its numbers are one tuple of limits,
which its caller holds. `docs/architecture.md` has a table of all rules.
"""
