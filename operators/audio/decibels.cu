// Magnitudes in decibels, relative to a reference or to the largest number of a sample.
#include "../kernels/common.cuh"

// Enters the largest number of each sample into `maximum`, which is 0 before. Bits of floats that
// are not negative have the order of the floats. Values that are not a number do not count.
extern "C" __global__ void maximum(const Magnitudes* samples) {
    extern __shared__ unsigned char shared_memory[];
    float* const largest = (float*)shared_memory;
    const Magnitudes s = samples[blockIdx.y];
    float own = 0;
    for (i64 i = first_element(); i < s.elements; i += element_step())
        own = fmaxf(own, (float)s.source[i]);
    largest[threadIdx.x] = own;
    for (unsigned half_size = blockDim.x / 2; half_size; half_size /= 2) {
        __syncthreads();
        if (threadIdx.x < half_size)
            largest[threadIdx.x] = fmaxf(largest[threadIdx.x], largest[threadIdx.x + half_size]);
    }
    if (threadIdx.x == 0) atomicMax(s.maximum, __float_as_uint(largest[0]));
}

extern "C" __global__ void decibels(
    const Magnitudes* samples, float reference, float least, float multiplier) {
    const Magnitudes s = samples[blockIdx.y];
    if (reference == 0) reference = __uint_as_float(*s.maximum);
    if (reference == 0) reference = 1;
    for (i64 i = first_element(); i < s.elements; i += element_step())
        s.out[i] = multiplier * log10f(fmaxf((float)s.source[i] / reference, least));
}
