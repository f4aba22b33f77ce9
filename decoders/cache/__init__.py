"""Decoded samples that later epochs take instead of decoding again.

keys           the keys of samples: hashes of the encoded bytes
shared_cache   what all processes of a host share, the file of pixels and its index: find and store
places         where the file lies, in memory or on a disk, and for how long
mapped_cache   the memory of that file, for kernels that read it over the bus
device_cache   what the pipelines of a process share in the memory of a GPU

Why the cache works as it does:

* The key (`keys.py`) is a BLAKE3 hash of 128 bits of the encoded bytes, and another one of all
  that decides the pixels, added bit by bit: `output_type`, `dtype`, `adjust_orientation`, `fit`,
  `shrink_shorter`, the device, and the releases of the decoding libraries. So every reader works,
  a file that changed is another image, and no time or size of a file is trusted. The price: files
  are still read, and the hash takes 16 µs for 110 KB (Xeon with AVX-512), where SHA-256 took 56.
  Windows are cut out of whole images, so random crops find them, too.
* The file (`shared_cache.py`) has slots, found by key, and the pixels. Processes share it without
  a server. A writer claims a slot under a lock, writes the pixels without one, and publishes the
  slot under the lock. Readers take no lock. A checksum in each slot tells half-written slots. The
  claim of a dead process passes on.
* Store until full, evict nothing. An epoch reads each sample once. A cache of half the data set
  that stays has 50% hits. One that evicts the least recently used sample has 15% with a shuffle,
  and none in a fixed order.
* `pread` into the batch's memory, no map, on the CPU. A hit is one copy, which is the consumer's
  own. A disk that is full or fails is an error code, and not the end of the process. Page tables
  do not grow with the cache in every process.
* In memory (`places.py`) the file has no name: the system frees it with its last process, also
  after `kill -9`. A register in `/dev/shm` lists which process has it open by which descriptor;
  other processes open `/proc/PROCESS/fd/DESCRIPTOR`. Lines of processes that were killed stay
  until the next use.
* A cache trusts its owner alone. File and register are regular files of this user, with one name,
  that nobody else may write; a link is not followed. Slots that point out of the file are no
  slots.
* On a disk the file stays. Each read verifies a checksum of the pixels, because power may fail
  between the writes of pixels and slot. A damaged image is dropped, and decoded again.
* On the GPU the decoders write whole images where they would write results, and one launch a
  batch cuts the windows of hits and misses out of them. So hits and misses have the same pixels.
  The reading process hashes the files.
* In the GPU's memory (`device_cache.py`) a batch claims memory, and publishes its images once the
  device has done its work. So no stream waits for an image. The memory is one block of
  `cache_size`, taken at the first batch: it does not compete with batches for
  `prefetch_device_bytes`, and a GPU that is too small ends the run there.
* The host's cache with a decoder on the GPU. Misses are decoded on the GPU, and not by the CPU's
  decoder: pixels then follow from the file alone, and not from what is cached. They return to the
  host with the batch, in one copy. Keys of the two devices differ.
* Out of the host's memory (`mapped_cache.py`) the kernel that cuts windows reads their lines
  itself, over the bus. No thread copies a hit, and no pixel outside of a window is read. The file
  is mapped, and registered with CUDA in segments of 64 MiB when the first hit lies in one. A
  process registers a segment once for all its pipelines and devices. Batches hold the map, so it
  outlives the device's work. A segment that CUDA refuses has no hits; the operator's remark says
  so. The kernel loads aligned words of 16 bytes, eight side by side. With one byte for each
  thread, the 32 threads of a warp would read 32 bytes at a time. Slots are looked up in the map,
  too. The file is sealed: nobody can cut it, which would end the processes that read the map.
* Out of a disk threads read whole images, because the checksum is of the whole image. One copy
  takes them to the GPU.
* `shrink_shorter` scales images down before windows are cut out, with or without a cache. The
  size is part of the key. It does not depend on the cache, or a full cache would change what a
  network sees.
* Not kept: images of damaged files, even if their pixels are intact, so that each decode counts;
  images of formats that the program adds, because the program may change.
"""
