// Results whose elements lie in memory already, as operators/_strided.py describes them.
#include "common.cuh"

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

__device__ inline void decompose(i64 position, const i64* extent, i64* index) {
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
        i64 rest = quotient(position, extent[d]);
        index[d] = position - rest * extent[d];
        position = rest;
    }
    index[0] = position;
}

// Adds to an index what lies below the extents; what does not fit is carried over.
__device__ inline void advance(i64* index, const i64* extent, const i64* step) {
    i64 carry = 0;
#pragma unroll
    for (int d = DIMS - 1; d >= 0; d--) {
        index[d] += step[d] + carry;
        carry = d > 0 && index[d] >= extent[d];
        if (carry) index[d] -= extent[d];
    }
}
