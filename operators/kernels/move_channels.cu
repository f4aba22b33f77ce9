// Takes pixels of CHANNELS elements of SIZE bytes apart into planes (SPLIT), or makes them of those.
// A block reads a tile, of some pixels in all channels, into shared memory as it lies.
#include "words.cuh"

struct Sample {
    u64 in, out;
    i64 frames, pixels;  // of a frame
};

constexpr int TILE = 4096 / SIZE, RUNS = SPLIT ? 1 : CHANNELS, RUN = TILE * CHANNELS / RUNS;
constexpr int PIECES = RUN * SIZE / 16 + 1;  // 16 aligned bytes, of which a run has some
constexpr int THREADS = 256, HELD = (RUNS * PIECES + THREADS - 1) / THREADS;
constexpr int PITCH = RUN * SIZE + (128 / CHANNELS + 15) / 16 * 16;  // runs begin in other banks

// Writes a run of `count` elements; read(i, elements) gives those from i on that make a word.
template <class Read>
__device__ inline void store(u64 start, int count, Read read) {
    const int phase = (int)(start & (WORD - 1)) / SIZE;
    const int words = (phase + count + PER_WORD - 1) / PER_WORD;
#pragma unroll 4
    for (int i = threadIdx.x; i < words; i += THREADS) {
        const int first = i * PER_WORD - phase;
        Element elements[PER_WORD];
        read(max(first, 0), elements);
        if (first >= 0 && first + PER_WORD <= count) {
            Word word = 0;
#pragma unroll
            for (int k = 0; k < PER_WORD; k++) word |= (Word)elements[k] << 8 * SIZE * k;
            *(Word*)(start + (i64)first * SIZE) = word;
            continue;
        }
        const int from = max(first, 0);
#pragma unroll
        for (int k = 0; k < PER_WORD; k++)
            if (from + k < min(first + PER_WORD, count))
                *(Element*)(start + (i64)(from + k) * SIZE) = elements[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) move_channels(const Sample* samples) {
    extern __shared__ unsigned char shared_memory[];
    const Sample s = samples[blockIdx.y];
    const i64 along = (s.pixels + TILE - 1) / TILE, plane = s.pixels * SIZE;
    for (i64 number = blockIdx.x; number < s.frames * along; number += gridDim.x) {
        const i64 frame = quotient(number, along), begin = (number - frame * along) * TILE;
        const int count = (int)min((i64)TILE, s.pixels - begin);
        const u64 at = frame * CHANNELS * plane;
        const u64 planes = at + begin * SIZE, pixels = at + begin * CHANNELS * SIZE;
        const u64 in = s.in + (SPLIT ? pixels : planes), length = RUN / TILE * count * SIZE;
        uint4 held[HELD];
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            const int item = k * THREADS + threadIdx.x, run = item / PIECES;
            const u64 start = in + run * plane;
            const u64 from = (start & ~15ull) + 16 * (item - run * PIECES);
            if (run < RUNS && from < start + length) held[k] = __ldg((const uint4*)from);
        }
        __syncthreads();  // the tile before is written
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            const int item = k * THREADS + threadIdx.x, run = item / PIECES;
            if (run < RUNS)
                *(uint4*)(shared_memory + run * PITCH + 16 * (item - run * PIECES)) = held[k];
        }
        __syncthreads();
        if constexpr (SPLIT) {
            const unsigned char* tile = shared_memory + (in & 15);
            for (int c = 0; c < CHANNELS; c++)
                store(s.out + planes + c * plane, count, [=](int first, Element* elements) {
#pragma unroll
                    for (int k = 0; k < PER_WORD; k++)
                        elements[k] = *(const Element*)(tile + ((first + k) * CHANNELS + c) * SIZE);
                });
        } else {
            const unsigned low = (unsigned)in, step = (unsigned)plane;
            const unsigned char* tile = shared_memory;
            store(s.out + pixels, count * CHANNELS, [=](int first, Element* elements) {
                const int pixel = first / CHANNELS, channel = first - pixel * CHANNELS;
                const Element* runs[CHANNELS];
#pragma unroll
                for (int k = 0; k < min(CHANNELS, PER_WORD); k++) {
                    const int next = channel + k >= CHANNELS, c = channel + k - next * CHANNELS;
                    const unsigned skip = low + c * step & 15;
                    runs[k] = (const Element*)(tile + c * PITCH + skip + (pixel + next) * SIZE);
                }
#pragma unroll
                for (int k = 0; k < PER_WORD; k++) elements[k] = runs[k % CHANNELS][k / CHANNELS];
            });
        }
    }
}
