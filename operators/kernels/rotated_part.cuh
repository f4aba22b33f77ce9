// The part of an image of bytes that a tile of the rotated image needs, brought into shared memory,
// a pixel a word. Positions there have BITS behind the point, matrices BITS_OF_MATRIX.
#include "common.cuh"

struct Sample {
    u64 in, out;
    i64 first_matrix;  // one a frame
    i64 tiles;         // of all frames of the result
    int in_height, in_width, height, width, channels;
};

const int TILE = 64, THREADS = 256;
const int PART = 96;     // rows and columns of the input that hold a tile, however turned
const int PITCH = 100;   // words from row to row; of a warp at most three threads use one bank
const int GROUP = 4;     // pixels side by side that a thread reads or writes together
const int READERS = 8;   // threads that read a row
const int BITS = 24, BITS_OF_MATRIX = 40;

// Where a tile lies, and the part of the input that it needs.
struct Place {
    i64 frame;
    int top, left;
    int first_x, first_y, extent;      // the part, of as many rows as columns
    int low_x, high_x, low_y, high_y;  // what of it lies in the image, or nearest to it
    bool inside;                       // it all does
    // The tile's first pixel's position in the part, and what is added to it from pixel to pixel.
    unsigned x, y, right_x, right_y, down_x, down_y;
    // The needed columns of a row: middle + slope * row, and so many on either side. These hold the
    // tile's columns, and its rows.
    float slopes[2], middles[2], halves[2];

    __device__ void find(const Sample& s, const i64* matrices, i64 tile) {
        const int columns = (s.width + TILE - 1) / TILE, rows = (s.height + TILE - 1) / TILE;
        frame = quotient(tile, (i64)columns * rows);
        const int place = (int)(tile - frame * columns * rows);
        top = place / columns * TILE;
        left = place % columns * TILE;
        const i64* m = matrices + 6 * (s.first_matrix + frame);
        const i64 at_x = m[0] * left + m[1] * top + m[2], at_y = m[3] * left + m[4] * top + m[5];
        const i64 least_x = at_x + (TILE - 1) * (min(m[0], (i64)0) + min(m[1], (i64)0));
        const i64 least_y = at_y + (TILE - 1) * (min(m[3], (i64)0) + min(m[4], (i64)0));
        const i64 slack = (i64)1 << (BITS_OF_MATRIX - 10);  // for what is rounded
        const i64 reach = (TILE - 1) * (max(m[0], -m[0]) + max(m[1], -m[1]));
        first_x = (int)((least_x - slack) >> BITS_OF_MATRIX) & -GROUP;  // where words begin, too
        first_y = (int)((least_y - slack) >> BITS_OF_MATRIX);
        extent = (int)((reach + 2 * slack) >> BITS_OF_MATRIX) + 2 + GROUP;
        const int shift = BITS_OF_MATRIX - BITS;
        x = (unsigned)((at_x - ((i64)first_x << BITS_OF_MATRIX)) >> shift);
        y = (unsigned)((at_y - ((i64)first_y << BITS_OF_MATRIX)) >> shift);
        right_x = (unsigned)(m[0] >> shift);
        right_y = (unsigned)(m[3] >> shift);
        down_x = (unsigned)(m[1] >> shift);
        down_y = (unsigned)(m[4] >> shift);
        inside = first_x >= 0 && first_x + extent <= s.in_width && first_y >= 0 &&
                 first_y + extent <= s.in_height;
        // A part beside the image may as well lie next to it.
        first_x = min(max(first_x, -PART), s.in_width - 1 + FILLED);
        first_y = min(max(first_y, 1 - PART), s.in_height - 1 + FILLED);
        low_x = max(-first_x, 0);
        low_y = max(-first_y, 0);
        high_x = min(s.in_width - 1 - first_x, PART);
        high_y = min(s.in_height - 1 - first_y, PART);
        const float unit = 1.0f / (1 << BITS);
        const float across = (int)right_x * unit, down = (int)right_y * unit;
        hold(0, across, -down, x * unit, y * unit);
        hold(1, -down, -across, x * unit, y * unit);
    }
    __device__ void hold(int k, float a, float b, float x, float y) {
        const bool level = fabsf(a) < 1.0f / 64;
        const float inverse = level ? 0 : __fdividef(1, a);
        slopes[k] = b * inverse;
        middles[k] = x + (TILE - 1) * 0.5f * inverse - slopes[k] * y;
        halves[k] = level ? 2 * PART : ((TILE - 1) * 0.5f + fabsf(b)) * fabsf(inverse) + 1.0f / 64;
    }
};

// The pixels that are needed of a row of the input, and to which word of the part they are brought.
struct alignas(16) Row {
    const u8* from;
    int to, last;  // less than 0 if there are none

    __device__ void find(const Sample& s, const Place& p, int row, unsigned* part) {
        last = -1;
        if (row < p.low_y || row > p.high_y || p.high_x < 0) return;
        const float a = p.middles[0] + p.slopes[0] * row, b = p.middles[1] + p.slopes[1] * row;
        int first = (int)floorf(max(a - p.halves[0], b - p.halves[1]));
        int end = (int)floorf(min(a + p.halves[0], b + p.halves[1])) + 1;
        if (row == p.low_y || row == p.high_y) {  // these stand for rows above or below
            first = 0;
            end = p.extent - 1;
        }
        first = min(max(first, p.low_x), p.high_x) & -GROUP;
        end = min(max(end, p.low_x), p.high_x);
        to = row * PITCH + first;
        last = end - first;
        const int x = p.first_x + first, y = p.first_y + row;
        from = (const u8*)s.in + ((p.frame * s.in_height + y) * s.in_width + x) * CHANNELS;
        if (y < s.in_height - 1 || p.first_x + (end | GROUP - 1) < s.in_width) return;
        // Behind the last pixels of the image there may be nothing.
        for (; last >= 0 && (last + 1) % GROUP; last--)
            for (int c = 0; c < CHANNELS; c++)
                ((u8*)(part + to + last))[c] = from[last * CHANNELS + c];
    }
};

// Pixels side by side, as the words that hold them.
struct Group {
    unsigned words[CHANNELS + 1];

    // They begin so many bits behind where a word does.
    __device__ void read(const unsigned* from, unsigned shift) {
#pragma unroll
        for (int k = 0; k < CHANNELS; k++) words[k] = __ldg(from + k);
        if (shift) words[CHANNELS] = __ldg(from + CHANNELS);
    }
    // A word each, whose upper bytes are rubbish.
    __device__ uint4 pixels(unsigned shift) const {
        unsigned shifted[CHANNELS + 1], split[GROUP];
#pragma unroll
        for (int k = 0; k < CHANNELS; k++)
            shifted[k] = __funnelshift_r(words[k], words[k + 1], shift);
        shifted[CHANNELS] = 0;
#pragma unroll
        for (int j = 0; j < GROUP; j++)
            split[j] = __funnelshift_r(shifted[j * CHANNELS / 4], shifted[j * CHANNELS / 4 + 1],
                                       j * CHANNELS % 4 * 8);
        return make_uint4(split[0], split[1], split[2], split[3]);
    }
};

// Brings the part into shared memory.
__device__ inline void bring(const Row* rows, unsigned* part) {
    const int own = threadIdx.x % READERS * GROUP, PASSES = PART / GROUP / READERS;
    for (int i = threadIdx.x / READERS; i < PART; i += THREADS / READERS) {
        const Row row = rows[i];
        const unsigned shift = (unsigned)(u64)row.from % 4 * 8;
        const unsigned* from = (const unsigned*)((u64)row.from & ~3ull) + own / 4 * CHANNELS;
        const int last = row.last - own;
        uint4* to = (uint4*)(part + row.to + own);
        Group groups[PASSES];
#pragma unroll
        for (int k = 0; k < PASSES; k++)
            if (k * READERS * GROUP <= last) groups[k].read(from + k * READERS * CHANNELS, shift);
#pragma unroll
        for (int k = 0; k < PASSES; k++)
            if (k * READERS * GROUP <= last) to[k * READERS] = groups[k].pixels(shift);
    }
}
