"""Decoded samples that all processes of a host share.

shared_cache   the file of pixels and its index: find and store
places         where the file lies, in memory or on a disk, and for how long

docs/architecture.md says why the cache works as it does.
"""
