"""The reading of batches: the order of reads, and the threads or processes that read.

window      which batches are read together, and how far ahead of their turn
carriers    who reads: the thread that asks, or other threads
processes   the same: processes
"""
