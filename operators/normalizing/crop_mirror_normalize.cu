// Scales pixels and reorders their axes. A thread makes PIXELS neighbors along the width, with all
// their channels: IN_C are read and OUT_C written. If a pixel has more channels, IN_C and OUT_C are
// 1, and the channels are axis CHANNEL_AXIS of the OUTER other axes.
//
// `first` is the address of the first pixel of the window, which may lie outside of the sample.
// Strides of the sample are in bytes; strides of the result (`out_`) are in elements. `low` and
// `high` bound the part of the window inside the sample. `extent`, `stride`, `out_stride`, `low`
// and `high` belong to the axes other than the width, in the order of the result. `mirrored`
// windows are reversed along the width.
#include "../kernels/common.cuh"

// Mirrors the window.
__device__ inline void mirror(Sample& s) {
    s.first += (s.width - 1) * s.stride_w;
    s.stride_w = -s.stride_w;
    const i64 low = s.width - s.high_w;
    s.high_w = s.width - s.low_w;
    s.low_w = low;
}

constexpr int BYTES = sizeof(In);

struct alignas(PIXELS * sizeof(Out)) Pack {
    Out values[PIXELS];
};

// Reads adjacent elements, at any address, as words.
template <int COUNT>
__device__ inline void read(const u8* from, In* elements) {
    constexpr int WORDS = COUNT * BYTES / 4;
    const unsigned* aligned = (const unsigned*)((u64)from & ~(u64)3);
    const int shift = ((u64)from & 3) * 8;
    unsigned held[WORDS + 1], words[WORDS];
#pragma unroll
    for (int k = 0; k < WORDS; k++) held[k] = aligned[k];
    held[WORDS] = shift ? aligned[WORDS] : 0;
#pragma unroll
    for (int k = 0; k < WORDS; k++) words[k] = __funnelshift_r(held[k], held[k + 1], shift);
    memcpy(elements, words, sizeof words);
}

// Reads PIXELS pixels, which all lie inside the sample.
__device__ inline void read_pixels(const Sample& s, const u8* from, In (&pixels)[IN_C][PIXELS]) {
    const bool mirrored = s.stride_w < 0;
    const u8* start = mirrored ? from + (PIXELS - 1) * s.stride_w : from;
    const i64 step = mirrored ? -s.stride_w : s.stride_w;
    if (step == IN_C * BYTES && (IN_C == 1 || s.stride_c == BYTES)) {
        In run[PIXELS * IN_C];
        read<PIXELS * IN_C>(start, run);
#pragma unroll
        for (int j = 0; j < PIXELS; j++)
#pragma unroll
            for (int c = 0; c < IN_C; c++)
                pixels[c][j] = mirrored ? run[(PIXELS - 1 - j) * IN_C + c] : run[j * IN_C + c];
        return;
    }
#pragma unroll
    for (int c = 0; c < IN_C; c++) {
        In run[PIXELS];
        if (step == BYTES) {
            read<PIXELS>(start + c * s.stride_c, run);
        } else {
#pragma unroll
            for (int j = 0; j < PIXELS; j++)
                run[j] = *(const In*)(start + c * s.stride_c + j * step);
        }
#pragma unroll
        for (int j = 0; j < PIXELS; j++) pixels[c][j] = mirrored ? run[PIXELS - 1 - j] : run[j];
    }
}

// As on the CPU, wide numbers are multiplied in float64, without a fused multiply-add.
__device__ inline Out scaled(In value, float multiplier, float offset) {
    float product;
    if constexpr (BYTES >= 4 && (Type<In>::kind != FLOATING || BYTES == 8))
        product = (float)((double)value * (double)multiplier);
    else
        product = __fmul_rn((float)value, multiplier);
    return saturated<Out>(__fadd_rn(product, offset));
}

extern "C" __global__ void __launch_bounds__(256, 4) crop_mirror_normalize(const Sample* samples) {
    Sample s = samples[blockIdx.y];
    if (s.mirrored) mirror(s);
    const i64 groups = (s.width + PIXELS - 1) / PIXELS;
    for (i64 item = first_element(); item < s.rows * groups; item += element_step()) {
        i64 row = quotient(item, groups);
        const i64 w = (item - row * groups) * PIXELS;
        const u8* from = (const u8*)s.first + w * s.stride_w;
        Out* out = s.out + w * s.out_w;
        bool seen = true;
        int channel = 0;
#pragma unroll
        for (int d = OUTER - 1; d >= 0; d--) {
            const i64 rest = d ? quotient(row, s.extent[d]) : 0;
            const i64 index = row - rest * s.extent[d];
            row = rest;
            from += index * s.stride[d];
            out += index * s.out_stride[d];
            seen &= s.low[d] <= index && index < s.high[d];
            if (d == CHANNEL_AXIS) channel = index;
        }
        const bool whole = seen && s.low_w <= w && w + PIXELS <= s.high_w;
        In pixels[IN_C][PIXELS];
        if (whole) {
            read_pixels(s, from, pixels);
        } else if (seen) {
            for (int c = 0; c < IN_C; c++)
#pragma unroll
                for (int j = 0; j < PIXELS; j++)
                    if (s.low_w <= w + j && w + j < s.high_w)
                        pixels[c][j] = *(const In*)(from + j * s.stride_w + c * s.stride_c);
        }
        Pack packs[OUT_C];
#pragma unroll
        for (int c = 0; c < OUT_C; c++) {
            const int k = OUT_C > 1 ? c : channel;
            const Sample& table = samples[blockIdx.y];
            const float multiplier = table.multiplier[k], offset = table.offset[k];
#pragma unroll
            for (int j = 0; j < PIXELS; j++) {
                const bool has = c < IN_C && (whole || (seen && s.low_w <= w + j && w + j < s.high_w));
                const Out value =
                    has ? scaled(pixels[c < IN_C ? c : 0][j], multiplier, offset) : table.fill[k];
                const int place = INTERLEAVED ? j * OUT_C + c : c * PIXELS + j;
                packs[place / PIXELS].values[place % PIXELS] = value;
            }
        }
        const bool full = w + PIXELS <= s.width;
#pragma unroll
        for (int k = 0; k < OUT_C; k++) {
            Out* to = out + k * (INTERLEAVED ? PIXELS : s.out_c);
            if (full && (INTERLEAVED || s.out_w == 1) && (u64)to % sizeof(Pack) == 0) {
                *(Pack*)to = packs[k];
                continue;
            }
#pragma unroll
            for (int j = 0; j < PIXELS; j++) {
                const int pixel = INTERLEAVED ? (k * PIXELS + j) / OUT_C : j;
                if (w + pixel < s.width) to[INTERLEAVED ? j : j * s.out_w] = packs[k].values[j];
            }
        }
    }
}
