"""Reading processes, which read for a pipeline's readers.

reading_process  the processes, as their parent sees them
part_reads       reads that are divided among the processes
process_source   a source whose samples the processes read, some before they are asked for
reading_child    the processes' program
file_reads       what a process does: it reads whole files,
source_reads     samples of a source,
mapped_child     and elements of mapped files
placed_columns   columns in shared memory
"""
