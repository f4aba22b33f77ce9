"""The work on a batch, apart from the threads that do the work.

plan        from a graph to segments, each of one type
batch       one batch: its samples, its results so far, its errors
chain       sample operators: one sample goes through all operators of a segment
faults      the policy for samples that fail
quarantine  the log of bad samples
stats       where the time goes
"""
