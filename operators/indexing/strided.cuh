// Boxes of results whose elements lie in memory already (see operators/indexing/gather_plan.py),
// and their division among threads. A run of the last dimension is cut at the pieces of the
// result's memory. A thread makes a piece, or the run's part of a piece. Index is the type of
// indices in a box: 32 bits if they suffice.
#include "../kernels/common.cuh"

#define LAST (DIMS - 1)

enum Bounds { WHOLE, PAD, EDGE, WRAP, REFLECT_1001, REFLECT_101 };

// The table declares the struct Box (`GatherPlan.table`). The element at `index` lies at first +
// sum of index * stride, in bytes. The element exists if low <= index < high on all axes. If not,
// the kernel fills in the element that `fill` repeats (PAD), or folds the index back into these
// bounds, in steps of `unit`. BOUNDS selects the rule; with WHOLE all elements exist.

__device__ inline Index divided(Index a, Index b) {
    if constexpr (sizeof(Index) == 4) return (unsigned)a / (unsigned)b;
    return quotient((i64)a, (i64)b);
}

__device__ inline Index floored(Index a, Index b) {
    const Index rest = divided(a < 0 ? -1 - a : a, b);
    return a < 0 ? -1 - rest : rest;
}

// Finds the element for an `index`, and then for the following indices.
struct Folding {
    Index low, unit, size, period, step, rest;  // period: steps after which all is as before

    __device__ Folding(Index index, Index low, Index high, Index unit)
        : low(low), unit(unit), size(divided(high - low, unit)) {
        step = floored(index - low, unit);
        rest = index - low - step * unit;
        period = BOUNDS == WRAP           ? size
                 : BOUNDS == REFLECT_1001 ? 2 * size
                                          : max((Index)1, 2 * size - 2);
        if constexpr (BOUNDS != EDGE) step -= floored(step, period) * period;
    }
    __device__ Index at() const {
        const Index back = (BOUNDS == REFLECT_1001 ? period - 1 : period) - step;
        if constexpr (BOUNDS == EDGE) return low + max((Index)0, min(step, size - 1)) * unit + rest;
        return low + (BOUNDS == WRAP ? step : min(step, back)) * unit + rest;
    }
    __device__ void next() {
        if (++rest < unit) return;
        rest = 0;
        step++;
        if (BOUNDS != EDGE && step == period) step = 0;
    }
};

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
        if (BOUNDS > PAD && (index < box.low[d] || index >= box.high[d]))
            index = Folding(index, box.low[d], box.high[d], box.unit[d]).at();
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

// The division of the runs of a box into pieces of N elements of SIZE bytes.
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

// A piece: elements from..to-1 of the N that start at index `at` of a run, which may be before it.
template <int N, int SIZE>
struct Piece {
    Run run;
    Index at;
    int from, to;

    __device__ Piece(const Box& box, Index number, Index place) : run(run_of(box, number)) {
        at = place * N - (int)(run.out / SIZE & (N - 1));
        from = max((Index)0, -at);
        to = min((Index)N, (Index)box.extent[LAST] - at);
    }
};

// Drops the first `skip` bytes, less than MOST + 4.
template <int MOST, int COUNT>
__device__ inline void drop(unsigned (&words)[COUNT], unsigned skip) {
#pragma unroll
    for (int shift = 4; shift > 0; shift /= 2)
#pragma unroll
        for (int k = 0; k + shift < COUNT && MOST >= 4 * shift; k++)
            if (skip & 4 * shift) words[k] = words[k + shift];
#pragma unroll
    for (int k = 0; k < 4 && k + 1 < COUNT; k++)
        words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (skip & 3));
}

// Reads bytes low..high-1 of the BYTES at an address, which is a multiple of UNIT.
template <int BYTES, int UNIT>
__device__ inline void load(u64 address, int low, int high, unsigned (&words)[BYTES / 2]) {
    const int skip = address & (BYTES - UNIT), turn = BYTES - skip;
    typedef typename Bits<BYTES>::type All;
    const All* aligned = (const All*)(address - skip);
    All seen[2] = {};  // none without a byte that is needed
    if (low < min(high, turn)) seen[0] = __ldg(aligned);
    if (max(low, turn) < high) seen[1] = __ldg(aligned + 1);
    memcpy(words, seen, sizeof seen);
    drop<BYTES - 4>(words, skip);
}

// Writes bytes from..to-1 of BYTES.
template <int BYTES = 16>
__device__ inline void store(u64 out, const unsigned* words, int from, int to) {
    if (from == 0 && to == BYTES) {
        typename Bits<BYTES>::type all;
        memcpy(&all, words, BYTES);
        *(typename Bits<BYTES>::type*)out = all;
        return;
    }
#pragma unroll
    for (int k = 0; k < BYTES / 4; k++)
        if (from <= 4 * k && 4 * k + 4 <= to) *(unsigned*)(out + 4 * k) = words[k];
#pragma unroll
    for (int side = 0; side < 2; side++) {  // bytes of words that are cut
        const int edge = side ? to : from, begin = edge & ~3;
        if (begin == edge) continue;
        unsigned word = words[0];
#pragma unroll
        for (int k = 1; k < BYTES / 4; k++)
            if (begin == 4 * k) word = words[k];
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (from <= begin + j && begin + j < to) *(u8*)(out + begin + j) = word >> 8 * j;
    }
}
