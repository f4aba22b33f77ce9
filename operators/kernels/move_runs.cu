// Copies boxes whose last dimension is a run of bytes: extents, strides and bounds of that one
// are in bytes. A run lies in memory as it is (STEP is 0), or is made of pixels of PIXEL bytes,
// STEP bytes from one to the next, or back if the last stride is negative; elements have GRAIN
// bytes. A thread makes a piece of a run: 16 aligned bytes of the result, or what the run has of
// them.
#include "strided.cuh"

struct Box {
    u64 out, first, fill;  // an element, repeated
    i64 extent[DIMS], stride[DIMS], out_stride[DIMS];
    i64 low[DIMS], high[DIMS];  // BOUNDED: of what is there; the rest is filled
};

struct Run {
    u64 out, in;
    Index length, low, high;  // in bytes; what is there begins and ends at low and high
};

__device__ inline Run run_of(const Box& box, Index number) {
    Run run = {box.out, box.first, (Index)box.extent[LAST], 0, (Index)box.extent[LAST]};
    bool inside = true;
#pragma unroll
    for (int d = LAST - 1; d >= 0; d--) {
        const Index rest = d ? divided(number, box.extent[d]) : 0;
        const Index index = number - rest * (Index)box.extent[d];
        run.out += index * box.out_stride[d];
        run.in += index * box.stride[d];
        if (BOUNDED) inside = inside && box.low[d] <= index && index < box.high[d];
        number = rest;
    }
    if (BOUNDED) {
        run.low = inside ? box.low[LAST] : 0;
        run.high = inside ? box.high[LAST] : 0;
    }
    return run;
}

// Drops the first `skip` bytes, 0 to 15, of at least 20.
template <int COUNT>
__device__ inline void drop(unsigned (&words)[COUNT], unsigned skip) {
#pragma unroll
    for (int shift = 2; shift > 0; shift--)
#pragma unroll
        for (int k = 0; k < min(COUNT - shift, 4 + shift); k++)
            if (skip & 4 * shift) words[k] = words[k + shift];
#pragma unroll
    for (int k = 0; k < 4; k++) words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (skip & 3));
}

#if STEP
constexpr int SEEN = (PIXEL - GRAIN + 15) / PIXEL + 1;  // pixels of which a piece may have bytes
constexpr int SPAN = (SEEN - 1) * STEP + PIXEL;
constexpr int WORDS = (SPAN + (GRAIN < 4 ? 7 - GRAIN : 3)) / 4;

// Puts pixels side by side, in this order or the other one.
template <bool BACKWARDS>
__device__ inline void arrange(const unsigned (&seen)[WORDS], unsigned* words) {
#pragma unroll
    for (int i = 0; i < (SEEN * PIXEL + 3) / 4; i++)
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            unsigned selector = 0, some = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const int place = 4 * i + j, pixel = place / PIXEL;
                const int from = (BACKWARDS ? SEEN - 1 - pixel : pixel) * STEP + place % PIXEL;
                const bool here = pixel < SEEN && from / 4 == k;
                selector |= (here ? 4 + from % 4 : j) << 4 * j;
                some |= here;
            }
            if (some) words[i] = __byte_perm(words[i], seen[k], selector);
        }
}

// Reads the piece that begins at place `at` of a run, which may be before it.
__device__ inline void read(const Run& run, Index at, int, int, bool backwards, unsigned* piece) {
    const Index pixel = (at + 16 * PIXEL) / PIXEL - 16, pixels = run.length / PIXEL;
    const Index lowest = backwards ? pixels - SEEN - pixel : pixel;  // as they lie in memory
    const u64 first = backwards ? run.in - (u64)(pixels - 1) * STEP : run.in;
    const int before = (int)(first & 3);
    const Index start = before + lowest * STEP, word = start >> 2;
    const Index last = (before + (pixels - 1) * STEP + PIXEL - 1) >> 2;
    const unsigned* base = (const unsigned*)(first - before);
    unsigned seen[WORDS], words[9] = {};
    if (word >= 0 && word + WORDS - 1 <= last) {
#pragma unroll
        for (int k = 0; k < WORDS; k++) seen[k] = __ldg(base + word + k);
    } else {
#pragma unroll
        for (int k = 0; k < WORDS; k++) seen[k] = __ldg(base + max((Index)0, min(word + k, last)));
    }
    if constexpr (GRAIN < 4) {
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            seen[k] = __funnelshift_r(seen[k], k + 1 < WORDS ? seen[k + 1] : 0, 8 * (start & 3));
    }
    if (backwards)
        arrange<true>(seen, words);
    else
        arrange<false>(seen, words);
    drop(words, at - pixel * PIXEL);
    memcpy(piece, words, 16);
}
#else
// Reads bytes low..high-1 of the piece that begins at place `at` of a run, which may be before it.
__device__ inline void read(const Run& run, Index at, int low, int high, bool, unsigned* piece) {
    const u64 address = run.in + at;
    const unsigned skip = address & 15, turn = 16 - skip;
    const uint4* aligned = (const uint4*)(address - skip);
    uint4 seen[2] = {};
    if (low < turn) seen[0] = __ldg(aligned);
    if (high > turn) seen[1] = __ldg(aligned + 1);
    unsigned words[8];
    memcpy(words, seen, 32);
    drop(words, skip);
    memcpy(piece, words, 16);
}
#endif

__device__ inline void store(u64 out, const unsigned (&words)[4], int from, int to) {
    if (from == 0 && to == 16) {
        *(uint4*)out = make_uint4(words[0], words[1], words[2], words[3]);
        return;
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (from <= 4 * k && 4 * k + 4 <= to) {
            *(unsigned*)(out + 4 * k) = words[k];
            continue;
        }
#pragma unroll
        for (int j = 4 * k; j < 4 * k + 4; j++)
            if (from <= j && j < to) *(u8*)(out + j) = words[k] >> 8 * (j & 3);
    }
}

extern "C" __global__ void __launch_bounds__(256, 8) move_runs(const Box* boxes) {
    const Box& box = boxes[blockIdx.y * gridDim.z + blockIdx.z];
    Index runs = 1;
    u64 odd = box.out;  // unless runs begin with a whole piece
#pragma unroll
    for (int d = 0; d < LAST; d++) {
        runs *= box.extent[d];
        odd |= box.out_stride[d];
    }
    const Index pieces = (box.extent[LAST] + (odd & 15 ? 30 : 15)) / 16;  // of a run
    for (Index item = first_element(); item < runs * pieces; item += element_step()) {
        const Index number = divided(item, pieces);
        const Run run = run_of(box, number);
        const Index at = (item - number * pieces) * 16 - (Index)(run.out & 15);
        const int from = max((Index)0, -at), to = min((Index)16, run.length - at);
        if (from >= to) continue;
        const int low = max((Index)from, run.low - at), high = min((Index)to, run.high - at);
        unsigned words[4] = {};
        if (low < high) read(run, at, low, high, box.stride[LAST] < 0, words);
        if (BOUNDED && (low > from || high < to)) {
#pragma unroll
            for (int j = 0; j < 16; j++) {
                const unsigned mask = 0xFFu << 8 * (j & 3), fill = box.fill >> (j & 4 ? 32 : 0);
                if (j < low || j >= high) words[j / 4] = (words[j / 4] & ~mask) | (fill & mask);
            }
        }
        store(run.out + at, words, from, to);
    }
}
