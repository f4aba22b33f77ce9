// Neighboring pixels of a row, and their weights in resample_image.cu: TAPS of CHANNELS channels.
#include "weights.cuh"
#include "../kernels/lanes.cuh"
#include "../kernels/staging.cuh"

#if WORDS
// Pixels of bytes, read as the aligned words that hold them.
struct Words {
    static const int BYTES = TAPS * CHANNELS, COUNT = (BYTES + 3) / 4;
    unsigned aligned[COUNT + 1], shift;

    __device__ void read(int place, int, int) {
        const unsigned* words = (const unsigned*)(shared_memory + (place & ~3));
        shift = 8 * place;
#pragma unroll
        for (int i = 0; i <= COUNT; i++) aligned[i] = words[i];
    }
    __device__ unsigned word(int i) const {
        return __funnelshift_r(aligned[i], aligned[i + 1], shift);
    }
};
#endif

#if DOTS
// Sums are integers. Weights have 16 bits, with the weights of two columns in a word, and an
// instruction multiplies and adds two bytes. As the last bits of 2^23 or 1.5 * 2^23, the sums are
// floating point numbers without a conversion. If some weights are NEGATIVE, 128 is subtracted from
// the bytes, which then have a sign, too.
typedef unsigned Weight, Sum;
const int WEIGHTS = (TAPS + 1) / 2;
const unsigned NOTHING = NEGATIVE ? 0x4b400000 : 0x4b000000;

struct Pixels : Words {
    __device__ void weigh(const Weight (&weights)[WEIGHTS], int, Sum (&sums)[CHANNELS]) const {
        unsigned words[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; i++) words[i] = NEGATIVE ? word(i) ^ 0x80808080 : word(i);
#pragma unroll
        for (int i = 0; i < WEIGHTS * CHANNELS; i++) {
            const int k = i / CHANNELS, c = i % CHANNELS;
            if (2 * k + 1 == TAPS) {
                // The last column may be alone: its bytes are where the word has them.
                const int byte = 2 * k * CHANNELS + c;
                const unsigned weight = byte % 2 ? weights[k] << 16 : weights[k];
                sums[c] = dot(byte % 4 / 2, weight, words[byte / 4], sums[c]);
                continue;
            }
            if (c % 2) continue;
            // Of two columns two channels: a byte of each side by side.
            const int byte = 2 * k * CHANNELS + c, first = byte / 4, from = byte % 4;
            const int right = from + CHANNELS, next = c + 1 < CHANNELS;
            const unsigned bytes =
                __byte_perm(words[first], words[first + 1 < COUNT ? first + 1 : first],
                            from | right << 4 | (from + next) << 8 | (right + next) << 12);
            sums[c] = dot(0, weights[k], bytes, sums[c]);
            if (next) sums[c + 1] = dot(1, weights[k], bytes, sums[c + 1]);
        }
    }
    __device__ static unsigned dot(bool high, unsigned weights, unsigned bytes, unsigned sum) {
        if (NEGATIVE)
            return high ? __dp2a_hi((int)weights, (int)bytes, (int)sum)
                        : __dp2a_lo((int)weights, (int)bytes, (int)sum);
        return high ? __dp2a_hi(weights, bytes, sum) : __dp2a_lo(weights, bytes, sum);
    }
};

// Word k of a column's weights.
__device__ inline Weight column_weight(const Weighed& column, int k) {
    Weight pair = 0;
    for (int i = 0; i < 2; i++)
        if (2 * k + i < column.axis.taps)
            pair |= (__float2int_rn((float)column.weight(2 * k + i) * DOT_ONE) & 0xffff) << 16 * i;
    return pair;
}

__device__ inline Work summed(Sum sum) { return __uint_as_float(sum); }

__device__ inline Out as_out(Work value) {
    const float beyond = NEGATIVE ? 128 - 12582912.0f / DOT_ONE : -8388608.0f / DOT_ONE;
    if (NEGATIVE || sizeof(Out) > 1) return stored<Out>(__fadd_rn(value, beyond));
    const float whole = 12582912.0f - 8388608.0f / DOT_ONE;  // never below 0 or above 255: as `stored`
    return (Out)__float_as_uint(__fadd_rn(value, whole));
}
#else
typedef Work Weight, Sum;
const int WEIGHTS = TAPS;
const Work NOTHING = 0;

#if WORDS
struct Pixels : Words {
    __device__ Work at(int pixel, int channel) const {
        const int i = pixel * CHANNELS + channel;
        // The byte becomes the last byte of 2^23 as a float, which is faster than a conversion.
        const unsigned bits = __byte_perm(word(i / 4), 0x4b000000, 0x7440 | i % 4);
        return __uint_as_float(bits) - 8388608.0f;
    }
#else
struct Pixels {
    In elements[TAPS][CHANNELS];

    __device__ void read(int place, int count, int channels) {
        const In* pixels = (const In*)(shared_memory + place);
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            for (int c = 0; c < CHANNELS; c++)
                if (i < count) elements[i][c] = pixels[i * channels + c];
    }
    __device__ Work at(int pixel, int channel) const { return (Work)elements[pixel][channel]; }
#endif
    __device__ void weigh(const Weight (&weights)[WEIGHTS], int count, Sum (&sums)[CHANNELS]) const {
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            if (k >= count) break;
            for (int c = 0; c < CHANNELS; c++) sums[c] += weights[k] * at(k, c);
        }
    }
};

__device__ inline Weight column_weight(const Weighed& column, int k) {
    return k < column.axis.taps ? column.weight(k) : 0;
}

__device__ inline Work summed(Sum sum) { return sum; }
__device__ inline Out as_out(Work value) { return stored<Out>(value); }
#endif
