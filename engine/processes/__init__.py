"""Child processes that work for this process.

child_process     start, connections and end of a child process
channel           messages between two processes
helper_processes  processes that do a part of an operator's work, as their parent sees them
helper_child      the loop of such a process
forked_process    child processes that are forks of this process
copies            child processes that are copies of one new interpreter
messages          the messages between a pipeline and its worker processes
row_process       a process that tells on which row it works, as its parent sees it
python_workers    processes that call users' code, as their pipeline sees them
python_worker     one such process, as the thread that drives the process sees it
python_child      the same, as it sees itself
shipment          objects with large arrays for several processes
worker_process    a worker process, as its parent sees it
worker_child      a worker process, as it sees itself
"""
