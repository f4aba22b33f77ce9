// Augments frames of bytes (height, width, CHANNELS), each by one effect. With PILLOW, colors are
// blends as Pillow computes them.
#include "../kernels/resampling.cuh"
#include "frames.cuh"
#include "../kernels/borders.cuh"
#include "../kernels/pillow.cuh"
#include "levels.cuh"

const int HALF_SCALE = 128;    // levels below it are the dark half
const float FURTHEST = 1e6f;  // an int holds such positions

enum Task { LOOK_UP, MAP_COLOR, FILTER, WARP, SMOOTH };  // as in effects.py

__device__ inline u8 byte_of(float value) {
    return PILLOW ? (u8)fminf(fmaxf(value, 0.0f), 255.0f) : saturated<u8>(value);
}

// What an effect that does not depend on levels of the frame makes of a level.
__device__ inline u8 changed(const Frame& s, int level) {
    const float exact = (float)level, value = s.numbers[0];
    switch (s.effect) {
        case BRIGHTNESS:
            return byte_of(__fmul_rn(value, exact));
        case POSTERIZE:
            return level & (int)fminf(fmaxf(value, 0.0f), 255.0f);
        case SOLARIZE:
            return value > exact ? level : 255 - level;
        case SOLARIZE_ADD:
            return level < HALF_SCALE ? byte_of(__fadd_rn(exact, value)) : level;
        case INVERT:
            return 255 - level;
        default:
            return level;
    }
}

// Maps a color (red, green, blue) to a channel of another.
__device__ inline u8 mapped(const Frame& s, const u8* color, int to) {
    if (PILLOW) return blended((float)luma_of<3>(color), (float)color[to], s.numbers[0]);
    const float* factors = s.numbers + 4 * to;
    float sum = factors[3];
#pragma unroll
    for (int from = 0; from < 3; from++) sum += factors[from] * (float)color[from];
    return saturated<u8>(sum);
}

// What a filter makes of the weighed sum of the nine levels around one: the sum, or a blend of the
// level in the middle with the smoothed mean.
__device__ inline u8 filtered(const Frame& s, float sum, u8 center, bool inside) {
    if (s.work == FILTER) return stored<u8>(sum);
    const int smooth = inside ? (2 * ((int)sum + 4 * center) + 13) / 26 : center;
    return blended((float)smooth, (float)center, s.numbers[9]);
}

// Weighs all nine levels by one for the smoothed mean. The factor of the blend goes behind them.
__device__ inline void weigh_equally(Frame& s) {
    s.numbers[9] = s.numbers[0];
#pragma unroll
    for (int k = 0; k < 9; k++) s.numbers[k] = 1;
}

// Filters a pixel.
__device__ inline void filter(const Frame& s, const u8* frame, int x, int y, int channels, u8* out) {
    const int columns[] = {index_of(x - 1, s.width), x, index_of(x + 1, s.width)};
    const int rows[] = {index_of(y - 1, s.height), y, index_of(y + 1, s.height)};
    const bool inside = x > 0 && y > 0 && x + 1 < s.width && y + 1 < s.height;
#pragma unroll
    for (int c = 0; c < TOGETHER; c++) {
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 9; k++) {
            const u8 level = frame[(i64)(rows[k / 3] * s.width + columns[k % 3]) * channels + c];
            sum += s.numbers[k] * (float)level;
        }
        out[c] = filtered(s, sum, frame[(i64)(y * s.width + x) * channels + c], inside);
    }
}

// Filters neighboring pixels of a line inside of a frame. Each byte around them is read once.
__device__ inline void filter_inside(const Frame& s, const u8* first, u8* out) {
    float sums[BYTES];
    const i64 line = (i64)s.width * TOGETHER;
#pragma unroll
    for (int row = 0; row < 3; row++) {
        const u8* from = first + (row - 1) * line - TOGETHER;
        u8 levels[BYTES + 2 * TOGETHER];
#pragma unroll
        for (int i = 0; i < BYTES + 2 * TOGETHER; i++) levels[i] = from[i];
#pragma unroll
        for (int i = 0; i < BYTES; i++) {
#pragma unroll
            for (int k = 0; k < 3; k++) {
                const float level = levels[i + k * TOGETHER];
                sums[i] = (row || k ? sums[i] : 0) + s.numbers[3 * row + k] * level;
            }
            if (row == 1) out[i] = levels[i + TOGETHER];
        }
    }
#pragma unroll
    for (int i = 0; i < BYTES; i++) out[i] = filtered(s, sums[i], out[i], true);
}

__device__ inline float position_of(const float* row, int x, int y) {
    const float down = __fadd_rn(__fmul_rn(row[1], (float)y), row[2]);
    return fminf(fmaxf(__fmaf_rn(row[0], (float)x, down), -FURTHEST), FURTHEST);
}

// Fetches the pixel at a position, or weighs the four around it.
__device__ inline void warp(
    const Frame& s, const u8* frame, int x, int y, int channels, float fill, u8* out) {
    const float a = position_of(s.numbers, x, y), b = position_of(s.numbers + 3, x, y);
    const float left = NEAREST ? rintf(a) : floorf(a), top = NEAREST ? rintf(b) : floorf(b);
    const float right = a - left, down = b - top;
    const int at_x = (int)left, at_y = (int)top;
    const u8* pixels[4];
    bool seen[4];
#pragma unroll
    for (int k = 0; k < (NEAREST ? 1 : 4); k++) {
        const int column = at_x + k % 2, row = at_y + k / 2;
        seen[k] = !FILLED || ((unsigned)column < (unsigned)s.width &&
                              (unsigned)row < (unsigned)s.height);
        const int near_x = min(max(column, 0), s.width - 1);
        const int near_y = min(max(row, 0), s.height - 1);
        pixels[k] = frame + (i64)(near_y * s.width + near_x) * channels;
    }
#pragma unroll
    for (int c = 0; c < TOGETHER; c++) {
        float corners[4];
#pragma unroll
        for (int k = 0; k < (NEAREST ? 1 : 4); k++) corners[k] = seen[k] ? (float)pixels[k][c] : fill;
        if (NEAREST) {
            out[c] = (u8)corners[0];
            continue;
        }
        const float above = corners[0] + right * (corners[1] - corners[0]);
        const float below = corners[2] + right * (corners[3] - corners[2]);
        out[c] = stored<u8>(above + down * (below - above));
    }
}

// Makes `count` pixels from the pixel `first` on, or a channel of them. `levels` is the table of
// the channel and those behind it.
__device__ inline void make(
    const Frame& s, const u8* levels, i64 first, int count, int channel, float fill) {
    const int channels = CHANNELS ? CHANNELS : s.channels;
    const i64 begin = first * channels + channel;
    Bytes given, made;
    if (s.work == LOOK_UP || s.work == MAP_COLOR) given.read(s.source + begin, count * TOGETHER);
    int y = quotient((int)first, s.width), x = (int)first - y * s.width;
    const bool filters = s.work == FILTER || s.work == SMOOTH;
    if (CHANNELS && filters && x > 0 && x + PIXELS < s.width && y > 0 && y + 1 < s.height) {
        filter_inside(s, s.source + begin, made.values);
        made.write(s.out + begin, count * TOGETHER);
        return;
    }
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
        if (j >= count) continue;
        u8* out = made.values + j * TOGETHER;
        const u8* pixel = given.values + j * TOGETHER;
        if (s.work == MAP_COLOR && CHANNELS != 1) {
            const u8* color = CHANNELS ? pixel : s.source + first * channels;
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) out[c] = mapped(s, color, CHANNELS ? c : channel);
            continue;
        }
        if (s.work == LOOK_UP) {
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) out[c] = levels[c * LEVELS + pixel[c]];
            continue;
        }
        if (filters)
            filter(s, s.source + channel, x, y, channels, out);
        else
            warp(s, s.source + channel, x, y, channels, fill, out);
        if (++x == s.width) x = 0, y++;
    }
    made.write(s.out + begin, count * TOGETHER);
}

// Makes the tables of a channel and of the others that a thread handles.
__device__ inline void make_levels(const Frame& s, Sums& sums, int channel, u8* levels) {
    if (s.effect == CONTRAST || s.effect == EQUALIZE || s.effect == AUTO_CONTRAST) {
        make_own_levels(s, sums, channel, levels);
        return;
    }
    for (int i = threadIdx.x; i < LEVELS * TOGETHER; i += blockDim.x)
        levels[i] = changed(s, i % LEVELS);
}

extern "C" __global__ void __launch_bounds__(256, 4) augment(const Frame* frames, float fill) {
    extern __shared__ unsigned char shared_memory[];
    Sums& sums = *(Sums*)shared_memory;
    u8* const levels = shared_memory + sizeof(Sums);
    Frame s = frames[blockIdx.x];
    if (s.work == SMOOTH) weigh_equally(s);
    const int channels = CHANNELS ? CHANNELS : s.channels;
    for (int channel = 0; channel < channels; channel += TOGETHER) {
        if (s.work == LOOK_UP) {
            __syncthreads();  // nobody looks up the channel before any more
            make_levels(s, sums, channel, levels);
            __syncthreads();
        }
        each_group(
            s, [&](i64 first, int count) { make(s, levels, first, count, channel, fill); });
    }
}
