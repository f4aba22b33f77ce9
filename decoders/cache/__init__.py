"""Decoded samples that later epochs take instead of decoding again.

keys           the keys of samples: hashes of the encoded bytes
shared_cache   what all processes of a host share, the file of pixels and its index: find and store
places         where the file lies, in memory or on a disk, and for how long
mapped_cache   the memory of that file, for kernels that read it over the bus
device_cache   what the pipelines of a process share in the memory of a GPU

docs/architecture.md says why the cache works as it does.
"""
