"""Reading processes, which read for a pipeline's readers: see `reading.processes`.

reading_process  the processes, as their parent sees them
reading_child    the processes' program
source_reads     what a process does: it reads samples of a source
mapped_child     and copies elements of mapped files
placed_columns   columns in shared memory
"""
