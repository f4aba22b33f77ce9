// Copies boxes whose last dimension is a run of bytes: extents, strides and bounds of that one
// are in bytes. A run lies in memory as it is (STEP is 0), or is made of pixels of PIXEL bytes,
// STEP bytes from one to the next, or back if the last stride is negative; elements have GRAIN
// bytes. A thread makes pieces of 16 aligned bytes of the result: it asks for the bytes of all of
// them before it uses any.
#include "strided.cuh"

constexpr int PIECES = 4;

struct Piece {
    u64 low, high;
};

#if STEP
constexpr int SEEN = (PIXEL - GRAIN + 15) / PIXEL + 1;  // pixels of which a piece may have bytes
constexpr int SPAN = (SEEN - 1) * STEP + PIXEL;

__device__ inline i64 offset(Index place, bool backwards) {
    const Index pixel = place / PIXEL;
    return (i64)pixel * (backwards ? -STEP : STEP) + (place - pixel * PIXEL);
}

// What memory has of the 16 bytes that begin at a place of a run; `count` are needed.
struct Bytes {
    Window<SPAN> window;
    unsigned phase;

    __device__ void read(u64 address, Index place, int count, bool backwards) {
        phase = place % PIXEL;
        const int most = (SEEN - 1) * STEP, needed = (int)(phase + count - 1) / PIXEL * STEP;
        const u64 first = address - phase - (backwards ? most : 0);
        const u64 low = first + (backwards ? most - needed : 0);
        window.read(first, low, low + needed + PIXEL);
    }
    __device__ Piece piece(bool backwards) {
        window.align();
        unsigned words[9] = {};
        if (backwards)
            arrange<true>(words);
        else
            arrange<false>(words);
#pragma unroll
        for (int shift = 2; shift > 0 && PIXEL > 4; shift--)
#pragma unroll
            for (int k = 0; k + shift < 8; k++)
                if (phase & 4 * shift) words[k] = words[k + shift];
#pragma unroll
        for (int k = 0; k < 4; k++)
            words[k] = __funnelshift_r(words[k], words[k + 1], 8 * (phase & 3));
        return {words[0] | (u64)words[1] << 32, words[2] | (u64)words[3] << 32};
    }
    template <bool BACKWARDS>
    __device__ void arrange(unsigned* words) const {
#pragma unroll
        for (int i = 0; i < min(SEEN * PIXEL, 32); i++) {
            const int pixel = BACKWARDS ? SEEN - 1 - i / PIXEL : i / PIXEL;
            words[i / 4] |= window.byte(pixel * STEP + i % PIXEL) << i % 4 * 8;
        }
    }
};
#else
__device__ inline i64 offset(Index place, bool) { return place; }

// The 8 bytes that begin `bits` bits behind the first of `low`; 0 to 56.
__device__ inline u64 behind(u64 low, u64 high, unsigned bits) {
    return low >> bits | high << 1 << (63 - bits);
}

__device__ inline Piece aligned(u64 address) {
    uint4 words = __ldg((const uint4*)address);
    return {words.x | (u64)words.y << 32, words.z | (u64)words.w << 32};
}

// 16 bytes of which `count` are needed: no aligned 16 bytes without one of them are touched.
struct Bytes {
    Piece a, b;
    unsigned skip;

    __device__ void read(u64 address, Index, int count, bool) {
        skip = address & 15;
        a = aligned(address - skip);
        b = {0, 0};
        if (skip + count > 16) b = aligned(address - skip + 16);
    }
    __device__ Piece piece(bool) const {
        const unsigned bits = 8 * (skip & 7);
        if (skip & 8) return {behind(a.high, b.low, bits), behind(b.low, b.high, bits)};
        return {behind(a.low, a.high, bits), behind(a.high, b.low, bits)};
    }
};
#endif

// The first `count` bytes of `a`, 0 to 15, and behind them those of `b`.
__device__ inline Piece joined(Piece a, Piece b, unsigned count) {
    if (count == 0) return b;
    unsigned bits = 8 * (count & 7);
    u64 mask = ((u64)1 << bits) - 1;
    if (count & 8) return {a.low, (a.high & mask) | b.low << bits};
    return {(a.low & mask) | b.low << bits, b.high << bits | b.low >> 1 >> (63 - bits)};
}

// Finds where the bytes at `index` come from, 0 if from nowhere, and how many go on like that.
__device__ inline u64 origin(const Source* sources, int parts, const Index* index, Index* run) {
    u64 found = 0;
    for (int part = 0; part < parts; part++) {
        const Source& s = sources[part];
        u64 address = s.first + offset(index[LAST], s.stride[LAST] < 0);
        bool inside = index[LAST] < s.high[LAST];
#pragma unroll
        for (int d = 0; d < LAST; d++) {
            inside = inside && s.low[d] <= index[d] && index[d] < s.high[d];
            address += index[d] * s.stride[d];
        }
        if (!inside) continue;
        bool begun = s.low[LAST] <= index[LAST];
        if (begun) found = address;
        *run = min(*run, (Index)(begun ? s.high[LAST] : s.low[LAST]) - index[LAST]);
    }
    return found;
}

// Makes a piece that has several runs, or reaches beyond the result.
__device__ inline void make(const Result& r, const Extents& extent, const Source* sources, int parts, u64 at) {
    const bool backwards = sources->stride[LAST] < 0;
    const u64 end = r.out + r.elements, from = max(at, r.out), to = min(at + 16, end);
    Index index[DIMS];
    decompose(from - r.out, extent, index);
    Piece piece = {0, 0};
    for (u64 place = from; place < to;) {
        Index run = min(extent[LAST] - index[LAST], (Index)(to - place));
        const u64 source = origin(sources, parts, index, &run);
        Bytes bytes;
        if (source) bytes.read(source, index[LAST], run, backwards);
        piece = joined(piece, source ? bytes.piece(backwards) : Piece{r.fill, r.fill}, place - at);
        place += run;
        advance(index, extent, run);
    }
    if (to - from == 16) {
        *(uint4*)at = make_uint4(piece.low, piece.low >> 32, piece.high, piece.high >> 32);
        return;
    }
    for (u64 place = from; place < to; place++) {
        unsigned i = place & 15;
        *(u8*)place = (i < 8 ? piece.low : piece.high) >> 8 * (i & 7);
    }
}

extern "C" __global__ void __launch_bounds__(256, STEP ? 2 : 3)
    move_runs(const Result* results, const Source* sources, int parts) {
    const Result& r = results[blockIdx.y];
    if (r.elements == 0) return;
    const Extents extent(r);
    const u64 end = r.out + r.elements, begin = r.out & ~15ull;
    const unsigned apart = 16 * blockDim.x, chunk = PIECES * apart;
    sources += (i64)blockIdx.y * parts;
    const bool backwards = sources->stride[LAST] < 0;
    for (u64 at = begin + (u64)blockIdx.x * chunk + 16 * threadIdx.x; at < end; at += (u64)gridDim.x * chunk) {
        Bytes bytes[PIECES];
        unsigned whole = 0, filled = 0;  // bits
#pragma unroll
        for (int k = 0; k < PIECES; k++) {
            const u64 place = at + k * apart;
            if (place < r.out || place + 16 > end) continue;
            Index index[DIMS];
            decompose(place - r.out, extent, index);
            Index run = min(extent[LAST] - index[LAST], (Index)16);
            const u64 source = origin(sources, parts, index, &run);
            if (run < 16) continue;
            whole |= 1 << k;
            filled |= (source == 0) << k;
            if (source) bytes[k].read(source, index[LAST], 16, backwards);
        }
#pragma unroll
        for (int k = 0; k < PIECES; k++) {
            if (!(whole >> k & 1)) continue;
            const Piece piece = filled >> k & 1 ? Piece{r.fill, r.fill} : bytes[k].piece(backwards);
            *(uint4*)(at + k * apart) =
                make_uint4(piece.low, piece.low >> 32, piece.high, piece.high >> 32);
        }
        unsigned left = 0;
#pragma unroll
        for (int k = 0; k < PIECES; k++) left |= (at + k * apart < end) << k;
        left &= ~whole;
        for (u64 place = at; left; left &= ~1u) {  // each thread's next one, whichever it is
            for (; !(left & 1); left >>= 1) place += apart;
            make(r, extent, sources, parts, place);
        }
    }
}
