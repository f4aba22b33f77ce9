"""Child processes that work for this process.

child_process     start, connections and end of a child process
channel           messages between two processes
messages          the messages between a pipeline and its worker processes
worker_process    a worker process, as its parent sees it
worker_child      a worker process, as it sees itself
"""
