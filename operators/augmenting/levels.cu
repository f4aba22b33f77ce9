// Tables of the effects that depend on the levels of an image: see byte_tables.py. `count_levels`
// counts the levels of frames (pixels, CHANNELS), and `make_tables` makes their tables
// [CHANNELS][256]. CHANNELS is 0 for any number of channels, which are counted in global memory.
#include "../kernels/common.cuh"
#include "../kernels/pillow.cuh"

enum Effect { CONTRAST, EQUALIZE, AUTO_CONTRAST };

// With Pillow, contrast needs the levels of luma alone, which are counted as those of channel 0.
__device__ inline bool counts_luma(const Frame& s) { return PILLOW && s.effect == CONTRAST; }

extern "C" __global__ void count_levels(const Frame* frames) {
    extern __shared__ unsigned char shared_memory[];
    const Frame s = frames[blockIdx.x];
    unsigned* const counts = CHANNELS ? (unsigned*)shared_memory : s.counts;
    const int channels = CHANNELS ? CHANNELS : s.channels;
    if (CHANNELS) {
        for (int i = threadIdx.x; i < CHANNELS * 256; i += blockDim.x) counts[i] = 0;
        __syncthreads();
    }
    const i64 step = (i64)gridDim.y * blockDim.x;
    for (i64 i = (i64)blockIdx.y * blockDim.x + threadIdx.x; i < s.pixels; i += step) {
        const u8* pixel = s.source + i * channels;
        if (counts_luma(s)) {
            atomicAdd(&counts[luma_of<CHANNELS ? CHANNELS : 1>(pixel)], 1u);
            continue;
        }
        for (int c = 0; c < channels; c++) atomicAdd(&counts[256 * c + pixel[c]], 1u);
    }
    if (!CHANNELS) return;
    __syncthreads();
    for (int i = threadIdx.x; i < CHANNELS * 256; i += blockDim.x)
        if (counts[i]) atomicAdd(&s.counts[i], counts[i]);
}

__device__ inline float mean_of(const Frame& s, const unsigned* counts) {
    i64 sum = 0;
    for (int level = 0; level < 256; level++) sum += (i64)level * counts[level];
    return (float)((double)sum / (double)s.pixels);
}

// The level from which contrast moves the others away.
__device__ inline float center_of(const Frame& s, int channels) {
    if (PILLOW) {
        i64 sum = 0;
        for (int level = 0; level < 256; level++) sum += (i64)level * s.counts[level];
        return (float)(int)((double)sum / (double)s.pixels + 0.5);
    }
    if (channels < 3) return mean_of(s, s.counts);
    const float red = __fmul_rn(0.299f, mean_of(s, s.counts));
    const float green = __fmul_rn(0.587f, mean_of(s, s.counts + 256));
    return __fadd_rn(__fadd_rn(red, green), __fmul_rn(0.114f, mean_of(s, s.counts + 512)));
}

__device__ inline void equalize(const unsigned* counts, i64 pixels, u8* table) {
    int first = 0;
    while (first < 255 && counts[first] == 0) first++;
    if (PILLOW) {
        int last = 255;
        while (last > first && counts[last] == 0) last--;
        const i64 step = (pixels - counts[last]) / 255;
        i64 sum = step / 2;
        for (int level = 0; level < 256; level++) {
            const bool changes = last > first && step > 0;
            table[level] = changes ? (u8)min(sum / step, (i64)255) : level;
            sum += counts[level];
        }
        return;
    }
    const i64 rest = pixels - counts[first];
    const float scale = 255.0f / (float)rest;
    i64 sum = 0;
    for (int level = 0; level < 256; level++) {
        if (level > first) sum += counts[level];
        table[level] = rest ? (u8)min(__float2int_rn((float)sum * scale), 255) : first;
    }
}

__device__ inline void stretch(const unsigned* counts, u8* table) {
    int low = 0, high = 255;
    while (low < 255 && counts[low] == 0) low++;
    while (high > low && counts[high] == 0) high--;
    const double exact = 255.0 / (double)(high - low);
    const float scale = 255.0f / (float)(high - low);
    for (int level = 0; level < 256; level++) {
        if (high == low)
            table[level] = level;
        else if (PILLOW)
            table[level] = (u8)min(
                max((int)__dadd_rn(__dmul_rn((double)level, exact), __dmul_rn((double)-low, exact)),
                    0),
                255);
        else
            table[level] = saturated<u8>((float)(level - low) * scale);
    }
}

extern "C" __global__ void make_tables(const Frame* frames) {
    extern __shared__ unsigned char shared_memory[];
    float& center = *(float*)shared_memory;
    const Frame s = frames[blockIdx.x];
    const int channels = CHANNELS ? CHANNELS : s.channels;
    if (s.effect == CONTRAST) {
        if (threadIdx.x == 0) center = center_of(s, channels);
        __syncthreads();
        for (int i = threadIdx.x; i < 256 * channels; i += blockDim.x) {
            const float level = (float)(i % 256);
            s.table[i] = PILLOW ? blended(center, level, s.factor)
                                : saturated<u8>(blend(center, level, s.factor));
        }
        return;
    }
    for (int c = threadIdx.x; c < channels; c += blockDim.x) {
        const unsigned* counts = s.counts + 256 * c;
        if (s.effect == EQUALIZE)
            equalize(counts, s.pixels, s.table + 256 * c);
        else
            stretch(counts, s.table + 256 * c);
    }
}
