// Augments images of bytes (frames, height, width, CHANNELS), each by one effect. CHANNELS is 0 for
// any number of channels; then a thread makes one channel of a pixel at a time. With PILLOW, colors
// are blends as Pillow computes them.
#include "../kernels/resampling.cuh"
#include "../kernels/lanes.cuh"
#include "../kernels/borders.cuh"
#include "../kernels/pillow.cuh"

const int PIXELS = CHANNELS ? 4 : 1;
const int TOGETHER = CHANNELS ? CHANNELS : 1;  // channels that a thread makes at a time
const int BYTES = PIXELS * TOGETHER;
const float FURTHEST = 1e6f;  // an int holds such positions

enum Task { LOOK_UP, MAP_COLOR, FILTER, WARP, SMOOTH };  // as in effects.py

// Neighboring bytes, which are read and written as words if possible.
struct Bytes {
    u8 values[BYTES];

    __device__ static bool is_whole(const u8* data, int count) {
        return PIXELS == 4 && count == BYTES && (u64)data % 4 == 0;
    }
    __device__ void read(const u8* data, int count) {
        if (is_whole(data, count)) {
#pragma unroll
            for (int k = 0; k < BYTES / 4; k++) {
                const Pack<u8, 4> part = ((const Pack<u8, 4>*)data)[k];
#pragma unroll
                for (int j = 0; j < 4; j++) values[4 * k + j] = part.values[j];
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < BYTES; k++) values[k] = k < count ? data[k] : 0;
    }
    __device__ void write(u8* data, int count) const {
        if (is_whole(data, count)) {
#pragma unroll
            for (int k = 0; k < BYTES / 4; k++) {
                Pack<u8, 4> part;
#pragma unroll
                for (int j = 0; j < 4; j++) part.values[j] = values[4 * k + j];
                ((Pack<u8, 4>*)data)[k] = part;
            }
            return;
        }
#pragma unroll
        for (int k = 0; k < BYTES; k++)
            if (k < count) data[k] = values[k];
    }
};

__device__ inline void map_color(const Sample& s, const u8* pixel, u8* out) {
    if (TOGETHER < 3) return;
    if (PILLOW) {
        const float gray = (float)luma_of<TOGETHER>(pixel);
#pragma unroll
        for (int c = 0; c < TOGETHER; c++) out[c] = blended(gray, (float)pixel[c], s.numbers[0]);
        return;
    }
#pragma unroll
    for (int to = 0; to < TOGETHER; to++) {
        const float* factors = s.numbers + 4 * to;
        float sum = factors[3];
#pragma unroll
        for (int from = 0; from < 3; from++) sum += factors[from] * (float)pixel[from % TOGETHER];
        out[to] = saturated<u8>(sum);
    }
}

// Weighs the nine pixels around one, or blends the pixel with their smoothed mean.
__device__ inline void filter(const Sample& s, const u8* frame, int x, int y, int channels, u8* out) {
    const int columns[] = {index_of(x - 1, s.width), x, index_of(x + 1, s.width)};
    const int rows[] = {index_of(y - 1, s.height), y, index_of(y + 1, s.height)};
    const bool inside = x > 0 && y > 0 && x + 1 < s.width && y + 1 < s.height;
#pragma unroll
    for (int c = 0; c < TOGETHER; c++) {
        float sum = 0;
        int total = 0;
        const u8 center = frame[((i64)y * s.width + x) * channels + c];
#pragma unroll
        for (int k = 0; k < 9; k++) {
            const u8 level = frame[((i64)rows[k / 3] * s.width + columns[k % 3]) * channels + c];
            sum += s.numbers[k] * (float)level;
            total += level;
        }
        if (s.work == SMOOTH) {
            const int smooth = inside ? (2 * (total + 4 * center) + 13) / 26 : center;
            out[c] = blended((float)smooth, (float)center, s.numbers[0]);
        } else {
            out[c] = stored<u8>(sum);
        }
    }
}

__device__ inline float position_of(const float* row, int x, int y) {
    const float down = __fadd_rn(__fmul_rn(row[1], (float)y), row[2]);
    return fminf(fmaxf(__fmaf_rn(row[0], (float)x, down), -FURTHEST), FURTHEST);
}

// Fetches the pixel at a position, or weighs the four around it.
__device__ inline void warp(
    const Sample& s, const u8* frame, int x, int y, int channels, float fill, u8* out) {
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
        pixels[k] = frame + ((i64)near_y * s.width + near_x) * channels;
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

// Makes `count` pixels from the pixel `first` on, or a channel of them.
__device__ inline void make(const Sample& s, i64 first, int count, int channel, float fill) {
    const int channels = CHANNELS ? CHANNELS : s.channels;
    const i64 area = (i64)s.height * s.width, begin = first * channels + channel;
    Bytes given, made;
    if (s.work == LOOK_UP || s.work == MAP_COLOR) given.read(s.source + begin, count * TOGETHER);
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
        if (j >= count) continue;
        u8* out = made.values + j * TOGETHER;
        const u8* pixel = given.values + j * TOGETHER;
        if (s.work == MAP_COLOR) {
            map_color(s, pixel, out);
            continue;
        }
        const i64 frame = s.frames > 1 ? quotient(first + j, area) : 0;
        if (s.work == LOOK_UP) {
            const u8* table = s.table + frame * s.frame_step + channel * s.channel_step;
#pragma unroll
            for (int c = 0; c < TOGETHER; c++) out[c] = table[c * s.channel_step + pixel[c]];
            continue;
        }
        const int place = (int)(first + j - frame * area), y = quotient(place, s.width);
        const int x = place - y * s.width;
        const u8* pixels = s.source + frame * area * channels + channel;
        if (s.work == FILTER || s.work == SMOOTH)
            filter(s, pixels, x, y, channels, out);
        else
            warp(s, pixels, x, y, channels, fill, out);
    }
    made.write(s.out + begin, count * TOGETHER);
}

extern "C" __global__ void augment(const Sample* samples, float fill) {
    const Sample s = samples[blockIdx.y];
    const int channels = CHANNELS ? CHANNELS : s.channels;
    const i64 pixels = (i64)s.frames * s.height * s.width;
    for (i64 group = first_element(); group * PIXELS < pixels; group += element_step()) {
        const i64 first = group * PIXELS;
        const int count = (int)min((i64)PIXELS, pixels - first);
        for (int channel = 0; channel < channels; channel += TOGETHER)
            make(s, first, count, channel, fill);
    }
}
