// Copies samples in which pixels that are neighbours in memory are neighbours along another
// dimension, x, than the last one, y. Tiles are read into shared memory along x, and written along
// y. A pixel has CHANNELS elements of SIZE bytes.
#include "words.cuh"

#define X (DIMS - 2)
#define Y (DIMS - 1)
constexpr int PIXEL = CHANNELS * SIZE;
constexpr int BATCH = 8;  // words that a thread reads before it needs one

struct Sample {
    u64 out, in;
    i64 extent[DIMS], stride[DIMS], out_stride[DIMS];  // of other dimensions, then x, then y
};

// A tile of nx times ny pixels. Each thread has a column of words and some of its rows. In shared
// memory, rows that make a word of the result lie `apart`, so that its neighbours' lie in other banks.
struct Tile {
    u64 in, out;
    i64 in_step, out_step;  // to the next y, and to the next x
    int nx, ny, pitch, apart;  // 1 if the result is not written in words

    __device__ int row(int y) const {
        return apart == 1 ? y * pitch : y / PER_WORD * pitch + y % PER_WORD * apart;
    }
    template <class T>
    __device__ void read(unsigned char* shared) const {
        const int columns = (nx * PIXEL + (int)sizeof(T) - 1) / (int)sizeof(T);
        const int rows = blockDim.x / columns, first = threadIdx.x / columns;
        const int column = (threadIdx.x - first * columns) * sizeof(T);
        u64 from = in + first * in_step + column;
        for (int y = first; first < rows && y < ny; y += BATCH * rows) {
            T words[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; k++, from += rows * in_step)
                if (y + k * rows < ny) words[k] = __ldg((const T*)from);
#pragma unroll
            for (int k = 0; k < BATCH; k++)
                if (y + k * rows < ny) *(T*)(shared + row(y + k * rows) + column) = words[k];
        }
    }
    template <class T>
    __device__ void write(const unsigned char* shared) const {
        constexpr int MANY = sizeof(T) / SIZE;
        const int columns = (ny * CHANNELS + MANY - 1) / MANY;
        const int rows = blockDim.x / columns, first = threadIdx.x / columns;
        const int column = threadIdx.x - first * columns;
        u64 to = out + first * out_step + column * sizeof(T);
        const unsigned char* from[MANY];
#pragma unroll
        for (int k = 0; k < MANY; k++) {
            const int y = (column * MANY + k) / CHANNELS, c = column * MANY + k - y * CHANNELS;
            from[k] = shared + row(y) + c * SIZE;
        }
#pragma unroll 4
        for (int x = first; first < rows && x < nx; x += rows, to += rows * out_step) {
            T word = 0;
#pragma unroll
            for (int k = 0; k < MANY; k++)
                word |= (T)*(const Element*)(from[k] + x * PIXEL) << 8 * SIZE * k;
            *(T*)to = word;
        }
    }
};

extern "C" __global__ void __launch_bounds__(256, 8)
    move_tiles(const Sample* samples, int tile_x, int tile_y, int pitch) {
    extern __shared__ unsigned char shared_memory[];
    const Sample s = samples[blockIdx.y];
    const i64 across = quotient(s.extent[X] + tile_x - 1, tile_x);
    const i64 along = quotient(s.extent[Y] + tile_y - 1, tile_y);
    i64 tiles = across * along;
    u64 odd_in = s.in | s.extent[X] * PIXEL | s.stride[Y];  // unless all rows consist of words
    const u64 odd_out = s.out | s.extent[Y] * PIXEL;
#pragma unroll
    for (int d = 0; d < X; d++) {
        tiles *= s.extent[d];
        odd_in |= s.stride[d];
    }
    const bool words_in = odd_in % WORD == 0, words_out = odd_out % WORD == 0;
    for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        i64 rest = quotient(number, along), y = (number - rest * along) * tile_y;
        i64 outer = quotient(rest, across), x = (rest - outer * across) * tile_x;
        Tile tile = {s.in + x * PIXEL + y * s.stride[Y], s.out + x * s.out_stride[X] + y * PIXEL};
#pragma unroll
        for (int d = X - 1; d >= 0; d--) {
            const i64 next = quotient(outer, s.extent[d]), index = outer - next * s.extent[d];
            tile.in += index * s.stride[d];
            tile.out += index * s.out_stride[d];
            outer = next;
        }
        tile.in_step = s.stride[Y];
        tile.out_step = s.out_stride[X];
        tile.nx = (int)min((i64)tile_x, s.extent[X] - x);
        tile.ny = (int)min((i64)tile_y, s.extent[Y] - y);
        tile.pitch = pitch;
        tile.apart = words_out ? (tile_y + PER_WORD - 1) / PER_WORD * pitch : 1;
        __syncthreads();  // the tile before is written
        if (words_in)
            tile.read<Word>(shared_memory);
        else
            tile.read<Element>(shared_memory);
        __syncthreads();
        if (words_out)
            tile.write<Word>(shared_memory);
        else
            tile.write<Element>(shared_memory);
    }
}
