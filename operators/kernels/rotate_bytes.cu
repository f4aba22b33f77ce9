// Rotates images of bytes (height, width, CHANNELS), weighing the four pixels around a position, as
// OpenCV's warpAffine does it.
//
// A block makes a tile of the result. The part of the input that it needs, with what lies around the
// image, is brought into shared memory first, a pixel a word. Positions there have BITS behind the
// point, weights 16, and an instruction weighs two bytes. Matrices have BITS_OF_MATRIX.
#include "common.cuh"

struct Sample {
    u64 in, out;
    i64 first_matrix;  // one a frame
    i64 tiles;         // of all frames of the result
    int in_height, in_width, height, width, channels;
};

const int TILE = 64, THREADS = 256;
const int ACROSS = 8;        // pixels side by side that threads make at a time
const int PART = 96;         // rows and columns of the input that hold a tile, however turned
const int PITCH = PART + 8;  // words from row to row: threads of a warp use all banks
const int GROUP = 4;         // pixels that a thread reads or writes together
const int ROUNDS = 4;        // groups that it reads before it writes any of them
const int BITS = 24, BITS_OF_MATRIX = 40;

// Reads pixels side by side, a word each, whose upper bytes are rubbish.
__device__ inline uint4 read_group(const u8* pixels) {
    const unsigned* aligned = (const unsigned*)((u64)pixels & ~3ull);
    const unsigned shift = (unsigned)((u64)pixels & 3) * 8;
    unsigned words[CHANNELS + 1];
#pragma unroll
    for (int k = 0; k < CHANNELS; k++) words[k] = __ldg(aligned + k);
    words[CHANNELS] = shift ? __ldg(aligned + CHANNELS) : 0;
#pragma unroll
    for (int k = 0; k < CHANNELS; k++) words[k] = __funnelshift_r(words[k], words[k + 1], shift);
    unsigned split[GROUP];
#pragma unroll
    for (int j = 0; j < GROUP; j++)
        split[j] = __funnelshift_r(words[j * CHANNELS / 4], words[j * CHANNELS / 4 + 1],
                                   j * CHANNELS % 4 * 8);
    return make_uint4(split[0], split[1], split[2], split[3]);
}

__device__ inline void fill_outside(const Sample& s, uint4& group, int x, int y, unsigned fill) {
    const bool in_row = (unsigned)y < (unsigned)s.in_height;
    if (!in_row || (unsigned)x >= (unsigned)s.in_width) group.x = fill;
    if (!in_row || (unsigned)(x + 1) >= (unsigned)s.in_width) group.y = fill;
    if (!in_row || (unsigned)(x + 2) >= (unsigned)s.in_width) group.z = fill;
    if (!in_row || (unsigned)(x + 3) >= (unsigned)s.in_width) group.w = fill;
}

// Where a tile lies, and the part of the input that it needs. Positions are those of the tile's first
// pixel in the part, and what is added to them from pixel to pixel.
struct Place {
    i64 frame;
    int top, left, first_x, first_y, extent;
    unsigned x, y, right_x, right_y, down_x, down_y;

    __device__ void find(const Sample& s, const i64* matrices, i64 tile) {
        const int columns = (s.width + TILE - 1) / TILE, rows = (s.height + TILE - 1) / TILE;
        frame = quotient(tile, (i64)columns * rows);
        const int place = (int)(tile - frame * columns * rows);
        top = place / columns * TILE;
        left = place % columns * TILE;
        const i64* m = matrices + 6 * (s.first_matrix + frame);
        const i64 at_x = m[0] * left + m[1] * top + m[2], at_y = m[3] * left + m[4] * top + m[5];
        const i64 low_x = at_x + (TILE - 1) * (min(m[0], (i64)0) + min(m[1], (i64)0));
        const i64 low_y = at_y + (TILE - 1) * (min(m[3], (i64)0) + min(m[4], (i64)0));
        const i64 slack = (i64)1 << (BITS_OF_MATRIX - 10);  // for what is rounded
        const i64 reach = (TILE - 1) * (max(m[0], -m[0]) + max(m[1], -m[1]));
        first_x = (int)((low_x - slack) >> BITS_OF_MATRIX) & -GROUP;  // where words begin, too
        first_y = (int)((low_y - slack) >> BITS_OF_MATRIX);
        extent = (int)((reach + 2 * slack) >> BITS_OF_MATRIX) + 3;
        const int shift = BITS_OF_MATRIX - BITS;
        x = (unsigned)((at_x - ((i64)first_x << BITS_OF_MATRIX)) >> shift);
        y = (unsigned)((at_y - ((i64)first_y << BITS_OF_MATRIX)) >> shift);
        right_x = (unsigned)(m[0] >> shift);
        right_y = (unsigned)(m[3] >> shift);
        down_x = (unsigned)(m[1] >> shift);
        down_y = (unsigned)(m[4] >> shift);
    }
};

// Pixels x to x + 3 of a row, of which some may lie beside the image, out of those that are nearest.
__device__ inline uint4 placed(const uint4& nearest, int shift) {
    const unsigned found[GROUP] = {nearest.x, nearest.y, nearest.z, nearest.w};
    unsigned pixels[GROUP];
#pragma unroll
    for (int j = 0; j < GROUP; j++) {
        pixels[j] = j + shift <= 0 ? found[0] : found[GROUP - 1];
#pragma unroll
        for (int k = 1; k < GROUP - 1; k++) pixels[j] = j + shift == k ? found[k] : pixels[j];
    }
    return make_uint4(pixels[0], pixels[1], pixels[2], pixels[3]);
}

// Brings the part of the input into shared memory.
__device__ inline void bring(const Sample& s, const Place& p, const u8* in, unsigned fill,
                             unsigned* part) {
    const unsigned pitch = s.in_width * CHANNELS, across = (p.extent + 2 * GROUP - 2) / GROUP;
    const unsigned inverse = 65536 / across + 1, count = across * p.extent;
    for (unsigned first = threadIdx.x; first < count; first += ROUNDS * THREADS) {
        uint4 groups[ROUNDS];
        int x[ROUNDS], y[ROUNDS], nearest[ROUNDS];
        uint4* to[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            const unsigned i = min(first + r * THREADS, count - 1);
            const unsigned row = i * inverse >> 16, column = (i - row * across) * GROUP;
            to[r] = (uint4*)(part + row * PITCH + column);
            x[r] = p.first_x + column;
            y[r] = p.first_y + row;
            nearest[r] = min(max(x[r], 0), s.in_width - GROUP);
            const u64 line = (u64)(unsigned)min(max(y[r], 0), s.in_height - 1) * pitch;
            groups[r] = read_group(in + line + nearest[r] * CHANNELS);
        }
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            if (x[r] != nearest[r]) groups[r] = placed(groups[r], x[r] - nearest[r]);
            if (FILLED) fill_outside(s, groups[r], x[r], y[r], fill);
            *to[r] = groups[r];
        }
    }
}

// The pixel at a position in the part.
__device__ inline unsigned weighed(const unsigned* part, unsigned x, unsigned y) {
    const unsigned* corner = part + (y >> BITS) * PITCH + (x >> BITS);
    const unsigned pixels[2][2] = {{corner[0], corner[1]}, {corner[PITCH], corner[PITCH + 1]}};
    // Weights of the pixels left and right, the sum of all four being 65535.
    const unsigned right = x >> (BITS - 16) & 0xffff, below = y >> (BITS - 16) & 0xffff;
    const unsigned corner_weight = (right * below + 0xffff) >> 16;
    const unsigned weights[2] = {(right - corner_weight) * 0xffff + 0xffff - below,
                                 corner_weight * 0xffff + below};
    unsigned sums[4];
#pragma unroll
    for (int c = 0; c < 4; c++) sums[c] = 0x8080;  // a half, and half of what is lost at 65535
#pragma unroll
    for (int down = 0; down < 2; down++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2) {
            const unsigned bytes = __byte_perm(pixels[down][0], pixels[down][1],
                                               c ? 0x7362 : 0x5140);
            sums[c] = __dp2a_lo(weights[down], bytes, sums[c]);
            if (c + 1 < CHANNELS) sums[c + 1] = __dp2a_hi(weights[down], bytes, sums[c + 1]);
        }
    const unsigned two = __byte_perm(sums[0], sums[1], 0x0062);
    return __byte_perm(two, CHANNELS > 3 ? __byte_perm(sums[2], sums[3], 0x0062) : sums[2] >> 16,
                       0x5410);
}

// Writes pixels side by side, of which `left` are in the image.
__device__ inline void put(u8* out, const uint4& pixels, int left) {
    const unsigned split[GROUP] = {pixels.x, pixels.y, pixels.z, pixels.w};
    if (left >= GROUP && (u64)out % 4 == 0) {
        unsigned* words = (unsigned*)out;
        if (CHANNELS == 1) {
            words[0] = __byte_perm(__byte_perm(split[0], split[1], 0x0040),
                                   __byte_perm(split[2], split[3], 0x0040), 0x5410);
            return;
        }
#pragma unroll
        for (int k = 0; k < CHANNELS; k++)
            words[k] = CHANNELS == 3 ? __byte_perm(split[k], split[k + 1],
                                                   k == 0 ? 0x4210 : k == 1 ? 0x5421 : 0x6542)
                                     : split[k];
        return;
    }
#pragma unroll
    for (int j = 0; j < GROUP; j++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            if (j < left) out[j * CHANNELS + c] = (u8)(split[j] >> 8 * c);
}

extern "C" __global__ void __launch_bounds__(THREADS, 4)
    rotate_bytes(const Sample* samples, const i64* matrices, unsigned fill) {
    extern __shared__ unsigned char shared_memory[];
    unsigned* part = (unsigned*)shared_memory;  // (PART, PITCH)
    unsigned* made = part + PART * PITCH;       // (TILE, TILE)
    Place& shared_place = *(Place*)(made + TILE * TILE);
    const Sample s = samples[blockIdx.y];
    const int own_x = threadIdx.x % ACROSS, own_y = threadIdx.x / ACROSS;
    for (i64 tile = blockIdx.x; tile < s.tiles; tile += gridDim.x) {
        if (threadIdx.x == 0) shared_place.find(s, matrices, tile);
        __syncthreads();
        const Place p = shared_place;
        const u8* in = (const u8*)s.in + p.frame * s.in_height * s.in_width * CHANNELS;
        bring(s, p, in, fill, part);
        __syncthreads();
        unsigned row_x = p.x + own_x * p.right_x + own_y * p.down_x;
        unsigned row_y = p.y + own_x * p.right_y + own_y * p.down_y;
        for (int j = own_y; j < TILE; j += THREADS / ACROSS) {
            unsigned x = row_x, y = row_y;
#pragma unroll
            for (int k = own_x; k < TILE; k += ACROSS) {
                made[j * TILE + k] = weighed(part, x, y);
                x += ACROSS * p.right_x;
                y += ACROSS * p.right_y;
            }
            row_x += THREADS / ACROSS * p.down_x;
            row_y += THREADS / ACROSS * p.down_y;
        }
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * TILE / GROUP; i += THREADS) {
            const int y = p.top + i / (TILE / GROUP), x = p.left + i % (TILE / GROUP) * GROUP;
            if (y < s.height && x < s.width)
                put((u8*)s.out + ((p.frame * s.height + y) * s.width + x) * CHANNELS,
                    ((const uint4*)made)[i], s.width - x);
        }
    }
}
