// Multiplies a matrix with the vectors along the middle axis of (outer, numbers, inner). Result r
// needs the columns from ranges[2 * r] up to ranges[2 * r + 1]; the other columns are 0.
#include "../kernels/common.cuh"

extern "C" __global__ void axis_matrix(const Product* samples) {
    const Product s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 vectors = quotient(i, s.inner), inner = i - vectors * s.inner;
        const i64 outer = quotient(vectors, s.results), result = vectors - outer * s.results;
        const In* numbers = s.source + outer * s.numbers * s.inner + inner;
        const float* factors = s.matrix + result * s.numbers;
        const int end = s.ranges[2 * result + 1];
        float sum = 0;
        for (int k = s.ranges[2 * result]; k < end; k++)
            sum += factors[k] * (float)numbers[k * s.inner];
        s.out[i] = sum;
    }
}
