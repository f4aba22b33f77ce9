// Resamples rows and columns of images (height, width, channels) in one pass over the input.
//
// A thread makes a strip of one column of the result: CHANNELS channels of some rows, one after the
// other. It weighs the columns of each input row that they need, and keeps these sums, for the rows
// of the result have most of them in common, in its own places of shared memory, a ring of `slots`
// rows. ROWS of the input are read at a time, which hides how long a read takes, and TAPS columns are
// weighed at a time: all, unless there are MORE. With WORDS there are multiples of TAPS.
#include "resampling.cuh"

struct Sample {
    u64 in, out, first_row, row_weights, first_column, column_weights;
    i64 items;
    int in_height, in_width, height, width, channels, row_taps, column_taps, strips;
    int upwards;  // whether the input's rows are mirrored
};

const int THREADS = 256;  // a block's; as a constant it leaves less to compute

#if WORDS
// TAPS pixels side by side, of CHANNELS bytes each: read as the aligned words that hold them.
struct Pixels {
    static const int BYTES = TAPS * CHANNELS, COUNT = (BYTES + 3) / 4;
    unsigned words[COUNT + 1];

    __device__ void read(const In* pixels, int, int) {
        const unsigned* aligned = (const unsigned*)((u64)pixels & ~3ull);
        const int skipped = (int)((u64)pixels & 3);
#pragma unroll
        for (int i = 0; i <= COUNT; i++)
            words[i] = i < COUNT || 4 * i < skipped + BYTES ? __ldg(aligned + i) : 0;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            words[i] = __funnelshift_r(words[i], words[i + 1], 8 * skipped);
    }
    __device__ Work at(int pixel, int channel) const {
        const int i = pixel * CHANNELS + channel;
        // The last byte of 2^23 as a float: quicker than a conversion.
        const unsigned bits = __byte_perm(words[i / 4], 0x4b000000, 0x7440 | i % 4);
        return __uint_as_float(bits) - 8388608.0f;
    }
};
#else
struct Pixels {
    In elements[TAPS][CHANNELS];

    __device__ void read(const In* pixels, int count, int channels) {
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            for (int c = 0; c < CHANNELS; c++)
                if (i < count) elements[i][c] = pixels[i * channels + c];
    }
    __device__ Work at(int pixel, int channel) const { return (Work)elements[pixel][channel]; }
};
#endif

extern "C" __global__ void __launch_bounds__(THREADS, WORDS ? 3 : 2)
    resample_image(const Sample* samples, int strip, int slots) {
    extern __shared__ unsigned char shared_memory[];
    Work* ring = (Work*)shared_memory + threadIdx.x;  // (slots, CHANNELS), THREADS apart
    const Sample s = samples[blockIdx.y];
    const int* first_row = (const int*)s.first_row;
    const Work* __restrict__ row_weights = (const Work*)s.row_weights;
    const i64 pitch = (i64)s.in_width * s.channels;
    for (i64 item = first_element(); item < s.items; item += element_step()) {
        const i64 line = quotient(item, s.width), stack = quotient(line, s.strips);
        const int x = (int)(item - line * s.width), groups = s.channels / CHANNELS;
        const int from = (int)(line - stack * s.strips) * strip, end = min(from + strip, s.height);
        const i64 image = quotient(stack, groups);
        const int group = (int)(stack - image * groups) * CHANNELS;
        const In* __restrict__ in = (const In*)s.in + image * s.in_height * pitch + group;
        Out* out = (Out*)s.out + (image * s.height * s.width + x) * s.channels + group;
        in += (i64)__ldg((const int*)s.first_column + x) * s.channels;
        const Work* __restrict__ column_weights = (const Work*)s.column_weights + x;
        Work near[TAPS];
#pragma unroll
        for (int k = 0; k < TAPS; k++)
            near[k] = k < s.column_taps ? __ldg(column_weights + (i64)k * s.width) : 0;

        // Rows of the result in the order of the input's; `next` is the first not in the ring.
        const int last = __ldg(first_row + (s.upwards ? from : end - 1)) + s.row_taps - 1;
        int next = 0;
        int y = s.upwards ? end - 1 : from;
        const int step = s.upwards ? -1 : 1;
        const i64 down = (i64)s.width * s.channels;
        Out* pixel = out + y * down;
        for (int left = end - from; left > 0; left--, y += step, pixel += step * down) {
            const int low = __ldg(first_row + y);
            next = max(next, low);
            for (; next < low + s.row_taps; next += ROWS) {
                Work sums[ROWS][CHANNELS] = {};
                for (int t = 0; t < (MORE ? s.column_taps : 1); t += TAPS) {
                    const int count = WORDS ? TAPS : min(TAPS, s.column_taps - t);
                    Pixels pixels[ROWS];
#pragma unroll
                    for (int j = 0; j < ROWS; j++)
                        pixels[j].read(in + min(next + j, last) * pitch + (i64)t * s.channels,
                                       count, s.channels);
#pragma unroll
                    for (int k = 0; k < TAPS; k++) {
                        if (k >= count) break;
                        const Work weight =
                            MORE && t ? __ldg(column_weights + (i64)(t + k) * s.width) : near[k];
#pragma unroll
                        for (int j = 0; j < ROWS; j++)
                            for (int c = 0; c < CHANNELS; c++)
                                sums[j][c] += weight * pixels[j].at(k, c);
                    }
                }
#pragma unroll
                for (int j = 0; j < ROWS; j++)
                    for (int c = 0; c < CHANNELS; c++)
                        ring[(((next + j) & (slots - 1)) * CHANNELS + c) * THREADS] = sums[j][c];
            }
            Work value[CHANNELS] = {};
#pragma unroll 4
            for (int t = 0; t < s.row_taps; t++) {
                const Work weight = __ldg(row_weights + ((i64)t * s.height + y));
                const Work* sums = ring + ((low + t) & (slots - 1)) * CHANNELS * THREADS;
                for (int c = 0; c < CHANNELS; c++) value[c] += weight * sums[c * THREADS];
            }
            for (int c = 0; c < CHANNELS; c++) pixel[c] = stored<Out>(value[c]);
        }
    }
}
