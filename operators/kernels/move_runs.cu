// Copies boxes whose last dimension is a run of bytes: extents, strides and bounds of that one
// are in bytes. A thread makes 16 aligned bytes of the result.
#include "strided.cuh"

#define LAST (DIMS - 1)

struct Piece {
    u64 low, high;
};

// The 8 bytes that begin `bits` bits behind the first of `low`; 0 to 56.
__device__ inline u64 behind(u64 low, u64 high, unsigned bits) {
    return low >> bits | high << 1 << (63 - bits);
}

__device__ inline Piece aligned(u64 address) {
    uint4 words = __ldg((const uint4*)address);
    return {words.x | (u64)words.y << 32, words.z | (u64)words.w << 32};
}

// 16 bytes of which `count` are needed: no aligned 16 bytes without one of them are touched.
__device__ inline Piece read(u64 address, int count) {
    unsigned skip = address & 15, bits = 8 * (skip & 7);
    Piece a = aligned(address - skip), b = {0, 0};
    if (skip + count > 16) b = aligned(address - skip + 16);
    if (skip & 8) return {behind(a.high, b.low, bits), behind(b.low, b.high, bits)};
    return {behind(a.low, a.high, bits), behind(a.high, b.low, bits)};
}

// The first `count` bytes of `a`, 0 to 15, and behind them those of `b`.
__device__ inline Piece joined(Piece a, Piece b, unsigned count) {
    if (count == 0) return b;
    unsigned bits = 8 * (count & 7);
    u64 mask = ((u64)1 << bits) - 1;
    if (count & 8) return {a.low, (a.high & mask) | b.low << bits};
    return {(a.low & mask) | b.low << bits, b.high << bits | b.low >> 1 >> (63 - bits)};
}

// Finds where the bytes at `index` come from, 0 if from nowhere, and how many go on like that.
__device__ inline u64 origin(const Source* sources, int parts, const i64* index, i64* run) {
    u64 found = 0;
    for (int part = 0; part < parts; part++) {
        const Source& s = sources[part];
        u64 address = s.first + index[LAST];
        bool inside = index[LAST] < s.high[LAST];
#pragma unroll
        for (int d = 0; d < LAST; d++) {
            inside = inside && s.low[d] <= index[d] && index[d] < s.high[d];
            address += index[d] * s.stride[d];
        }
        if (!inside) continue;
        bool begun = s.low[LAST] <= index[LAST];
        if (begun) found = address;
        *run = min(*run, (begun ? s.high[LAST] : s.low[LAST]) - index[LAST]);
    }
    return found;
}

extern "C" __global__ void move_runs(const Result* results, const Source* sources, int parts) {
    const Result r = results[blockIdx.y];
    if (r.elements == 0) return;
    const u64 end = r.out + r.elements;
    sources += (i64)blockIdx.y * parts;
    for (u64 at = (r.out & ~15ull) + 16 * first_element(); at < end; at += 16 * element_step()) {
        const u64 from = max(at, r.out), to = min(at + 16, end);
        i64 index[DIMS];
        decompose(from - r.out, r.extent, index);
        Piece piece = {0, 0};
        for (u64 place = from; place < to;) {
            i64 run = min(r.extent[LAST] - index[LAST], (i64)(to - place));
            u64 source = origin(sources, parts, index, &run);
            Piece bytes = source ? read(source, run) : Piece{r.fill, r.fill};
            piece = joined(piece, bytes, place - at);
            place += run;
            i64 step[DIMS] = {};
            step[LAST] = run;
            if (place < to) advance(index, r.extent, step);
        }
        if (to - from == 16) {
            *(uint4*)at = make_uint4(piece.low, piece.low >> 32, piece.high, piece.high >> 32);
        } else {
            for (u64 place = from; place < to; place++) {
                unsigned i = place & 15;
                *(u8*)place = (i < 8 ? piece.low : piece.high) >> 8 * (i & 7);
            }
        }
    }
}
