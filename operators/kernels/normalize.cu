// Normalises samples: see normalize.cuh. Takes the last ones first: the device's cache may still have
// them, if they have just been read.
#include "common.cuh"
#include "lanes.cuh"
#include "normalize.cuh"

extern "C" __global__ void normalize(const Sample* samples, Exact shift) {
    const Sample s = samples[gridDim.y - 1 - blockIdx.y];
    normalize_sample<2, false>(s, shift, blockIdx.x, gridDim.x, [] {});
}
