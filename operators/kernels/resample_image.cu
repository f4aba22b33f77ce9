// Resamples rows and columns of images (height, width, channels) in one pass over the input.
//
// A block makes a strip, some rows of the result, and a thread CHANNELS channels of one column of it,
// row after row; the weights of the strip's rows are in shared memory. Of each input row it weighs the columns that it needs; the last SLOTS of these sums are
// held in registers, row r in number r % SLOTS, and so are the weights of rows laid out. TAPS columns
// are weighed at a time: all, unless there are MORE; if not, rows are read AHEAD, which hides how
// long that takes. With WORDS there are multiples of TAPS.
#include "columns.cuh"

struct Sample {
    u64 in, out, first_row, row_weights, first_column, column_weights;
    i64 items;
    i64 image;       // elements of an image of the input
    unsigned pitch;  // and of its rows
    int height, width, channels, row_taps, column_taps, strips;
    int upwards;  // whether the input's rows are mirrored
};

const int PACKED = SLOTS % 4 ? 2 : 4;  // weights that are read together

// Rows of a strip, in the order of the input's: the first that each weighs, and its weights.
struct Rows {
    int count;
    Pack<Work, PACKED>* weights;  // SLOTS / PACKED each
    int* first;

    __device__ Rows(const Sample& s, int from, int strip, unsigned char* memory)
        : count(min(strip, s.height - from)), weights((Pack<Work, PACKED>*)memory),
          first((int*)(memory + strip * SLOTS * sizeof(Work))) {
        for (int k = threadIdx.x; k < count * (SLOTS + 1); k += blockDim.x) {
            const int i = k / (SLOTS + 1), slot = k % (SLOTS + 1);
            const int y = from + (s.upwards ? count - 1 - i : i);
            if (slot < SLOTS)
                ((Work*)weights)[i * SLOTS + slot] = __ldg((const Work*)s.row_weights + y * SLOTS + slot);
            else
                first[i] = __ldg((const int*)s.first_row + y);
        }
    }
};

// Where a row of the input begins, or the nearest one that is needed.
__device__ inline u64 offset(const Sample& s, int row, int low, int end) {
    return (u64)(unsigned)min(max(row, low), end) * s.pitch;
}

__device__ inline void read_weights(Weight (&weights)[WEIGHTS], const Weight* first, int step,
                                    int count) {
#pragma unroll
    for (int k = 0; k < WEIGHTS; k++)
        weights[k] = WORDS || k < count ? __ldg(first + (i64)k * step) : 0;
}

// One column of a strip; `out` is its first pixel, and the next one is `down` elements further.
__device__ inline void make(const Sample& s, const Rows& rows, const In* __restrict__ in, Out* out,
                            i64 down, int x) {
    const Weight* __restrict__ column_weights = (const Weight*)s.column_weights + x;
    Weight near[WEIGHTS];
    if (!MORE) read_weights(near, column_weights, s.width, s.column_taps);

    Work held[SLOTS][CHANNELS] = {};
    Pixels ahead[AHEAD];
    const int reach = s.row_taps - 1, end = rows.first[rows.count - 1] + reach;
    int i = 0, low = rows.first[0];
    for (int base = 0;; base += SLOTS) {
        if (base == 0 || base + SLOTS <= low) {  // rows that nothing needs are left out
            base = low / SLOTS * SLOTS;
#pragma unroll
            for (int j = 0; j < AHEAD && !MORE; j++)
                ahead[j].read(in + offset(s, base + j, low, end), s.column_taps, s.channels);
        }
#pragma unroll
        for (int slot = 0; slot < SLOTS; slot++) {
            const int row = base + slot;
            Sum sums[CHANNELS];
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) sums[c] = NOTHING;
            if (!MORE) {
                ahead[slot % AHEAD].weigh(near, s.column_taps, sums);
                ahead[slot % AHEAD].read(in + offset(s, row + AHEAD, low, end), s.column_taps,
                                         s.channels);
            }
            for (int t = 0; MORE && t < s.column_taps; t += TAPS) {
                const In* pixels = in + offset(s, row, low, end) + (i64)t * s.channels;
                const int count = min(TAPS, s.column_taps - t);
                ahead[0].read(pixels, count, s.channels);
                read_weights(near, column_weights + (i64)(t / PER_WEIGHT) * s.width, s.width, count);
                ahead[0].weigh(near, count, sums);
            }
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) held[slot][c] = summed(sums[c]);
            while (row >= low + reach) {
                Work value[CHANNELS] = {};
#pragma unroll
                for (int k = 0; k < SLOTS; k += PACKED) {
                    const Pack<Work, PACKED> weights = rows.weights[(i * SLOTS + k) / PACKED];
#pragma unroll
                    for (int j = 0; j < PACKED * CHANNELS; j++) {
                        const Work weight = weights.values[j / CHANNELS];
                        if (Type<In>::kind != FLOATING || weight != 0)
                            value[j % CHANNELS] += weight * held[k + j / CHANNELS][j % CHANNELS];
                    }
                }
#pragma unroll
                for (int c = 0; c < CHANNELS; c++) out[c] = as_out(value[c]);
                if (++i == rows.count) return;
                out += down;
                low = rows.first[i];
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256, WORDS ? 4 : 2)
    resample_image(const Sample* samples, int strip) {
    extern __shared__ unsigned char shared_memory[];
    const Sample s = samples[blockIdx.y];
    const int across = (s.width + blockDim.x - 1) / blockDim.x, groups = s.channels / CHANNELS;
    for (i64 item = blockIdx.x; item < s.items; item += gridDim.x) {
        const i64 line = quotient(item, across), stack = quotient(line, s.strips);
        const int x = (int)(item - line * across) * blockDim.x + threadIdx.x;
        const Rows rows(s, (int)(line - stack * s.strips) * strip, strip, shared_memory);
        __syncthreads();
        if (x < s.width) {
            const i64 image = quotient(stack, groups), down = (i64)s.width * s.channels;
            const int group = (int)(stack - image * groups) * CHANNELS;
            const int y = (int)(line - stack * s.strips) * strip + (s.upwards ? rows.count - 1 : 0);
            make(s, rows,
                 (const In*)s.in + image * s.image + group +
                     (i64)__ldg((const int*)s.first_column + x) * s.channels,
                 (Out*)s.out + (image * s.height + y) * down + (i64)x * s.channels + group,
                 s.upwards ? -down : down, x);
        }
        __syncthreads();
    }
}
