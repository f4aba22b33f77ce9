// Maps images (height, width, channels), such as by rotation. Positions have the type Position: float, as in OpenCV's
// warpAffine, or double.
//
// A block makes a tile of the result, because adjacent pixels are read from a small part of the
// input. A thread makes PIXELS neighbors at a time.
#include "../kernels/resampling.cuh"
#include "../kernels/lanes.cuh"

const int PIXELS = CHANNELS ? 4 : 1;
const int TOGETHER = CHANNELS ? CHANNELS : 4;  // channels that a thread makes at a time
const float FURTHEST = 1e6f;

struct Place {  // the pixel at or above and left of a position, and how far that is beyond it
    int x, y;
    Work right, down;
};

__device__ inline float position_of(const double* row, int x, int y, float) {
    return __fmaf_rn((float)row[0], (float)x,
                     __fadd_rn(__fmul_rn((float)row[1], (float)y), (float)row[2]));
}

__device__ inline double position_of(const double* row, int x, int y, double) {
    return row[0] * x + (row[1] * y + row[2]);
}

// Positions that an int may not hold are as good as those just outside of any image; so is NaN.
__device__ inline float near(float position) {
    return FAR ? fminf(fmaxf(position, -FURTHEST), FURTHEST) : position;
}
__device__ inline double near(double position) {
    return FAR ? fmin(fmax(position, -(double)FURTHEST), (double)FURTHEST) : position;
}

__device__ inline int whole(float position) { return (int)rintf(position); }
__device__ inline int whole(double position) { return (int)rint(position); }

__device__ inline Place place_of(const double* matrix, int x, int y) {
    const Position a = near(position_of(matrix, x, y, Position()));
    const Position b = near(position_of(matrix + 3, x, y, Position()));
    if (NEAREST) return {whole(a), whole(b), 0, 0};
    const Position left = floor(a), top = floor(b);
    return {(int)left, (int)top, (Work)(a - left), (Work)(b - top)};
}

// The pixels left and right of a position in a row of the input.
#if WORDS
struct Pair {
    unsigned low, high;

    // Reads the aligned words that hold both pixels, or the nearest two words that exist. If pixels
    // outside matter, the other pixels are moved to their positions.
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
        // The byte becomes the last byte of 2^23 as a float, which is faster than a conversion.
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

// A channel of the pixels above and below a position, weighed.
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

// Makes some adjacent pixels: `count` channels of them.
__device__ inline void make(const Sample& s, const double* matrix, const In* in, Out* out, int x,
                            int y, int count, Work fill) {
    const int channels = CHANNELS ? CHANNELS : s.channels;
    const i64 pitch = (i64)s.in_width * channels;
    Place places[PIXELS];
    Pair pairs[PIXELS][2];
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
        Place& p = places[j] = place_of(matrix, x + j, y);
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
    warp_images(const Sample* samples, const double* matrices, double fill) {
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
        const In* in = s.source + frame * s.in_height * s.in_width * channels;
        Out* out = s.out + (frame * s.height * s.width + x) * channels;
        const int end = min(top + TILE_HEIGHT, s.height);
        for (int y = top + threadIdx.x / across; y < end; y += blockDim.x / across)
            for (int first = 0; first < channels; first += TOGETHER)
                make(s, matrix, in + first, out + (i64)y * s.width * channels + first, x, y,
                     min(TOGETHER, channels - first), (Work)fill);
    }
}
