// Moves each pixel by the wave of its line, and by the wave of its column.
#include "displaced.cuh"

extern "C" __global__ void water(const Sample* samples, double fill, const float* waves) {
    const Sample s = samples[blockIdx.y];
    const float *of_lines = waves + s.first_wave, *of_columns = of_lines + s.in_height;
    displace(s, fill, [&](i64, int x, int y) -> Position {
        return {index_at(__fadd_rn((float)x, of_lines[y])),
                index_at(__fadd_rn((float)y, of_columns[x]))};
    });
}
