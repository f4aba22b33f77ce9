// Rotates images (height, width, channels): OpenCV's warpAffine, with its precision. It computes
// positions in float32, or, for some types and for two channels, in steps of 1/32 of a pixel
// (1/1024 for nearest neighbour).
//
// A block makes a tile of the result, for what lies side by side there is read from a small part of
// the input; a thread makes PIXELS neighbours at a time.
#include "resampling.cuh"
#include "lanes.cuh"

struct Sample {
    u64 in, out;
    i64 first_matrix;  // one a frame
    i64 tiles;         // of all frames of the result
    int in_height, in_width, height, width, channels;
};

const int PIXELS = CHANNELS ? 4 : 1, TILE_HEIGHT = 128, TILE_WIDTH = 32;
const int TOGETHER = CHANNELS ? CHANNELS : 4;  // channels that OpenCV takes at a time
const int STEP_BITS = 10, LINEAR_BITS = 5;

struct Place {  // the pixel at or above and left of a position, and how far that is beyond it
    int x, y;
    Work right, down;
};

__device__ inline int in_steps(const double* row, int x, int y) {
    const double steps = 1 << STEP_BITS;
    const double start = (row[1] * y + row[2]) * steps;
    return (int)(rint(row[0] * x * steps) + rint(start));
}

__device__ inline float in_float(const double* row, int x, int y) {
    return __fmaf_rn((float)row[0], (float)x,
                     __fadd_rn(__fmul_rn((float)row[1], (float)y), (float)row[2]));
}

__device__ inline Place place_of(const double* matrix, int x, int y, bool stepwise) {
    if (stepwise) {
        const int rest = STEP_BITS - (NEAREST ? 0 : LINEAR_BITS), half = 1 << (STEP_BITS - 1);
        const int middle = NEAREST ? half : half >> LINEAR_BITS;
        const int a = in_steps(matrix, x, y) + middle, b = in_steps(matrix + 3, x, y) + middle;
        if (NEAREST) return {a >> STEP_BITS, b >> STEP_BITS, 0, 0};
        const int u = a >> rest, v = b >> rest, most = (1 << LINEAR_BITS) - 1;
        const Work part = (Work)1 / (1 << LINEAR_BITS);
        return {u >> LINEAR_BITS, v >> LINEAR_BITS, (u & most) * part, (v & most) * part};
    }
    const float a = in_float(matrix, x, y), b = in_float(matrix + 3, x, y);
    if (NEAREST) return {(int)rintf(a), (int)rintf(b), 0, 0};
    const float left = floorf(a), top = floorf(b);
    return {(int)left, (int)top, a - left, b - top};
}

// The pixels left and right of a position in a row of the input.
#if WORDS
struct Pair {
    unsigned low, high;

    // Reads the aligned words that hold both, or the nearest two that there are. If the place of
    // what is outside matters, the others are moved to theirs.
    __device__ void read(const In* row, int x, int width, int, int) {
        const int first = min(max(x, 0), max(width - 2, 0)), count = min(width, 2) * CHANNELS;
        const u64 from = (u64)(row + first * CHANNELS);
        const unsigned* aligned = (const unsigned*)(from & ~3ull);
        const int skipped = (int)(from & 3);
        const unsigned next = skipped + count > 4 ? __ldg(aligned + 1) : 0;
        low = __funnelshift_r(__ldg(aligned), next, 8 * skipped);
        high = __funnelshift_r(next, skipped + count > 8 ? __ldg(aligned + 2) : 0, 8 * skipped);
        if (!FILLED || x == first) return;
        const u64 both = (u64)high << 32 | low;
        const u64 moved = x > first ? both >> 8 * CHANNELS : both << 8 * CHANNELS;
        low = (unsigned)moved;
        high = (unsigned)(moved >> 32);
    }
    __device__ Work at(int side, int channel) const {
        const int byte = side * CHANNELS + channel;
        // The last byte of 2^23 as a float: quicker than a conversion.
        const unsigned bits = __byte_perm(byte < 4 ? low : high, 0x4b000000, 0x7440 | byte % 4);
        return __uint_as_float(bits) - 8388608.0f;
    }
};
#else
struct Pair {
    In elements[2][TOGETHER];

    __device__ void read(const In* row, int x, int width, int channels, int count) {
#pragma unroll
        for (int side = 0; side <= !NEAREST; side++) {
            const In* pixel = row + (i64)min(max(x + side, 0), width - 1) * channels;
#pragma unroll
            for (int c = 0; c < TOGETHER; c++)
                if (c < count) elements[side][c] = pixel[c];
        }
    }
    __device__ Work at(int side, int channel) const { return (Work)elements[side][channel]; }
};
#endif

// A channel of the pixels above and below a place, weighed.
__device__ inline Work weighed(const Sample& s, const Place& p, const Pair (&pairs)[2], int channel,
                               Work fill) {
    Work corners[2][2];
#pragma unroll
    for (int k = 0; k < (NEAREST ? 1 : 4); k++) {
        const int down = k / 2, right = k % 2;
        const bool seen = !FILLED || ((unsigned)(p.x + right) < (unsigned)s.in_width &&
                                      (unsigned)(p.y + down) < (unsigned)s.in_height);
        corners[down][right] = seen ? pairs[down].at(right, channel) : fill;
    }
    if (NEAREST) return corners[0][0];
    const Work above = corners[0][0] + p.right * (corners[0][1] - corners[0][0]);
    const Work below = corners[1][0] + p.right * (corners[1][1] - corners[1][0]);
    return above + p.down * (below - above);
}

// Makes some pixels side by side: `count` channels of them.
__device__ inline void turn(const Sample& s, const double* matrix, const In* in, Out* out, int x,
                            int y, int count, Work fill) {
    const int channels = CHANNELS ? CHANNELS : s.channels;
    const i64 pitch = (i64)s.in_width * channels;
    Place places[PIXELS];
    Pair pairs[PIXELS][2];
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
        Place& p = places[j] = place_of(matrix, x + j, y, STEPWISE || count == 2);
#pragma unroll
        for (int down = 0; down <= !NEAREST; down++)
            pairs[j][down].read(in + min(max(p.y + down, 0), s.in_height - 1) * pitch, p.x,
                                s.in_width, channels, count);
        if (WORDS && !FILLED && (unsigned)p.x >= (unsigned)(s.in_width - 1))
            p.right = p.x > 0 && s.in_width > 1 ? 1 : 0;  // a pixel of the pair that was read
    }
    Pack<Out, PIXELS> packs[TOGETHER];
#pragma unroll
    for (int k = 0; k < PIXELS * TOGETHER; k++) {
        const int j = k / TOGETHER, c = k % TOGETHER;
        if (c >= count) continue;
        const Work value = weighed(s, places[j], pairs[j], c, fill);
        packs[k / PIXELS].values[k % PIXELS] =
            HALVES_TO_EVEN ? stored<Out>(value) : saturated<Out>(value);
    }
    if (CHANNELS && x + PIXELS <= s.width && (u64)out % sizeof packs[0] == 0) {
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) ((Pack<Out, PIXELS>*)out)[k] = packs[k];
        return;
    }
#pragma unroll
    for (int k = 0; k < PIXELS * TOGETHER; k++) {
        const int j = k / TOGETHER, c = k % TOGETHER;
        if (x + j < s.width && c < count)
            out[(i64)j * channels + c] = packs[k / PIXELS].values[k % PIXELS];
    }
}

extern "C" __global__ void __launch_bounds__(256)
    rotate(const Sample* samples, const double* matrices, double fill) {
    const Sample s = samples[blockIdx.y];
    const int channels = CHANNELS ? CHANNELS : s.channels, across = TILE_WIDTH / PIXELS;
    const int columns = (s.width + TILE_WIDTH - 1) / TILE_WIDTH;
    const i64 of_frame = (i64)columns * ((s.height + TILE_HEIGHT - 1) / TILE_HEIGHT);
    for (i64 tile = blockIdx.x; tile < s.tiles; tile += gridDim.x) {
        const i64 frame = quotient(tile, of_frame);
        const int place = (int)(tile - frame * of_frame), top = place / columns * TILE_HEIGHT;
        const int x = place % columns * TILE_WIDTH + threadIdx.x % across * PIXELS;
        if (x >= s.width) continue;
        double matrix[6];
        for (int k = 0; k < 6; k++) matrix[k] = matrices[6 * (s.first_matrix + frame) + k];
        const In* in = (const In*)s.in + frame * s.in_height * s.in_width * channels;
        Out* out = (Out*)s.out + (frame * s.height * s.width + x) * channels;
        const int end = min(top + TILE_HEIGHT, s.height);
        for (int y = top + threadIdx.x / across; y < end; y += blockDim.x / across)
            for (int first = 0; first < channels; first += TOGETHER)
                turn(s, matrix, in + first, out + (i64)y * s.width * channels + first, x, y,
                     min(TOGETHER, channels - first), (Work)fill);
    }
}
