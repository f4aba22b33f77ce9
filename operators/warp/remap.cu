// Makes pixels of those at the positions that maps tell.
#include "displaced.cuh"

extern "C" __global__ void remap(const Sample* samples, double fill, float shift) {
    const Sample s = samples[blockIdx.y];
    displace(s, fill, [&](i64 i, int, int) -> Position {
        return {__fadd_rn((float)s.map_x[i], shift), __fadd_rn((float)s.map_y[i], shift)};
    });
}
