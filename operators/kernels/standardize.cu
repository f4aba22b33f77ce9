// Computes statistics of each sample and normalises it with them, in one launch: samples are read
// a second time soon after the first, while the device's cache still has them. Of each round of
// blocks, some sum up a sample, one finishes its statistics, and the others normalise the sample
// of `ahead` rounds before. Devices begin with blocks in the order of their numbers (CUB's scans
// depend on that, too), so all that a block waits for is under way.
#include "common.cuh"
#include "lanes.cuh"
#include "statistics.cuh"
#include "normalize.cuh"

struct Whole {
    Reduced reduced;
    Sample sample;
    unsigned done;  // blocks that have summed their part, and one more once there are statistics
};

// A copy of what the block works on, behind its sums: every step is spared a look at memory.
__device__ inline const Whole& staged(const Whole& sample) {
    extern __shared__ unsigned char shared_memory[];
    u64* const copy = (u64*)(shared_memory + blockDim.x * COLUMNS * sizeof(Sums));
    for (int i = threadIdx.x; i < sizeof(Whole) / sizeof(u64); i += blockDim.x)
        copy[i] = ((const u64*)&sample)[i];
    __syncthreads();
    return *(const Whole*)copy;
}

// What a block writes before it signals others see once they have waited.
__device__ inline void signal(Whole& sample) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence();
    atomicAdd(&sample.done, 1u);
}
__device__ inline void wait(const Whole& sample, unsigned signals) {
    if (threadIdx.x == 0) {
        while (*(const volatile unsigned*)&sample.done < signals) __nanosleep(100);
        __threadfence();
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(256, 4)
    standardize(Whole* samples, int count, int ahead, int summing, int normalizing, int lanes,
                i64 most_parts, double scale, double epsilon, Exact shift) {
    const int blocks = summing + 1 + normalizing, block = blockIdx.x % blocks - summing;
    const int number = blockIdx.x / blocks - (block > 0 ? ahead : 0);
    if (number < 0 || number >= count) return;
    Whole& sample = samples[number];
    const Whole& s = staged(sample);
    if (block > 0) {
        normalize_sample<8, true>(
            s.sample, shift, block - 1, normalizing, [&] { wait(sample, summing + 1); });
        return;
    }
    if (block < 0) {
        reduce_sample(s.reduced, block + summing, summing);
    } else {
        wait(sample, summing);
        finish_samples(&s.reduced, {1, lanes, most_parts, scale, epsilon}, 0, 1);
    }
    signal(sample);
}
