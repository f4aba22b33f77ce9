"""The processes of a run: which of them this one is, and whether all read the same data.

discovery   the rank of this process and the number of ranks, as the launcher says them
group       the store that the ranks of a process group share
agreement   the comparison of what the ranks read
"""
