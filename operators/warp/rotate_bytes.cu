// Rotates images of bytes (height, width, CHANNELS), weighing the four pixels around a position
// like OpenCV's warpAffine. A block makes a tile of the result. Weights have 16 bits, and an
// instruction weighs two bytes.
#include "rotated_part.cuh"

const int AHEAD = 8;  // pixels that a thread makes together
static_assert(WARPS % 4 == 0, "words begin with the same pixels in all rows of a warp");
static_assert(TILE % (AHEAD * WARPS) == 0, "nothing is read beyond the tile");

// The bytes of two adjacent pixels.
struct Pair {
    unsigned low, high;

    __device__ Pair(const u8* part, unsigned place) {
        const unsigned* words = (const unsigned*)(part + (place & ~3u));
        const bool longer = CHANNELS == 4 ? place & 3 : !(~place & 3);  // by a word
        unsigned first = words[0];
        if (CHANNELS == 1) {
            low = __funnelshift_r(first, longer ? words[1] : 0, 8 * place);
            return;
        }
        const unsigned second = words[1];
        low = __funnelshift_r(first, second, 8 * place);
        if (longer) first = words[2];
        high = __funnelshift_r(second, first, 8 * place);
    }
    // The bytes of two channels, or of the last channel.
    __device__ unsigned channels(int first) const {
        if (CHANNELS == 1) return low;
        const int next = first + 1 < CHANNELS ? first + 1 : first;
        return __byte_perm(low, high, first | first + CHANNELS << 4 | next << 8 |
                                          next + CHANNELS << 12);
    }
};

// The pixel at a position in the part. With EDGES, some neighbors lie outside of the image.
template <bool EDGES>
__device__ inline unsigned weighed(const Place& p, const u8* part, unsigned x, unsigned y,
                                   unsigned fill) {
    if (EDGES && !FILLED) {
        x = min(max(x, (unsigned)p.low_x << BITS), (unsigned)p.high_x << BITS);
        y = min(max(y, (unsigned)p.low_y << BITS), (unsigned)p.high_y << BITS);
    }
    const unsigned place = __dp2a_lo(CHANNELS | p.step << 16, __byte_perm(x, y, 0x0073), p.base);
    const Pair pairs[2] = {Pair(part, place), Pair(part, place + p.step)};
    // Weights of the pixels left and right, the sum of all four being 65535.
    const unsigned right = __byte_perm(x, 0, 0x4421), below = __byte_perm(y, 0, 0x4421);
    const unsigned corner_weight = (right * below + 0xffff) >> 16;
    unsigned weights[2];
    weights[1] = corner_weight * 0xffff + below;
    weights[0] = right * 0xffff + 0xffff - weights[1];
    unsigned start = 0x8080;  // a half, and half of what is lost at 65535
    if (EDGES && FILLED) {
        const int column = (int)(x >> BITS), row = (int)(y >> BITS);
        const unsigned seen = (column >= p.low_x && column <= p.high_x ? 0xffff : 0) |
                              (column + 1 >= p.low_x && column < p.high_x ? 0xffff0000 : 0);
        weights[0] &= row >= p.low_y && row <= p.high_y ? seen : 0;
        weights[1] &= row + 1 >= p.low_y && row < p.high_y ? seen : 0;
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
            const unsigned bytes = pairs[down].channels(c);
            sums[c] = __dp2a_lo(weights[down], bytes, sums[c]);
            if (c + 1 < CHANNELS) sums[c + 1] = __dp2a_hi(weights[down], bytes, sums[c + 1]);
        }
    if (CHANNELS == 1) return sums[0] >> 16;
    const unsigned two = __byte_perm(sums[0], sums[1], 0x7762);
    if (CHANNELS < 4) return __byte_perm(two, sums[2], 0x7610);
    return __byte_perm(two, __byte_perm(sums[2], sums[3], 0x7762), 0x5410);
}

// Makes a tile. A warp makes 32 pixels of a row at a time.
template <bool EDGES>
__device__ inline void make(const Place& place, const u8* part, unsigned fill) {
    const Place p = place;
    const int y = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane % 4;
    u8* const line = (u8*)p.out + (i64)y * p.out_pitch;
    // With three channels, four pixels are three words, and the first pixel is aligned to a word.
    const int shift = p.lead ? p.lead - (-((int)(u64)line + p.lead * CHANNELS) & 3) : 0;
    const unsigned step_x = WARPS * p.down_x, step_y = WARPS * p.down_y;
    const i64 step = (i64)WARPS * p.out_pitch;
    for (int column = 0; column < min(p.end, TILE); column += 32) {
        const int x = column + lane + shift, first = x - group;
        const int rows = x >= p.begin && x < p.end ? p.rows - y : 0;
        u8* out = line + x * CHANNELS;
        const bool words = CHANNELS == 3 ? first >= p.begin && first + 4 <= p.end
                                         : CHANNELS == 4 && (u64)out % 4 == 0;
        unsigned at_x = p.x + x * p.right_x + y * p.down_x;
        unsigned at_y = p.y + x * p.right_y + y * p.down_y;
        const unsigned begin_x = at_x, begin_y = at_y;
        if (CHANNELS > 1) {
            const int last = words && (CHANNELS == 4 || group < 3) ? rows : 0;
            u8* word = out + (CHANNELS == 3 ? group : 0);
            for (int row = 0; row < p.rows; row += AHEAD * WARPS) {
                unsigned pixels[AHEAD];
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    pixels[k] = weighed<EDGES>(p, part, at_x, at_y, fill);
                    at_x += step_x;
                    at_y += step_y;
                }
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    if (CHANNELS == 3)
                        pixels[k] = __funnelshift_r(
                            pixels[k] << 8, __shfl_down_sync(~0u, pixels[k], 1), 8 * group + 8);
                    if (row + k * WARPS < last) *(unsigned*)word = pixels[k];
                    word += step;
                }
            }
        }
        if (words) continue;
        at_x = begin_x;
        at_y = begin_y;
        for (int row = 0; row < rows; row += WARPS) {
            const unsigned pixel = weighed<EDGES>(p, part, at_x, at_y, fill);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) out[c] = (u8)(pixel >> 8 * c);
            at_x += step_x;
            at_y += step_y;
            out += step;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 6)
    rotate_bytes(const Frame* frames, int count, unsigned fill) {
    u8* part = shared_memory;
    Row* rows = (Row*)(part + PART_BYTES);  // (PART,)
    Place& place = *(Place*)(rows + PART);
    Arrival& arrival = *(Arrival*)(&place + 1);
    static_assert(sizeof(Row) == CHUNK && sizeof(Place) == PLACE_BYTES, "room for them");
    if (threadIdx.x == 0) arrival.prepare(PART);
    int turn = 0;
    for (int i = blockIdx.z; i < count; i += gridDim.z) {
        const Frame& frame = frames[i];
        if (blockIdx.x * TILE >= frame.width + frame.lead || blockIdx.y * TILE >= frame.height)
            continue;
        if (threadIdx.x == 0) place.find(frame);
        __syncthreads();
        fetch(place, part, rows, arrival);
        arrival.wait(turn);
        turn ^= 1;
        __syncthreads();
        if (place.inside)
            make<false>(place, part, fill);
        else
            make<true>(place, part, fill);
        __syncthreads();
    }
}
