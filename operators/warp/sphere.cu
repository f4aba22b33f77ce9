// Moves each pixel away from the middle, by the square of its distance.
#include "displaced.cuh"

extern "C" __global__ void sphere(const Sample* samples, double fill) {
    const Sample s = samples[blockIdx.y];
    const float middle_x = 0.5f * s.width, middle_y = 0.5f * s.height;
    displace(s, fill, [&](i64, int column, int line) -> Position {
        const float x = column + 0.5f - middle_x, y = line + 0.5f - middle_y;
        const float square = __fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y));
        const float distance = sqrtf(square) / s.radius;
        return {index_at(__fadd_rn(middle_x, __fmul_rn(distance, x))),
                index_at(__fadd_rn(middle_y, __fmul_rn(distance, y)))};
    });
}
