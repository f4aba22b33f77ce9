"""How a reader gets its batches: what is read when, and who reads it.

window      which batches are read together, and how far ahead of their turn
carriers    who reads: the thread that asks, or other threads
processes   the same: processes
"""
