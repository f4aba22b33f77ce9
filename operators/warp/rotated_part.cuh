// The part of an image of bytes that a tile of the rotated image needs, in shared memory. Lines
// have the alignment of global memory. Tiles start `lead` pixels left of the image. Positions in
// the part have BITS fractional bits, and matrices have BITS_OF_MATRIX.
#include "../kernels/common.cuh"
#include "../kernels/staging.cuh"

const int WARPS = THREADS / 32;
const int PART_BYTES = 2 * CHUNK + PART * (STEP + CHUNK);
const int BITS = 24;
static_assert(STEP >= (PART + 1) * CHANNELS + 2 * CHUNK - 2, "or rows overlap");

// The position of a tile, and the part of the input that the tile needs.
struct Place {
    // The tile's first pixel's position in the part, and what is added to it from pixel to pixel.
    unsigned x, y, right_x, right_y, down_x, down_y;
    u64 out;               // of that pixel
    unsigned out_pitch;    // bytes from row to row there
    int begin, end, rows;  // the tile's columns and rows that lie in the image
    int lead;              // as that of the image
    int inside;            // the part lies in the image
    int low_x, high_x, low_y, high_y;  // what of it does, or is nearest to it
    int columns;                       // how many it has
    u64 in;                            // its first pixel
    unsigned pitch, step;              // bytes from row to row there, and in shared memory
    unsigned base;                     // where that pixel lies in shared memory
    // The needed columns of a row: middle + slope * row, and so many on either side. These hold the
    // tile's columns, and its rows.
    float slopes[2], middles[2], halves[2];

    __device__ void find(const Frame& frame) {
        lead = (int)frame.lead;
        const int top = blockIdx.y * TILE, left = (int)blockIdx.x * TILE - lead;
        begin = -left;
        end = frame.width - left;
        rows = min(frame.height - top, TILE);
        out_pitch = frame.width * CHANNELS;
        out = frame.out + (i64)top * out_pitch + left * CHANNELS;
        const i64* m = frame.matrix;
        const i64 at_x = m[0] * left + m[1] * top + m[2], at_y = m[3] * left + m[4] * top + m[5];
        const int most_x = TILE - 1 + lead, most_y = TILE - 1;
        const i64 least_x = at_x + most_x * min(m[0], (i64)0) + most_y * min(m[1], (i64)0);
        const i64 least_y = at_y + most_x * min(m[3], (i64)0) + most_y * min(m[4], (i64)0);
        const i64 slack = (i64)1 << (BITS_OF_MATRIX - 10);  // for what is rounded
        const i64 reach_x = most_x * max(m[0], -m[0]) + most_y * max(m[1], -m[1]) + 2 * slack;
        const i64 reach_y = most_x * max(m[3], -m[3]) + most_y * max(m[4], -m[4]) + 2 * slack;
        int first_x = (int)((least_x - slack) >> BITS_OF_MATRIX);
        int first_y = (int)((least_y - slack) >> BITS_OF_MATRIX);
        const int shift = BITS_OF_MATRIX - BITS;
        x = (unsigned)((at_x - ((i64)first_x << BITS_OF_MATRIX)) >> shift);
        y = (unsigned)((at_y - ((i64)first_y << BITS_OF_MATRIX)) >> shift);
        right_x = (unsigned)(m[0] >> shift);
        right_y = (unsigned)(m[3] >> shift);
        down_x = (unsigned)(m[1] >> shift);
        down_y = (unsigned)(m[4] >> shift);
        columns = (int)(reach_x >> BITS_OF_MATRIX) + 3;
        inside = first_x >= 0 && first_x + columns <= frame.in_width && first_y >= 0 &&
                 first_y + (int)(reach_y >> BITS_OF_MATRIX) + 3 <= frame.in_height;
        // A part outside of the image may as well be adjacent to the image.
        first_x = min(max(first_x, 1 - PART), frame.in_width - 1 + FILLED);
        first_y = min(max(first_y, 1 - PART), frame.in_height - 1 + FILLED);
        low_x = max(-first_x, 0);
        low_y = max(-first_y, 0);
        high_x = min(frame.in_width - 1 - first_x, PART);
        high_y = min(frame.in_height - 1 - first_y, PART);
        pitch = frame.in_width * CHANNELS;
        step = STEP + pitch % CHUNK;
        in = frame.source + (i64)first_y * pitch + first_x * CHANNELS;
        base = CHUNK + (unsigned)(in % CHUNK);
        const float unit = 1.0f / (1 << BITS);
        const float cosine = (int)right_x * unit, sine = (int)right_y * unit;
        hold(0, cosine, sine, most_x);
        hold(1, -sine, cosine, most_y);
    }
    // Between two sides of the tile a * x + b * y grows by `most`, from 0 at the tile's first pixel.
    __device__ void hold(int k, float a, float b, int most) {
        const float unit = 1.0f / (1 << BITS), half = most * 0.5f;
        const bool level = fabsf(a) < 1.0f / 64;
        const float inverse = level ? 0 : __fdividef(1, a);
        slopes[k] = -b * inverse;
        middles[k] = x * unit + half * inverse - slopes[k] * (y * unit);
        halves[k] = level ? 2 * PART : (half + fabsf(b)) * fabsf(inverse) + 1.0f / 64;
    }
};

// The bytes of a row of the part that are needed.
struct alignas(16) Row {
    u64 from;  // the first one, where a CHUNK begins
    int size;  // whole CHUNKs
    int to;    // where they come to lie

    __device__ void find(const Place& p, int row) {
        size = 0;
        if (row < p.low_y || row > p.high_y || p.high_x < 0) return;
        const float a = p.middles[0] + p.slopes[0] * row, b = p.middles[1] + p.slopes[1] * row;
        int begin = (int)floorf(max(a - p.halves[0], b - p.halves[1]));
        int end = (int)floorf(min(a + p.halves[0], b + p.halves[1])) + 2;
        if (row == p.low_y || row == p.high_y) {  // these stand for rows above or below
            begin = 0;
            end = p.columns;
        }
        begin = min(max(begin, p.low_x), p.high_x);
        end = min(max(end, p.low_x + 1), p.high_x + 1);
        const u64 pixel = p.in + (u64)row * p.pitch + begin * CHANNELS;
        const int lead = (int)(pixel % CHUNK);
        from = pixel - lead;
        size = max(lead + (end - begin) * CHANNELS + CHUNK - 1, 0) / CHUNK * CHUNK;
        to = p.base + row * p.step + begin * CHANNELS - lead;
    }
};

// Starts the copy of the part.
__device__ inline void fetch(const Place& p, u8* part, Row* rows, Arrival& arrival) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, own = warp + lane * WARPS;
    Row row;
    if (own < PART) row.find(p, own);
#if __CUDA_ARCH__ >= 900
    if (own < PART) arrival.bring(part + row.to, row.from, row.size);
#else
    if (own < PART) rows[own] = row;
    __syncthreads();
    for (int i = warp; i < PART; i += WARPS)
        if (lane * CHUNK < rows[i].size)
            copy_later(part + rows[i].to + lane * CHUNK, rows[i].from + lane * CHUNK);
#endif
}
