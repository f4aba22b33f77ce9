// Rows of images in shared memory, with the alignment of global memory, which is read and written
// CHUNK bytes at a time. From compute capability 9.0 on, a copy engine moves whole rows for a
// thread. On older devices, a warp moves a row, LINE bytes at a time.
const int LINE = 32 * CHUNK;

extern __shared__ unsigned char shared_memory[];

#if __CUDA_ARCH__ >= 800
__device__ inline unsigned shared_address(const void* place) {
    return (unsigned)__cvta_generic_to_shared(place);
}
#endif

// Starts a copy of a chunk to shared memory; the copy is done once the thread has waited for it.
__device__ inline void copy_later(unsigned char* to, u64 from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                 : "memory");
#else
    *(uint4*)to = *(const uint4*)from;
#endif
}

// Signals that rows have arrived in shared memory; `count` threads start the copies of each turn.
struct Arrival {
    u64 barrier;

    __device__ void prepare(int count) {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared.b64 [%0], %1; fence.proxy.async;" ::"r"(
                         shared_address(&barrier)),
                     "r"(count)
                     : "memory");
#endif
    }
#if __CUDA_ARCH__ >= 900
    // Starts a copy of `size` bytes, a multiple of CHUNK, to shared memory. Each of the `count`
    // threads calls this once a turn.
    __device__ void bring(unsigned char* to, u64 from, int size) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
                         shared_address(&barrier)),
                     "r"(size)
                     : "memory");
        if (size == 0) return;
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
            "l"(from), "r"(size), "r"(shared_address(&barrier))
            : "memory");
    }
#endif
    // Waits for the rows; `turn` is the number of earlier waits, modulo 2.
    __device__ void wait(int turn) const {
#if __CUDA_ARCH__ >= 900
        asm volatile(
            "{ .reg .pred arrived;\n"
            "again: mbarrier.try_wait.parity.shared.b64 arrived, [%0], %1;\n"
            "@!arrived bra again; }" ::"r"(shared_address(&barrier)),
            "r"(turn)
            : "memory");
#elif __CUDA_ARCH__ >= 800
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    }
};

// The part of the input's rows that a block needs: `bytes` of each row, from `low` to `high`. In
// shared memory, rows start `step` bytes apart.
struct Part {
    u64 in;  // address in row 0
    unsigned pitch;
    int bytes, step, low, high;

    __device__ int lead(int row) const { return ((unsigned)in + row * pitch) % CHUNK; }

#if __CUDA_ARCH__ >= 900
    // Starts copies of `count` rows: one copy with the bytes between, if the rows lie as in global
    // memory.
    __device__ void fetch(int place, int first, int count, Arrival& arrival) const {
        const int rows = step == pitch ? count : 1, behind = threadIdx.x * rows;
        if (threadIdx.x >= count) return;
        const int begin = max(first + behind, low), end = min(first + behind + rows, high + 1);
        const u64 from = in + (u64)(unsigned)begin * pitch;
        const int lead = from % CHUNK;
        const unsigned size = lead + (end - 1 - begin) * pitch + bytes + CHUNK - 1;
        const int whole = begin < end && behind < count ? size / CHUNK * CHUNK : 0;
        place += this->lead(first) + (begin - first) * step - lead;
        arrival.bring(shared_memory + place, from - lead, whole);
    }
#else
    // Starts copies of `count` rows.
    __device__ void fetch(int place, int first, int count, Arrival&) const {
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
#endif
};

// Rows of the result, `bytes` of each, which start `step` bytes apart in shared memory.
struct Results {
    u64 out;  // address of the first row
    i64 down;
    int bytes, step;

    __device__ int lead(int row) const { return ((unsigned)out + row * (unsigned)down) % CHUNK; }

    // Writes `count` rows from `first` on, which are at `place`. The last threads write first,
    // because the first threads may fetch more rows.
    __device__ void write(int place, int first, int count) const {
        const int thread = blockDim.x - 1 - threadIdx.x;
#if __CUDA_ARCH__ >= 900
        if ((out | down | bytes) % CHUNK == 0) {
            const int rows = step == down ? count : 1;  // together if they lie as in global memory
            if (thread * rows < count)
                asm volatile(
                    "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                    "cp.async.bulk.commit_group;" ::"l"(out + (first + thread) * down),
                    "r"(shared_address(shared_memory + place + thread * step)), "r"(rows * bytes)
                    : "memory");
            return;
        }
#endif
        place += lead(first);
        for (int i = thread / 32; i < count; i += blockDim.x / 32) {
            const u64 row = out + (first + i) * down;
            const int lead = row % CHUNK, end = lead + bytes;
            unsigned char* to = (unsigned char*)(row - lead);
            const unsigned char* from = shared_memory + place + i * step - lead;
#pragma unroll 1
            for (int k = threadIdx.x % 32 * CHUNK; k < end; k += LINE) {
                if (k >= lead && k + CHUNK <= end)
                    *(uint4*)(to + k) = *(const uint4*)(from + k);
                else
#pragma unroll 1
                    for (int j = max(k, lead); j < min(k + CHUNK, end); j++) to[j] = from[j];
            }
        }
    }
    // Call this before a barrier. It lets the copy engine read the shared memory that this thread
    // has written, and waits until the engine has read all that this thread told it to write.
    __device__ static void settle() {
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.proxy.async.shared::cta; cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    }
};
