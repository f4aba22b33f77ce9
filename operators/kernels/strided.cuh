// Results whose elements lie in memory already, as operators/_strided.py describes them. Index is
// the type of positions in a sample: 32 bits where they suffice.
#include "common.cuh"

#define LAST (DIMS - 1)

struct Result {
    u64 out;
    u64 fill;  // an element, repeated
    i64 elements;
    i64 extent[DIMS];
};

// A box of a result. The element at `index` lies at first + sum of index * stride, in bytes,
// if low <= index < high on all axes.
struct Source {
    u64 first;
    i64 stride[DIMS], low[DIMS], high[DIMS];
};

__device__ inline Index divided(Index a, Index b) {
    if constexpr (sizeof(Index) == 4) return (unsigned)a / (unsigned)b;
    return quotient(a, b);
}

struct Extents {
    Index extent[DIMS];

    __device__ explicit Extents(const Result& r) {
#pragma unroll
        for (int d = 0; d < DIMS; d++) extent[d] = r.extent[d];
    }
    __device__ Index operator[](int d) const { return extent[d]; }
};

__device__ inline void decompose(Index position, const Extents& extent, Index* index) {
#pragma unroll
    for (int d = LAST; d > 0; d--) {
        Index rest = divided(position, extent[d]);
        index[d] = position - rest * extent[d];
        position = rest;
    }
    index[0] = position;
}

// Adds to the last index what does not reach beyond the next row.
__device__ inline void advance(Index* index, const Extents& extent, Index step) {
    index[LAST] += step;
#pragma unroll
    for (int d = LAST; d > 0; d--) {
        if (index[d] < extent[d]) break;
        index[d] -= extent[d];
        index[d - 1]++;
    }
}

// COUNT bytes from any address on, read as words; those without a byte of [low, high) are not.
template <int COUNT>
struct Window {
    static constexpr int WORDS = (COUNT + 6) / 4;
    unsigned words[WORDS], skip;

    __device__ void read(u64 from, u64 low, u64 high) {
        skip = (unsigned)from & 3;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const u64 at = from - skip + 4 * k;
            words[k] = at + 4 > low && at < high ? __ldg((const unsigned*)at) : 0;
        }
    }
    __device__ void align() {
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            words[k] = __funnelshift_r(words[k], k + 1 < WORDS ? words[k + 1] : 0, 8 * skip);
    }
    // Byte `i` of COUNT, once the words are aligned.
    __device__ unsigned byte(int i) const { return words[i / 4] >> 8 * (i % 4) & 255; }
};
