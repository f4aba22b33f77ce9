// Rows of images on their way through shared memory. They are aligned there as they are in global
// memory, which is read and written CHUNK bytes at a time: a warp moves a row, LINE bytes at a time.
const int CHUNK = 16, LINE = 32 * CHUNK;

extern __shared__ unsigned char shared_memory[];

// Copies a chunk to shared memory; it is there once the thread has waited for its copies.
__device__ inline void copy_later(unsigned char* to, u64 from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
#else
    *(uint4*)to = *(const uint4*)from;
#endif
}

__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// The part of the input's rows that a block needs: `bytes` of each from `low` to `high`. In shared
// memory a row begins `step` bytes behind the one before.
struct Part {
    u64 in;  // address in row 0
    unsigned pitch;
    int bytes, step, low, high;

    __device__ int lead(int row) const { return ((unsigned)in + row * pitch) % CHUNK; }

    // Begins to copy `count` rows.
    __device__ void fetch(int place, int first, int count) const {
        const int lane = threadIdx.x % 32 * CHUNK;
        place += lead(first) + lane;
        for (int i = threadIdx.x / 32; i < count; i += blockDim.x / 32) {
            const int row = first + i;
            if (row < low || row > high) continue;
            u64 from = in + (u64)(unsigned)row * pitch + lane;
            const int lead = from % CHUNK;
            from -= lead;
            unsigned char* to = shared_memory + place + i * step - lead;
#pragma unroll 1
            for (int left = lead + bytes - lane; left > 0; left -= 4 * LINE) {
#pragma unroll
                for (int k = 0; k < 4 * LINE; k += LINE)
                    if (left > k) copy_later(to + k, from + k);
                from += 4 * LINE;
                to += 4 * LINE;
            }
        }
    }
};

// Rows of the result, collected in turn at `place` and at `place + other`.
struct Results {
    u64 out;  // address of the first row that is not written yet
    i64 down;
    int bytes, step, place, other;

    __device__ int begin() const { return place + (int)(out % CHUNK); }

    // Writes `count` rows. The last warps begin, because the first ones may fetch more rows.
    __device__ void write(int count) {
        for (int i = blockDim.x / 32 - 1 - threadIdx.x / 32; i < count; i += blockDim.x / 32) {
            const u64 row = out + i * down;
            const int lead = row % CHUNK, end = lead + bytes;
            unsigned char* to = (unsigned char*)(row - lead);
            const unsigned char* from = shared_memory + begin() + i * step - lead;
#pragma unroll 1
            for (int k = threadIdx.x % 32 * CHUNK; k < end; k += LINE) {
                if (k >= lead && k + CHUNK <= end)
                    *(uint4*)(to + k) = *(const uint4*)(from + k);
                else
#pragma unroll 1
                    for (int j = max(k, lead); j < min(k + CHUNK, end); j++) to[j] = from[j];
            }
        }
        out += count * down;
        place += other;
        other = -other;
    }
};
