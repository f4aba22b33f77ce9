// Equalizes the histograms of tiles with a limit of the contrast, like OpenCV's CLAHE. `clahe_tables`
// makes the table of each tile, and `clahe` interpolates between the tables of the four tiles around
// a pixel.
//
// An image of bytes has `planes` that are equalized: its channels, or the L of its Lab colors if
// there are fewer planes than channels. Tiles of (tile_height, tile_width) that reach out of the
// image hold mirrored pixels there. `limit` is the largest count of a level in a tile, and `scale`
// the level of a pixel more: 255 / (tile_height * tile_width). The tables are
// [planes][tiles_y][tiles_x][256].
#include "../kernels/common.cuh"
#include "lab.cuh"

__device__ inline int mirrored(int at, int extent) {
    if (extent == 1) return 0;
    const int folded = at % (2 * (extent - 1));
    return folded < extent ? folded : 2 * (extent - 1) - folded;
}

__device__ inline bool has_colors(const Image& s) { return s.planes < s.channels; }

// A block of 256 threads makes the table of a tile, one level a thread.
extern "C" __global__ void clahe_tables(const Image* images, const LabTables* lab) {
    extern __shared__ unsigned char shared_memory[];
    unsigned* const counts = (unsigned*)shared_memory;
    unsigned& cut = counts[256];
    const Image s = images[blockIdx.y];
    const int tiles = s.tiles_x * s.tiles_y, plane = quotient((int)blockIdx.x, tiles);
    if (plane >= s.planes) return;
    const int tile = blockIdx.x - plane * tiles, level = threadIdx.x;
    const int row = quotient(tile, s.tiles_x), column = tile - row * s.tiles_x;
    const int area = s.tile_height * s.tile_width;
    counts[level] = 0;
    if (level == 0) cut = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < area; i += blockDim.x) {
        const int down = quotient(i, s.tile_width), across = i - down * s.tile_width;
        const i64 y = mirrored(row * s.tile_height + down, s.height);
        const int x = mirrored(column * s.tile_width + across, s.width);
        const u8* pixel = s.source + (y * s.width + x) * s.channels;
        atomicAdd(&counts[has_colors(s) ? lab_of(*lab, pixel).light : pixel[plane]], 1u);
    }
    __syncthreads();
    const unsigned limit = s.limit;
    if (counts[level] > limit) atomicAdd(&cut, counts[level] - limit);
    __syncthreads();
    const int rest = cut & 255, step = rest ? 256 / rest : 256;
    unsigned sum = min(counts[level], limit) + (cut >> 8);
    if (level % step == 0 && level / step < rest) sum++;
    for (int behind = 1; behind < 256; behind *= 2) {
        __syncthreads();
        counts[level] = sum;
        __syncthreads();
        if (level >= behind) sum += counts[level - behind];
    }
    u8* const table = s.tables + (i64)blockIdx.x * 256;
    table[level] = byte_of(__float2int_rn(__fmul_rn((float)sum, s.scale)));
}

// Two neighboring tiles, and the weights of their tables.
struct Between {
    int first, second;
    float of_first, of_second;

    __device__ Between(int at, int extent, int tiles) {
        const float place = __fadd_rn(__fmul_rn((float)at, 1.0f / (float)extent), -0.5f);
        const int tile = (int)floorf(place);
        of_second = place - (float)tile;
        of_first = 1.0f - of_second;
        first = max(tile, 0);
        second = min(tile + 1, tiles - 1);
    }
    __device__ float mean(float a, float b) const {
        return __fadd_rn(__fmul_rn(a, of_first), __fmul_rn(b, of_second));
    }
};

__device__ inline int equalized(
    const Image& s, const Between& down, const Between& across, int plane, int level) {
    const u8* tables = s.tables + ((i64)plane * s.tiles_y * s.tiles_x << 8) + level;
    const auto at = [&](int row, int column) {
        return (float)tables[(i64)(row * s.tiles_x + column) << 8];
    };
    const float above = across.mean(at(down.first, across.first), at(down.first, across.second));
    const float below = across.mean(at(down.second, across.first), at(down.second, across.second));
    return byte_of(__float2int_rn(down.mean(above, below)));
}

extern "C" __global__ void clahe(const Image* images, const LabTables* lab) {
    const Image s = images[blockIdx.y];
    const i64 pixels = s.planes ? (i64)s.height * s.width : 0;
    for (i64 i = first_element(); i < pixels; i += element_step()) {
        const int y = (int)quotient(i, (i64)s.width), x = (int)(i - (i64)y * s.width);
        const Between down(y, s.tile_height, s.tiles_y), across(x, s.tile_width, s.tiles_x);
        const u8* pixel = s.source + i * s.channels;
        u8* const out = s.out + i * s.channels;
        if (has_colors(s)) {
            LabColor color = lab_of(*lab, pixel);
            color.light = equalized(s, down, across, 0, color.light);
            rgb_of(*lab, color, out);
            continue;
        }
        for (int c = 0; c < s.channels; c++) out[c] = equalized(s, down, across, c, pixel[c]);
    }
}
