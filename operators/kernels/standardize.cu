// Computes statistics of each sample and normalises it with them, in one launch: samples are read
// a second time soon after the first, while the device's cache still has them. Of each round of
// blocks some sum up a sample, and the others normalise the one `ahead` rounds before, once its
// statistics are there. Blocks begin in the order of their numbers, so all that one waits for is
// under way.
#include "common.cuh"
#include "lanes.cuh"
#include "statistics.cuh"
#include "normalize.cuh"

struct Whole {
    Reduced reduced;
    Sample sample;
    unsigned done;  // blocks that have summed their part, and one more once there are statistics
};

// Whether this is the last of some blocks to get here; then it sees what the others wrote.
__device__ inline bool is_last(unsigned* counter, unsigned blocks) {
    extern __shared__ unsigned char shared_memory[];
    bool* const last = (bool*)shared_memory;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        *last = atomicAdd(counter, 1u) + 1 == blocks;
        if (*last) __threadfence();
    }
    __syncthreads();
    if (!*last) return false;
    __syncthreads();
    return true;
}

extern "C" __global__ void __launch_bounds__(256, 4)
    standardize(Whole* samples, int count, int ahead, int summing, int normalizing, int lanes,
                i64 most_parts, double scale, double epsilon, Exact shift) {
    const int round = blockIdx.x / (summing + normalizing);
    const int block = blockIdx.x % (summing + normalizing) - summing;
    if (block < 0) {
        if (round >= count) return;
        Whole& s = samples[round];
        reduce_sample(s.reduced, block + summing, summing);
        if (!is_last(&s.done, summing)) return;
        finish_samples(&s.reduced, {1, lanes, most_parts, scale, epsilon}, 0, 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&s.done, 1u);
        }
    } else if (round >= ahead) {
        Whole& s = samples[round - ahead];
        normalize_sample<8, true>(s.sample, shift, block, normalizing, [&] {
            if (threadIdx.x == 0) {
                while (*(volatile unsigned*)&s.done <= summing) __nanosleep(100);
                __threadfence();
            }
            __syncthreads();
        });
    }
}
