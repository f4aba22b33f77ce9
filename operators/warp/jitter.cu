// Moves each pixel by two random numbers of pixels.
#include "displaced.cuh"
#include "../kernels/random.cuh"

__device__ inline float moved(int at, unsigned bits, unsigned count, int extent) {
    const int by = (int)((u64)bits * count >> 32) - (int)(count / 2);
    return (float)min(max(at + by, 0), extent - 1);
}

extern "C" __global__ void jitter(const Sample* samples, double fill, unsigned count) {
    const Sample s = samples[blockIdx.y];
    displace(s, fill, [&](i64 i, int x, int y) -> Position {
        const u64 bits = random_bits(i, s.key[0], s.key[1]);
        return {moved(x, (unsigned)(bits >> 32), count, s.width),
                moved(y, (unsigned)bits, count, s.height)};
    });
}
