// Means and deviations of samples: see statistics.cuh. Block (x, i) works on sample i, or in `finish`
// on the i-th of those that belong together.
#include "common.cuh"
#include "lanes.cuh"
#include "statistics.cuh"

extern "C" __global__ void reduce(const Reduced* samples) {
    reduce_sample(samples[blockIdx.y], blockIdx.x, gridDim.x);
}

extern "C" __global__ void finish(
    const Reduced* samples, int together, int lanes, i64 most_parts, double scale, double epsilon) {
    finish_samples(samples + blockIdx.y, {together, lanes, most_parts, scale, epsilon}, blockIdx.x,
                   gridDim.x);
}
