"""What a machine has and how fast it reads: what `penstock doctor` asks.

Libraries, drivers and file systems can hang or crash whoever touches them, so they are asked in
child processes (`jobs`, `child`) that have a time limit. A *job* is a function from a `Context`
to a `Finding` or a `Rate`; `libraries`, `gpu`, `storage` and `speed` list theirs in `JOBS`.
"""
