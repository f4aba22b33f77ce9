// Mirrors coordinates. FORM says what the columns hold: 0 for a coordinate on each of AXES axes, 1
// for the edges of boxes, and 2 for a corner and a size of boxes.
#include "../kernels/common.cuh"

__device__ inline float mirrored(float number, float sum, bool flipped) {
    return flipped ? sum - number : number;
}

extern "C" __global__ void flip_columns(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const int columns = FORM == 0 ? AXES : 4;
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const int column = (int)(i % columns), axis = FORM == 0 ? column : column % 2;
        const bool flipped = s.flipped[axis];
        const float sum = s.sums[axis];
        const float* low = s.input + i - column + axis;  // of a box on this axis
        if (FORM == 0) s.out[i] = mirrored(s.input[i], sum, flipped);
        if (FORM == 1) s.out[i] = mirrored(flipped == (column < 2) ? low[2] : low[0], sum, flipped);
        if (FORM == 2) {
            const float high = low[0] + low[2];
            const float first = mirrored(flipped ? high : low[0], sum, flipped);
            const float last = mirrored(flipped ? low[0] : high, sum, flipped);
            s.out[i] = column < 2 ? first : last - first;
        }
    }
}
