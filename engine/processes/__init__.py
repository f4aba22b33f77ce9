"""Further interpreters that work for this process.

interpreter       start and end of another interpreter
channel           messages between two processes
messages          the messages between a pipeline and its worker processes
worker_process    a worker process, as its parent sees it
child             a worker process, as it sees itself
"""
