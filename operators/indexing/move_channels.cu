// Splits pixels of CHANNELS elements of SIZE bytes into planes. A block reads a tile of some pixels
// unchanged into shared memory.
#include "words.cuh"

constexpr int TILE = RUN_BYTES / SIZE;  // pixels
constexpr int PIECES = TILE * CHANNELS * SIZE / 16 + 1;  // 16 aligned bytes with some of the tile's
constexpr int HELD = (PIECES + THREADS - 1) / THREADS;

// Writes one element of each of `count` pixels.
__device__ inline void store(u64 start, int count, const unsigned char* pixels) {
    const int phase = (int)(start & (WORD - 1)) / SIZE;
    const int words = (phase + count + PER_WORD - 1) / PER_WORD;
#pragma unroll 4
    for (int i = threadIdx.x; i < words; i += THREADS) {
        const int first = i * PER_WORD - phase;
        const Element* elements = (const Element*)pixels + first * CHANNELS;
        if (first >= 0 && first + PER_WORD <= count) {
            Word word = 0;
#pragma unroll
            for (int k = 0; k < PER_WORD; k++) word |= (Word)elements[k * CHANNELS] << 8 * SIZE * k;
            *(Word*)(start + (i64)first * SIZE) = word;
            continue;
        }
        for (int k = max(0, -first); k < min(PER_WORD, count - first); k++)
            *(Element*)(start + (i64)(first + k) * SIZE) = elements[k * CHANNELS];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 5) move_channels(const Images* samples) {
    extern __shared__ unsigned char shared_memory[];
    const Images s = samples[blockIdx.y];
    const i64 along = (s.pixels + TILE - 1) / TILE, plane = s.pixels * SIZE;
    for (i64 number = blockIdx.x; number < s.frames * along; number += gridDim.x) {
        const i64 frame = quotient(number, along), begin = (number - frame * along) * TILE;
        const int count = (int)min((i64)TILE, s.pixels - begin);
        const u64 in = s.source + (frame * s.pixels + begin) * CHANNELS * SIZE;
        const u64 out = s.out + frame * CHANNELS * plane + begin * SIZE;
        uint4 held[HELD];
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            const u64 from = (in & ~15ull) + 16 * (k * THREADS + threadIdx.x);
            if (from < in + count * CHANNELS * SIZE) held[k] = __ldg((const uint4*)from);
        }
        __syncthreads();  // the tile before is written
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            const int piece = k * THREADS + threadIdx.x;
            if (piece < PIECES) *(uint4*)(shared_memory + 16 * piece) = held[k];
        }
        __syncthreads();
        for (int c = 0; c < CHANNELS; c++)
            store(out + c * plane, count, shared_memory + (in & 15) + c * SIZE);
    }
}
