"""The formats of data sets: each module reads, writes and recognizes one, and has its row."""
