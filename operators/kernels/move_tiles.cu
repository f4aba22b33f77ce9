// Copies samples whose dimensions are in another order in memory, or run backwards: tiles of two
// dimensions, x and y, are read into shared memory as they lie and written as they are wanted. y
// is the last dimension of the result; neighbours in memory are neighbours along x or y.
#include "words.cuh"

#define X (DIMS - 2)
#define Y (DIMS - 1)

struct Sample {
    u64 out, first;
    i64 extent[DIMS], stride[DIMS], out_stride[DIMS];  // of other dimensions, then x, then y
};

// Quotients by one number, exact if numerator times denominator is below 2^32.
struct Divisor {
    u64 reciprocal;
    __device__ explicit Divisor(unsigned number) : reciprocal((0xFFFFFFFFull + number) / number) {}
    __device__ int operator()(unsigned value) const { return (int)(value * reciprocal >> 32); }
};

// A tile in memory: `runs` runs of `length` bytes, or a single one if they lie side by side.
struct Tile {
    bool y_runs, merged;
    int runs, length, pitch;
    u64 low;  // the first byte of run 0
    i64 step;  // from run to run
    int origin, x_step, y_step;  // where in shared memory elements lie, by x and y

    __device__ u64 run(int i) const { return low + i * step; }

    __device__ Element at(const unsigned char* shared, int x, int y) const {
        int place = origin + x * x_step + y * y_step;
        if (SIZE < WORD && !merged) place += (int)(run(y_runs ? x : y) & (WORD - 1));
        return *(const Element*)(shared + place);
    }
};

__device__ inline Tile tile_at(u64 in, int nx, int ny, i64 x_step, i64 y_step, int pitch) {
    Tile t;
    t.y_runs = y_step == SIZE || y_step == -SIZE;
    const int fast = t.y_runs ? ny : nx, slow = t.y_runs ? nx : ny;
    const int fast_step = (int)(t.y_runs ? y_step : x_step);
    t.step = t.y_runs ? x_step : y_step;
    t.merged = max(t.step, -t.step) == (i64)fast * SIZE;
    t.runs = t.merged ? 1 : slow;
    t.length = (t.merged ? slow : 1) * fast * SIZE;
    t.pitch = pitch;
    t.low = in + min(0, (fast - 1) * fast_step);
    if (t.merged && t.step < 0) t.low += (slow - 1) * t.step;
    t.origin = (int)(in - t.low) + (t.merged ? (int)(t.low & (sizeof(uint4) - 1)) : 0);
    const int slow_step = t.merged ? (int)t.step : pitch;
    t.x_step = t.y_runs ? slow_step : fast_step;
    t.y_step = t.y_runs ? fast_step : slow_step;
    return t;
}

// Reads the aligned pieces, of type T, of which a run has bytes.
template <class T>
__device__ inline void load(const Tile& tile, unsigned char* shared) {
    const int size = sizeof(T), pieces = (tile.length + size - SIZE) / size + (SIZE < size);
    const Divisor by_pieces(pieces);
#pragma unroll 4
    for (int item = threadIdx.x; item < tile.runs * pieces; item += blockDim.x) {
        int j = by_pieces(item), i = item - j * pieces;
        u64 start = tile.run(j), at = (start & ~(u64)(size - 1)) + i * size;
        if (at < start + tile.length)
            *(T*)(shared + j * tile.pitch + i * size) = __ldg((const T*)at);
    }
}

__device__ inline void store(const Tile& tile, const unsigned char* shared, u64 out, int nx,
                             int ny, i64 row_step) {
    const bool joined = row_step == (i64)ny * SIZE;  // rows of the result lie side by side
    const int rows = joined ? 1 : nx, length = joined ? nx * ny : ny;
    const int words = (length + 2 * (PER_WORD - 1)) / PER_WORD;
    const int side = joined ? 1 : PER_WORD;  // rows that neighbours write: they read the same words
    const int items = (rows + side - 1) / side * side * words;
    const Divisor by_words(words), by_ny(ny);
    for (int item = threadIdx.x; item < items; item += blockDim.x) {
        int unit = joined ? item : item / PER_WORD, group = by_words(unit);
        int i = unit - group * words, row = group * side + (joined ? 0 : item % PER_WORD);
        if (row >= rows) continue;
        u64 start = out + row * row_step, at = (start & ~(u64)(WORD - 1)) + i * WORD;
        int first = (int)((i64)(at - start) / SIZE), from = max(first, 0);
        int x = joined ? by_ny(from) : row, y = joined ? from - x * ny : from;
        if (first >= 0 && first + PER_WORD <= length) {
            Word word = 0;
#pragma unroll
            for (int k = 0; k < PER_WORD; k++) {
                word |= (Word)tile.at(shared, x, y) << 8 * SIZE * k;
                if (++y == ny) y = 0, x++;
            }
            *(Word*)at = word;
        } else {
            for (int e = from; e < min(first + PER_WORD, length); e++) {
                *(Element*)(start + e * SIZE) = tile.at(shared, x, y);
                if (++y == ny) y = 0, x++;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, 4)
    move_tiles(const Sample* samples, int tile_x, int tile_y, int pitch) {
    extern __shared__ unsigned char shared_memory[];
    const Sample s = samples[blockIdx.y];
    const i64 across = (s.extent[X] + tile_x - 1) / tile_x;
    const i64 along = (s.extent[Y] + tile_y - 1) / tile_y;
    i64 tiles = across * along;
#pragma unroll
    for (int d = 0; d < X; d++) tiles *= s.extent[d];
    for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        i64 rest = quotient(number, along), y0 = (number - rest * along) * tile_y;
        i64 outer = quotient(rest, across), x0 = (rest - outer * across) * tile_x;
        u64 in = s.first + x0 * s.stride[X] + y0 * s.stride[Y];
        u64 out = s.out + x0 * s.out_stride[X] + y0 * SIZE;
#pragma unroll
        for (int d = X - 1; d >= 0; d--) {
            i64 next = quotient(outer, s.extent[d]), index = outer - next * s.extent[d];
            in += index * s.stride[d];
            out += index * s.out_stride[d];
            outer = next;
        }
        const int nx = (int)min((i64)tile_x, s.extent[X] - x0);
        const int ny = (int)min((i64)tile_y, s.extent[Y] - y0);
        const Tile tile = tile_at(in, nx, ny, s.stride[X], s.stride[Y], pitch);
        __syncthreads();  // the tile before is written
        if (tile.merged)
            load<uint4>(tile, shared_memory);
        else
            load<Word>(tile, shared_memory);
        __syncthreads();
        store(tile, shared_memory, out, nx, ny, s.out_stride[X]);
    }
}
