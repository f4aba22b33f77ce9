// Vectors of `classes` numbers for the class numbers of a sample: `on_value` at the class number,
// else `off_value`. A vector's numbers lie `after` elements apart.
#include "../kernels/common.cuh"

extern "C" __global__ void one_hot(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 rest = quotient(i, s.after), column = i - rest * s.after;
        const i64 row = quotient(rest, s.classes), own = rest - row * s.classes;
        const auto number = s.data[row * s.after + column];
        s.out[i] = (i64)number == own && (double)number > -1 ? s.on_value : s.off_value;
    }
}
