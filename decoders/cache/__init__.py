"""Decoded samples that later epochs take instead of decoding again.

cache         what every cache does: find, claim, locate, place, add
places        where a cache lies; its users, who open, count and leave it
keys          the keys of samples: hashes of the encoded bytes
shared_cache  the file that all processes of a host share, of arrays and their index; its `layout`
ram, disk     that file in memory, with a map for kernels; and on a disk, with checksums
gpu           the memory of a GPU, which the pipelines of a process share
own_file      files of this user alone

Why caches work as they do:

* The key is a BLAKE3 hash of 128 bits of the encoded bytes, and another one of all that decides the
  pixels, added bit by bit: `output_type`, `dtype`, `adjust_orientation`, `fit`, `shrink_shorter`,
  the device, and the releases of the decoding libraries. So every reader works, a file that changed
  is another image, and no time or size of a file is trusted. The price: files are still read, and
  the hash takes 16 µs for 110 KB (Xeon with AVX-512), where SHA-256 took 56. Windows are cut out of
  whole images, so random crops find them, too.
* Store until full, evict nothing. An epoch reads each sample once. A cache of half the data set
  that stays has 50% hits. One that evicts the least recently used sample has 15% with a shuffle,
  and none in a fixed order.
* `pread` into the batch's memory, no map, on the CPU. A hit is one copy, which is the consumer's
  own. A disk that is full or fails is an error code, and not the end of the process. Page tables
  do not grow with the cache in every process.
* A cache trusts its owner alone. File and register are regular files of this user, with one name,
  that nobody else may write; a link is not followed. Slots that point out of the file are no
  slots. The file in memory is sealed: nobody can cut it, which would end the processes that read
  its map.
* On the GPU the decoders write whole images where they would write results, and one launch a
  batch cuts the windows of hits and misses out of them. So hits and misses have the same pixels.
  The reading process hashes the files.
* The memory on a GPU is one block of `cache_size`, taken at the first batch: it does not compete
  with batches for `prefetch_device_bytes`, and a GPU that is too small ends the run there.
* The host's cache with a decoder on the GPU. Misses are decoded on the GPU, and not by the CPU's
  decoder: pixels then follow from the file alone, and not from what is cached. They return to the
  host with the batch, in one copy. Keys of the two devices differ.
* Out of the host's memory the kernel that cuts windows reads their lines itself, over the bus. No
  thread copies a hit, and no pixel outside of a window is read. The kernel loads aligned words of
  16 bytes, eight side by side. With one byte for each thread, the 32 threads of a warp would read
  32 bytes at a time. A segment that CUDA refuses has no hits; the operator's remark says so.
* `shrink_shorter` scales images down before windows are cut out, with or without a cache. The
  size is part of the key. It does not depend on the cache, or a full cache would change what a
  network sees.
* Not kept: images of damaged files, even if their pixels are intact, so that each decode counts;
  images of formats that the program adds, because the program may change.
"""
