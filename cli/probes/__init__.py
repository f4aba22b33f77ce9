"""The probes of `penstock doctor`: libraries, GPU, limits, and the speed of storage.

Libraries, drivers and file systems can hang or crash a process. Therefore probes run in child
processes with a time limit (`jobs`, `child`). A *job* is a function from a `Context` to a `Finding`
or a `Rate`. The modules `libraries`, `gpu`, `storage` and `speed` list their jobs in `JOBS`.
"""
