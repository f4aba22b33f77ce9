// Boxes of results whose elements lie in memory already, as operators/_boxes.py describes them,
// and how threads share them: a run of the last dimension is cut where pieces of the result's
// memory begin, and a thread makes a piece, or what the run has of it. Index is the type of
// positions in a box: 32 bits where they suffice.
#include "common.cuh"

#define LAST (DIMS - 1)

enum Bounds { WHOLE, PAD, EDGE, WRAP, REFLECT_1001, REFLECT_101 };

// The element at `index` lies at first + sum of index * stride, in bytes. It is there if
// low <= index < high on all axes; if not, it is filled in (PAD), or found by folding the index
// back into these bounds, in steps of `unit`. BOUNDS tells which; all are there if it is WHOLE.
struct Box {
    u64 out, fill;  // an element, repeated
    i64 extent[DIMS], out_stride[DIMS], low[DIMS], high[DIMS], unit[DIMS];
    u64 first[PARTS];
    i64 stride[PARTS][DIMS];
};

__device__ inline Index divided(Index a, Index b) {
    if constexpr (sizeof(Index) == 4) return (unsigned)a / (unsigned)b;
    return quotient(a, b);
}

__device__ inline Index floored(Index a, Index b) {
    const Index rest = divided(a < 0 ? -1 - a : a, b);
    return a < 0 ? -1 - rest : rest;
}

// Where the element lies that stands for one at `index`.
__device__ inline Index folded(Index index, Index low, Index high, Index unit) {
    if (low <= index && index < high) return index;
    const Index size = divided(high - low, unit);
    const Index step = floored(index - low, unit), rest = index - low - step * unit;
    if constexpr (BOUNDS == EDGE) return low + (step < 0 ? 0 : size - 1) * unit + rest;
    const Index period = BOUNDS == WRAP           ? size
                         : BOUNDS == REFLECT_1001 ? 2 * size
                                                  : max((Index)1, 2 * size - 2);
    const Index place = step - floored(step, period) * period;
    const Index back = (BOUNDS == REFLECT_1001 ? period - 1 : period) - place;
    return low + (BOUNDS == WRAP ? place : min(place, back)) * unit + rest;
}

struct Run {
    u64 out, in[PARTS];
    Index index[DIMS];  // on the axes before
    Index low, high;  // of what is there
};

__device__ inline Run run_of(const Box& box, Index number) {
    Run run = {box.out};
#pragma unroll
    for (int p = 0; p < PARTS; p++) run.in[p] = box.first[p];
    bool inside = true;
#pragma unroll
    for (int d = LAST - 1; d >= 0; d--) {
        const Index rest = d ? divided(number, box.extent[d]) : 0;
        Index index = number - rest * (Index)box.extent[d];
        number = rest;
        run.index[d] = index;
        run.out += index * box.out_stride[d];
        if constexpr (BOUNDS == PAD)
            inside = inside && box.low[d] <= index && index < box.high[d];
        if constexpr (BOUNDS > PAD) index = folded(index, box.low[d], box.high[d], box.unit[d]);
#pragma unroll
        for (int p = 0; p < PARTS; p++) run.in[p] += index * box.stride[p][d];
    }
    run.low = BOUNDS == WHOLE || !inside ? 0 : box.low[LAST];
    run.high = BOUNDS == WHOLE ? (Index)box.extent[LAST] : inside ? (Index)box.high[LAST] : 0;
    return run;
}

__device__ inline Index runs_of(const Box& box) {
    Index runs = 1;
#pragma unroll
    for (int d = 0; d < LAST; d++) runs *= box.extent[d];
    return runs;
}

// How the runs of a box are cut into pieces of N elements of SIZE bytes.
template <int N, int SIZE>
struct Pieces {
    Index of_run, count;

    __device__ explicit Pieces(const Box& box) {
        u64 odd = box.out;  // unless all runs begin where pieces do
#pragma unroll
        for (int d = 0; d < LAST; d++) odd |= box.out_stride[d];
        of_run = ((Index)box.extent[LAST] + (odd & (N * SIZE - 1) ? 2 * N - 2 : N - 1)) / N;
        count = runs_of(box) * of_run;
    }
};

// A piece: elements from..to-1 of the N that begin at place `at` of a run, which may be before it.
template <int N, int SIZE>
struct Piece {
    Run run;
    Index at;
    int from, to;

    __device__ Piece(const Box& box, const Pieces<N, SIZE>& pieces, Index item) {
        const Index number = divided(item, pieces.of_run);
        run = run_of(box, number);
        at = (item - number * pieces.of_run) * N - (int)(run.out / SIZE & (N - 1));
        from = max((Index)0, -at);
        to = min((Index)N, (Index)box.extent[LAST] - at);
    }
};

// Drops the first `skip` bytes, less than MOST + 4, of at least 20 + MOST.
template <int MOST, int COUNT>
__device__ inline void drop(unsigned (&words)[COUNT], unsigned skip) {
#pragma unroll
    for (int shift = 4; shift > 0; shift /= 2)
#pragma unroll
        for (int k = 0; k + shift < COUNT && MOST >= 4 * shift; k++)
            if (skip & 4 * shift) words[k] = words[k + shift];
#pragma unroll
    for (int k = 0; k < 4; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (skip & 3));
}

// Writes bytes from..to-1 of 16.
__device__ inline void store(u64 out, const unsigned* words, int from, int to) {
    if (from == 0 && to == 16) {
        *(uint4*)out = make_uint4(words[0], words[1], words[2], words[3]);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (from <= 4 * k && 4 * k + 4 <= to) *(unsigned*)(out + 4 * k) = words[k];
#pragma unroll
    for (int side = 0; side < 2; side++) {  // bytes of words that are cut
        const int edge = side ? to : from, begin = edge & ~3;
        if (begin == edge) continue;
        unsigned word = words[0];
#pragma unroll
        for (int k = 1; k < 4; k++)
            if (begin == 4 * k) word = words[k];
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (from <= begin + j && begin + j < to) *(u8*)(out + begin + j) = word >> 8 * j;
    }
}
