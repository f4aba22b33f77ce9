// Copies samples in which pixels that are adjacent in memory are neighbors along a dimension x,
// which is not the last dimension, y. A pixel has CHANNELS elements of SIZE bytes. A thread reads
// and transposes squares of pixels whose rows and columns fill whole words. Shared memory collects
// rows of the result, from which aligned pieces of 16 bytes are written. The struct Turned has the
// extents and strides of the other dimensions, then x, then y.
#include "words.cuh"

#define X (DIMS - 2)
#define Y (DIMS - 1)
constexpr int PIXEL = CHANNELS * SIZE;
constexpr int SIDE = PIXEL % WORD == 0 ? 1 : PIXEL % 2 == 0 ? 2 : 4;  // of a square, in pixels
constexpr int LINE = SIDE * PIXEL / WORD;  // words
constexpr int NARROW = 64;  // bytes of a row: few of its pieces would be whole

// SEEN words may have bytes of a line: one word more if some lines are not aligned to words.
template <int SEEN>
struct Square {
    Word words[SIDE][SEEN];

    // Reads the pixels that exist: nx times ny. Words without a byte of them are not touched.
    __device__ void read(u64 from, i64 step, int nx, int ny) {
#pragma unroll
        for (int y = 0; y < SIDE; y++, from += step) {
            const int skip = SEEN > LINE ? from & (WORD - 1) : 0;
#pragma unroll
            for (int k = 0; k < SEEN; k++)
                if (y < ny && k * WORD < skip + nx * PIXEL)
                    words[y][k] = __ldg((const Word*)(from - skip) + k);
        }
    }
    // Aligns its rows to words.
    __device__ void align(unsigned from, unsigned step) {
#pragma unroll
        for (int y = 0; y < SIDE && SEEN > LINE; y++, from += step)
#pragma unroll
            for (int k = 0; k < LINE; k++)
                words[y][k] = __funnelshift_r(words[y][k], words[y][k + 1], 8 * (from & 3));
    }
    // A word of one of its columns.
    __device__ Word turned(int x, int k) const {
        if constexpr (SIDE == 1) return words[0][k];
        Word word = 0;
        int done = 0;  // its bytes so far
#pragma unroll
        for (int y = 0; y < SIDE; y++) {
            const int low = max(k * WORD, y * PIXEL), high = min(k * WORD + WORD, y * PIXEL + PIXEL);
            if (low >= high) continue;
            const int from = x * PIXEL + low - y * PIXEL, to = from + high - low - 1;
            Word part = words[y][from / WORD];  // has them from byte `at` on
            int at = from % WORD;
            if (from / WORD != to / WORD) {
                part = __funnelshift_r(part, words[y][to / WORD], 8 * at);
                at = 0;
            }
            unsigned selector = 0;
#pragma unroll
            for (int j = 0; j < WORD; j++)
                selector |= (j < done ? j : 4 + ((at + j - done) & 3)) << 4 * j;
            word = done || at ? __byte_perm(word, part, selector) : part;
            done += high - low;
        }
        return word;
    }
};

// Keeps the first `left` bytes of a word, and takes the other bytes from another word.
__device__ inline void join(unsigned& word, unsigned other, int left) {
    const unsigned kept = left >= 4 ? ~0u : (1u << 8 * max(left, 0)) - 1;
    word = (word & kept) | (other & ~kept);
}

// A tile of nx times ny pixels. In shared memory, rows that a thread makes of a square lie `apart`,
// so that rows of its neighbors lie in other banks. Pieces of 16 bytes have the alignment of the
// result, up to less than a word.
struct Tile {
    u64 in, out;
    i64 in_step, out_step;  // to the next y, and to the next x
    int nx, ny, columns, pitch, apart;  // columns: of squares

    // Start of a row that starts at `to` in the result.
    __device__ int row(unsigned x, int to) const {
        return x / SIDE * pitch + x % SIDE * apart + (((to & 15) + WORD - 1) & -WORD);
    }
    template <int SEEN>
    __device__ void read(unsigned char* shared) const {
        constexpr int BYTES = SIDE * SEEN * WORD, MOST = SEEN > LINE ? 32 : 64;
        constexpr int BATCH = BYTES > MOST ? 1 : MOST / BYTES;  // squares read at a time
        const int count = (ny + SIDE - 1) / SIDE;
        const int rows = blockDim.x / columns, first = threadIdx.x / columns;
        const int x = (threadIdx.x - first * columns) * SIDE;
        const i64 step = SIDE * rows * in_step;
        u64 from = in + first * SIDE * in_step + x * PIXEL;
        unsigned char* to[SIDE];
#pragma unroll
        for (int i = 0; i < SIDE; i++) to[i] = shared + row(x + i, (int)out + (x + i) * (int)out_step);
        if (first >= rows || x >= nx) return;
        for (int y = first; y < count; y += BATCH * rows, from += BATCH * step) {
            Square<SEEN> squares[BATCH];
#pragma unroll
            for (int b = 0; b < BATCH; b++)
                squares[b].read(from + b * step, in_step, nx - x, ny - (y + b * rows) * SIDE);
#pragma unroll
            for (int b = 0; b < BATCH; b++) {
                if (y + b * rows >= count) break;
                squares[b].align(from + b * step, in_step);
#pragma unroll
                for (int i = 0; i < SIDE; i++)
#pragma unroll
                    for (int k = 0; k < LINE; k++)
                        ((Word*)to[i])[(y + b * rows) * LINE + k] = squares[b].turned(i, k);
            }
        }
    }
    // The bytes of a row in the 16 bytes that start, as pieces of the result do, at or before the
    // row.
    __device__ uint4 piece(const unsigned char* place, int at) const {
        const unsigned* from = (const unsigned*)(place + at - (at & (WORD - 1)));
        uint4 piece = *(const uint4*)from;
        if constexpr (SIZE < WORD) {
            const int shift = 8 * (at & 3);
            piece.x = __funnelshift_r(piece.x, piece.y, shift);
            piece.y = __funnelshift_r(piece.y, piece.z, shift);
            piece.z = __funnelshift_r(piece.z, piece.w, shift);
            piece.w = __funnelshift_r(piece.w, at + 12 < ny * PIXEL ? from[4] : 0, shift);
        }
        return piece;
    }
    // Writes rows that are adjacent in the result as one.
    __device__ void write_joined(const unsigned char* shared) const {
        const int bytes = ny * PIXEL, all = nx * bytes, first = (int)-out & 15;
        const int pieces = all < first ? 0 : (all - first) / 16;
        const float share = 1.0f / bytes;
        for (int i = threadIdx.x; i < pieces; i += blockDim.x) {
            const int begin = first + 16 * i;
            int x = (int)((begin + 0.5f) * share), at = begin - x * bytes;
            uint4 made = piece(shared + row(x, (int)out + x * bytes), at);
            for (int left = bytes - at; left < 16; left += bytes) {
                x++;
                const uint4 next = piece(shared + row(x, (int)out + x * bytes), -left);
                join(made.x, next.x, left);
                join(made.y, next.y, left - 4);
                join(made.z, next.z, left - 8);
                join(made.w, next.w, left - 12);
            }
            *(uint4*)(out + begin) = made;
        }
        const int rest = all - 16 * pieces;  // bytes before and behind these
        for (int i = threadIdx.x * SIZE; i < rest; i += blockDim.x * SIZE) {
            const int at = i < first ? i : i + 16 * pieces, x = at / bytes;
            const unsigned char* from = shared + row(x, (int)out + x * bytes) + at - x * bytes;
            *(Element*)(out + at) = *(const Element*)from;
        }
    }
    // Writes the aligned pieces of each row, if it has many.
    __device__ void write(const unsigned char* shared) const {
        const int columns = ny * PIXEL / 16;
        const int width = blockDim.x / columns, first = threadIdx.x / columns;
        const int column = 16 * (threadIdx.x - first * columns);
        u64 to = out + first * out_step;
        for (int x = first; first < width && x < nx; x += width, to += width * out_step) {
            const int at = column + ((int)-to & 15);
            if (at + 16 > ny * PIXEL) continue;
            *(uint4*)(to + at) = piece(shared + row(x, (int)to), at);
        }
    }
    // Writes the elements before and after the pieces, or all elements.
    __device__ void write_elements(const unsigned char* shared, bool all) const {
        const int bytes = ny * PIXEL, columns = all ? ny * CHANNELS : 32 / SIZE;
        const int width = blockDim.x / columns, first = threadIdx.x / columns;
        const int column = SIZE * (threadIdx.x - first * columns);
        u64 to = out + first * out_step;
        for (int x = first; first < width && x < nx; x += width, to += width * out_step) {
            const int before = (int)-to & 15;
            const int at = column + (all || column < before ? 0 : (bytes - before) & -16);
            if (at < bytes) *(Element*)(to + at) = *(const Element*)(shared + row(x, (int)to) + at);
        }
    }
};

extern "C" __global__ void __launch_bounds__(256, 5)
    move_tiles(const Turned* samples, int tile_x, int tile_y, int pitch) {
    extern __shared__ unsigned char shared_memory[];
    const Turned s = samples[blockIdx.y];
    const i64 across = quotient(s.extent[X] + tile_x - 1, (i64)tile_x);
    const i64 along = quotient(s.extent[Y] + tile_y - 1, (i64)tile_y);
    i64 tiles = across * along;
    u64 odd = s.source | s.stride[Y];  // unless all lines begin where words do
#pragma unroll
    for (int d = 0; d < X; d++) {
        tiles *= s.extent[d];
        odd |= s.stride[d];
    }
    for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
        i64 rest = quotient(number, along), y = (number - rest * along) * tile_y;
        i64 outer = quotient(rest, across), x = (rest - outer * across) * tile_x;
        Tile tile = {s.source + x * PIXEL + y * s.stride[Y], s.out + x * s.out_stride[X] + y * PIXEL};
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
        tile.columns = tile_x / SIDE;
        tile.pitch = pitch;
        tile.apart = tile.columns * pitch;
        __syncthreads();  // the tile before is written
        if (SIZE < WORD && odd % WORD)
            tile.read<LINE + (SIZE < WORD)>(shared_memory);
        else
            tile.read<LINE>(shared_memory);
        __syncthreads();
        const int row = tile.ny * PIXEL;
        const bool odd_rows = (tile.out | tile.out_step | row) % 16;
        const bool narrow = odd_rows && row < NARROW;
        if (SIZE < WORD && odd_rows && tile.out_step == row) {
            tile.write_joined(shared_memory);
            continue;
        }
        if (!narrow) tile.write(shared_memory);
        if (odd_rows) tile.write_elements(shared_memory, narrow);
    }
}
