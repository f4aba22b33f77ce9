// Encodes RGB images as baseline JPEG with 4:2:0, and decodes them again, without entropy coding,
// which loses nothing. The integer arithmetic is that of libjpeg: the accurate DCT of 13 bits
// (C. Loeffler, A. Ligtenberg, G. Moschytz, "Practical fast 1-D DCT algorithms with 11
// multiplications", 1989), and chroma that is interpolated linearly.
//
// `blocks` makes the planes of luma and chroma of a frame, `pixels` makes the RGB image of them.
// Planes consist of whole blocks of 8x8; `luma` and `chroma` are the quantization tables.
#include "../kernels/common.cuh"

const int SIDE = 8, HALF = 128;
const int ROW_BITS = 2, BITS = 13;  // after the point: of a first pass, of factors

__device__ inline int blocks_of(int extent) { return (extent + SIDE - 1) / SIDE; }
__device__ inline int clamped(int value) { return min(max(value, 0), 255); }
__device__ inline int descaled(int value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

// The planes of a frame.
struct Planes {
    int width, height;            // of the image
    int small_width, small_height;  // of chroma
    int columns, small_columns;   // blocks in a line
    int count, small_count;       // blocks of luma, and of each plane of chroma

    __device__ Planes(int width, int height) : width(width), height(height) {
        small_width = (width + 1) / 2;
        small_height = (height + 1) / 2;
        columns = blocks_of(width);
        small_columns = blocks_of(small_width);
        count = columns * blocks_of(height);
        small_count = small_columns * blocks_of(small_height);
    }
};

__device__ inline int luma_of(const u8* p) {
    return (19595 * p[0] + 38470 * p[1] + 7471 * p[2] + 32768) >> 16;
}
template <bool RED>
__device__ inline int chroma_of(const u8* p) {
    const int sum = RED ? 32768 * p[0] - 27439 * p[1] - 5329 * p[2]
                        : -11059 * p[0] - 21709 * p[1] + 32768 * p[2];
    return (sum + (HALF << 16) + 32767) >> 16;
}

// The mean of four pixels' chroma; sums are rounded up and down in turn.
template <bool RED>
__device__ inline int chroma_at(const Frame& s, const Planes& planes, int x, int y) {
    y = min(y, planes.small_height - 1);
    int sum = 1 + (x & 1);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int column = min(2 * x + k % 2, planes.width - 1);
        const int row = min(2 * y + k / 2, planes.height - 1);
        sum += chroma_of<RED>(s.source + ((i64)row * planes.width + column) * 3);
    }
    return sum >> 2;
}

// The odd half of a transform, for its inputs from the first to the last.
__device__ inline void rotate_odd(int& a, int& b, int& c, int& d) {
    const int sum = (a + b + c + d) * 9633;
    const int ac = (a + c) * -16069 + sum, bd = (b + d) * -3196 + sum;
    const int ad = (a + d) * -7373, bc = (b + c) * -20995;
    a = a * 2446 + ad + ac;
    b = b * 16819 + bc + bd;
    c = c * 25172 + bc + ac;
    d = d * 12299 + ad + bd;
}

// Transforms eight numbers, `step` apart, to frequencies.
template <bool FIRST>
__device__ inline void to_frequencies(int* v, int step) {
    const int bits = FIRST ? BITS - ROW_BITS : BITS + ROW_BITS;
    int sums[4], differences[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        sums[k] = v[k * step] + v[(7 - k) * step];
        differences[k] = v[k * step] - v[(7 - k) * step];
    }
    const int even = sums[0] + sums[3], odd = sums[1] + sums[2];
    const int first = sums[0] - sums[3], second = sums[1] - sums[2];
    v[0] = FIRST ? (even + odd) << ROW_BITS : descaled(even + odd, ROW_BITS);
    v[4 * step] = FIRST ? (even - odd) << ROW_BITS : descaled(even - odd, ROW_BITS);
    const int both = (first + second) * 4433;
    v[2 * step] = descaled(both + first * 6270, bits);
    v[6 * step] = descaled(both - second * 15137, bits);
    int a = differences[3], b = differences[2], c = differences[1], d = differences[0];
    rotate_odd(a, b, c, d);
    v[7 * step] = descaled(a, bits);
    v[5 * step] = descaled(b, bits);
    v[3 * step] = descaled(c, bits);
    v[step] = descaled(d, bits);
}

// Transforms eight frequencies, `step` apart, to numbers.
template <bool FIRST>
__device__ inline void from_frequencies(int* v, int step) {
    const int bits = FIRST ? BITS - ROW_BITS : BITS + ROW_BITS + 3;
    const int both = (v[2 * step] + v[6 * step]) * 4433;
    const int low = both - v[6 * step] * 15137, high = both + v[2 * step] * 6270;
    const int sum = (v[0] + v[4 * step]) << BITS, difference = (v[0] - v[4 * step]) << BITS;
    const int even[4] = {sum + high, difference + low, difference - low, sum - high};
    int a = v[7 * step], b = v[5 * step], c = v[3 * step], d = v[step];
    rotate_odd(a, b, c, d);
    const int odd[4] = {d, c, b, a};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k * step] = descaled(even[k] + odd[k], bits);
        v[(7 - k) * step] = descaled(even[k] - odd[k], bits);
    }
}

// Divides by `size`, and multiplies again; halves are rounded away from zero.
__device__ inline int quantized(int value, int size) {
    const int divisor = size * SIDE, level = (abs(value) + divisor / 2) / divisor;
    return (value < 0 ? -level : level) * size;
}

// A thread computes a block.
extern "C" __global__ void blocks(const Frame* frames) {
    const Frame& s = frames[blockIdx.y];
    const Planes planes(s.width, s.height);
    for (i64 i = first_element(); i < s.blocks; i += element_step()) {
        const int plane = i < planes.count ? 0 : 1 + (i - planes.count) / planes.small_count;
        const int own = plane ? (i - planes.count) % planes.small_count : i;
        const int columns = plane ? planes.small_columns : planes.columns;
        const int left = own % columns * SIDE, top = own / columns * SIDE;
        int v[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++) {
            const int x = left + k % SIDE, y = top + k / SIDE;
            if (plane == 0) {
                const i64 row = min(y, planes.height - 1), column = min(x, planes.width - 1);
                v[k] = luma_of(s.source + (row * planes.width + column) * 3) - HALF;
            } else {
                v[k] = (plane == 1 ? chroma_at<false>(s, planes, x, y)
                                   : chroma_at<true>(s, planes, x, y)) - HALF;
            }
        }
        for (int k = 0; k < SIDE; k++) to_frequencies<true>(v + k * SIDE, 1);
        for (int k = 0; k < SIDE; k++) to_frequencies<false>(v + k, SIDE);
        for (int k = 0; k < SIDE * SIDE; k++)
            v[k] = quantized(v[k], plane ? s.chroma[k] : s.luma[k]);
        for (int k = 0; k < SIDE; k++) from_frequencies<true>(v + k, SIDE);
        for (int k = 0; k < SIDE; k++) from_frequencies<false>(v + k * SIDE, 1);
        u8* out = s.planes + (i - own) * SIDE * SIDE + ((i64)top * columns * SIDE + left);
        for (int k = 0; k < SIDE * SIDE; k++)
            out[(i64)(k / SIDE) * columns * SIDE + k % SIDE] = clamped(v[k] + HALF);
    }
}

// Chroma at a pixel: 9, 3, 3 and 1 sixteenths of the four nearest.
__device__ inline int interpolated(const u8* plane, const Planes& planes, int x, int y) {
    const i64 pitch = planes.small_columns * SIDE;
    const int column = x / 2, row = y / 2;
    if (planes.small_width <= 2) return plane[row * pitch + column];
    const int other_row = min(max(row + (y & 1 ? 1 : -1), 0), planes.small_height - 1);
    const int other = min(max(column + (x & 1 ? 1 : -1), 0), planes.small_width - 1);
    const u8 *near_line = plane + row * pitch, *far_line = plane + other_row * pitch;
    const int own = near_line[column] * 3 + far_line[column];
    const int next = near_line[other] * 3 + far_line[other];
    return (own * 3 + next + (x & 1 ? 7 : 8)) >> 4;
}

extern "C" __global__ void pixels(const Frame* frames) {
    const Frame& s = frames[blockIdx.y];
    const Planes planes(s.width, s.height);
    const u8* blue = s.planes + (i64)planes.count * SIDE * SIDE;
    const u8* red = blue + (i64)planes.small_count * SIDE * SIDE;
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const int y = (int)quotient(i, (i64)s.width), x = (int)(i - (i64)y * s.width);
        const int luma = s.planes[(i64)y * planes.columns * SIDE + x];
        const int cb = interpolated(blue, planes, x, y) - HALF;
        const int cr = interpolated(red, planes, x, y) - HALF;
        u8* const out = s.out + i * 3;
        out[0] = clamped(luma + ((91881 * cr + 32768) >> 16));
        out[1] = clamped(luma + ((-22554 * cb - 46802 * cr + 32768) >> 16));
        out[2] = clamped(luma + ((116130 * cb + 32768) >> 16));
    }
}
