// Counts the levels of frames, for the effects that depend on them; the counts are zeros before.
// Levels of any number of channels are counted in global memory.
#include "../kernels/common.cuh"
#include "frames.cuh"
#include "../kernels/pillow.cuh"

// With Pillow, contrast needs the levels of luma alone, which are counted as those of channel 0.
__device__ inline bool counts_luma(const Frame& s) { return PILLOW && s.effect == CONTRAST; }

extern "C" __global__ void count_levels(const Frame* frames) {
    extern __shared__ unsigned char shared_memory[];
    const Frame s = frames[blockIdx.x];
    unsigned* const counts = CHANNELS ? (unsigned*)shared_memory : s.counts;
    const int channels = CHANNELS ? CHANNELS : s.channels;
    if (CHANNELS) {
        for (int i = threadIdx.x; i < CHANNELS * LEVELS; i += blockDim.x) counts[i] = 0;
        __syncthreads();
    }
    each_group(s, [&](i64 first, int count) {
        for (int channel = 0; channel < channels; channel += TOGETHER) {
            Bytes bytes;
            bytes.read(s.source + first * channels + channel, count * TOGETHER);
#pragma unroll
            for (int j = 0; j < PIXELS; j++) {
                if (j >= count) continue;
                const u8* pixel = bytes.values + j * TOGETHER;
                if (counts_luma(s)) {
                    if (channel) continue;
                    const u8* color = CHANNELS ? pixel : s.source + first * channels;
                    atomicAdd(&counts[channels < 3 ? color[0] : luma_of<3>(color)], 1u);
                    continue;
                }
#pragma unroll
                for (int c = 0; c < TOGETHER; c++)
                    atomicAdd(&counts[LEVELS * (channel + c) + pixel[c]], 1u);
            }
        }
    });
    if (!CHANNELS) return;
    __syncthreads();
    for (int i = threadIdx.x; i < CHANNELS * LEVELS; i += blockDim.x)
        if (counts[i]) atomicAdd(&s.counts[i], counts[i]);
}
