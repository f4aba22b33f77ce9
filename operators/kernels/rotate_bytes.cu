// Rotates images of bytes (height, width, CHANNELS), weighing the four pixels around a position, as
// OpenCV's warpAffine does it. A block makes a tile of the result. Weights have 16 bits, and an
// instruction weighs two bytes.
#include "rotated_part.cuh"

// The pixel at a position in the part, of which some lies beside the image if there are EDGES.
template <bool EDGES>
__device__ inline unsigned weighed(const Sample& s, const Place& p, const unsigned* part,
                                   unsigned x, unsigned y, unsigned fill) {
    if (EDGES && !FILLED) {
        x = min(max(x, (unsigned)p.low_x << BITS), (unsigned)p.high_x << BITS);
        y = min(max(y, (unsigned)p.low_y << BITS), (unsigned)p.high_y << BITS);
    }
    const unsigned* corner = part + (y >> BITS) * PITCH + (x >> BITS);
    const unsigned pixels[2][2] = {{corner[0], corner[1]}, {corner[PITCH], corner[PITCH + 1]}};
    // Weights of the pixels left and right, the sum of all four being 65535.
    const unsigned right = __byte_perm(x, 0, 0x4421), below = __byte_perm(y, 0, 0x4421);
    const unsigned corner_weight = (right * below + 0xffff) >> 16;
    unsigned weights[2];
    weights[1] = corner_weight * 0xffff + below;
    weights[0] = right * 0xffff + 0xffff - weights[1];
    unsigned start = 0x8080;  // a half, and half of what is lost at 65535
    if (EDGES && FILLED) {
        const int column = p.first_x + (int)(x >> BITS), row = p.first_y + (int)(y >> BITS);
        const unsigned seen = ((unsigned)column < (unsigned)s.in_width ? 0xffff : 0) |
                              ((unsigned)(column + 1) < (unsigned)s.in_width ? 0xffff0000 : 0);
        weights[0] &= (unsigned)row < (unsigned)s.in_height ? seen : 0;
        weights[1] &= (unsigned)(row + 1) < (unsigned)s.in_height ? seen : 0;
        const unsigned below_seen = __dp2a_lo(weights[1], 0x0101u, 0u);
        start += (0xffff - __dp2a_lo(weights[0], 0x0101u, below_seen)) * fill;
    }
    unsigned sums[4];
#pragma unroll
    for (int c = 0; c < 4; c++) sums[c] = start;
#pragma unroll
    for (int down = 0; down < 2; down++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2) {
            const unsigned bytes = __byte_perm(pixels[down][0], pixels[down][1],
                                               c ? 0x7362 : 0x5140);
            sums[c] = __dp2a_lo(weights[down], bytes, sums[c]);
            if (c + 1 < CHANNELS) sums[c + 1] = __dp2a_hi(weights[down], bytes, sums[c + 1]);
        }
    const unsigned two = __byte_perm(sums[0], sums[1], 0x7762);
    if (CHANNELS < 4) return __byte_perm(two, sums[2], 0x7610);
    return __byte_perm(two, __byte_perm(sums[2], sums[3], 0x7762), 0x5410);
}

// Writes pixels side by side, of which `left` are in the image. `before` bytes lie before the first
// that a word may begin with.
__device__ inline void put(u8* out, const unsigned (&pixels)[GROUP], int left, int before) {
    unsigned words[CHANNELS];
    if (CHANNELS == 1)
        words[0] = __byte_perm(__byte_perm(pixels[0], pixels[1], 0x0040),
                               __byte_perm(pixels[2], pixels[3], 0x0040), 0x5410);
    else
#pragma unroll
        for (int k = 0; k < CHANNELS; k++)
            words[k] = CHANNELS == 3 ? __byte_perm(pixels[k], pixels[k + 1],
                                                   k == 0 ? 0x4210 : k == 1 ? 0x5421 : 0x6542)
                                     : pixels[k];
    if (left >= GROUP && before == 0) {
#pragma unroll
        for (int k = 0; k < CHANNELS; k++) ((unsigned*)out)[k] = words[k];
    } else if (left >= GROUP) {
#pragma unroll
        for (int k = 0; k < CHANNELS - 1; k++)
            ((unsigned*)(out + before))[k] = __funnelshift_r(words[k], words[k + 1], 8 * before);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int byte = j < before ? j : 4 * CHANNELS - 4 + j;
            out[byte] = (u8)((j < before ? words[0] : words[CHANNELS - 1]) >> 8 * j);
        }
    } else {
#pragma unroll
        for (int j = 0; j < (GROUP - 1) * CHANNELS; j++)
            if (j < left * CHANNELS) out[j] = (u8)(words[j / 4] >> 8 * (j % 4));
    }
}

// Makes the tile. A warp has 8 groups side by side in 4 rows.
template <bool EDGES>
__device__ inline void make(const Sample& s, const Place& p, const unsigned* part, unsigned fill) {
    const int own_x = (threadIdx.x % 8 + threadIdx.x / 32 % 2 * 8) * GROUP;
    const int own_y = threadIdx.x / 8 % 4 + threadIdx.x / 64 * 4, rows = THREADS * GROUP / TILE;
    if (p.left + own_x >= s.width) return;
    unsigned row_x = p.x + own_x * p.right_x + own_y * p.down_x;
    unsigned row_y = p.y + own_x * p.right_y + own_y * p.down_y;
    const i64 line = p.frame * s.height + p.top + own_y;
    u8* out = (u8*)s.out + (line * s.width + p.left + own_x) * CHANNELS;
    const int end = min(s.height - p.top, TILE), left = s.width - p.left - own_x;
    const int before = -(int)(u64)out & 3;  // for all rows
    for (int y = own_y; y < end; y += rows) {
        // Neighbours begin with different pixels, or at some angles all would use the same banks.
        const int turn = threadIdx.x % GROUP;
        unsigned made[GROUP], half_way[GROUP], pixels[GROUP];
#pragma unroll
        for (int j = 0; j < GROUP; j++) {
            const int k = (j + turn) % GROUP;
            const unsigned x = row_x + k * p.right_x, y = row_y + k * p.right_y;
            made[j] = weighed<EDGES>(s, p, part, x, y, fill);
        }
#pragma unroll
        for (int j = 0; j < GROUP; j++) half_way[j] = turn & 1 ? made[(j + 3) % GROUP] : made[j];
#pragma unroll
        for (int j = 0; j < GROUP; j++) pixels[j] = turn & 2 ? half_way[j ^ 2] : half_way[j];
        put(out, pixels, left, before);
        row_x += rows * p.down_x;
        row_y += rows * p.down_y;
        out += (i64)rows * s.width * CHANNELS;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 5)
    rotate_bytes(const Sample* samples, const i64* matrices, unsigned fill) {
    extern __shared__ unsigned char shared_memory[];
    unsigned* part = (unsigned*)shared_memory;  // (PART, PITCH)
    Row* rows = (Row*)(part + PART * PITCH);    // (PART,)
    Place& shared_place = *(Place*)(rows + PART);
    const Sample s = samples[blockIdx.y];
    for (i64 tile = blockIdx.x; tile < s.tiles; tile += gridDim.x) {
        __syncthreads();  // the tile before is made
        if (threadIdx.x == 0) shared_place.find(s, matrices, tile);
        __syncthreads();
        if (threadIdx.x < PART) rows[threadIdx.x].find(s, shared_place, threadIdx.x, part);
        __syncthreads();
        bring(rows, part);
        __syncthreads();
        const Place p = shared_place;
        if (p.inside)
            make<false>(s, p, part, fill);
        else
            make<true>(s, p, part, fill);
    }
}
