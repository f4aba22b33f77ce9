// Means and deviations of samples: see statistics.cuh. Block (x, i) works on sample i, or in `finish`
// on all samples together.
#include "statistics.cuh"

extern "C" __global__ void reduce(const Runs* samples) {
    reduce_sample(samples[blockIdx.y], blockIdx.x, gridDim.x);
}

extern "C" __global__ void finish(const Group* samples, int together, i64 most_parts, int lanes,
                                  int is_factor, double scale, double epsilon) {
    const Finish f = {most_parts, lanes, is_factor, scale, epsilon};
    finish_samples(samples + blockIdx.y, together, f, blockIdx.x, gridDim.x);
}

struct Whole {
    Runs runs;
    Group group;
    unsigned summed;  // blocks that have done their part
};

// Both for each sample by itself: the block that is the last one to sum finishes.
extern "C" __global__ void __launch_bounds__(256, 4)
    reduce_and_finish(Whole* samples, i64 most_parts, int lanes, double scale, double epsilon) {
    Whole& s = samples[blockIdx.y];
    reduce_sample(s.runs, blockIdx.x, gridDim.x);
    if (!is_last(&s.summed, gridDim.x)) return;
    finish_samples(&s.group, 1, {most_parts, lanes, 1, scale, epsilon}, 0, 1);
}
