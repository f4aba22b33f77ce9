// Resamples an axis of images HWC as Pillow's Resample.c and PyTorch's UpSampleKernel.cpp do.
// WHOLE: bytes, whose weights are whole numbers. Real weights add up in float32.
#include "../kernels/common.cuh"

#ifdef CURVE
__device__ inline double sinc(double x) {
    x *= 3.14159265358979323846;
    return x == 0 ? 1.0 : sin(x) / x;
}

__device__ inline double cubic(double x, double a) {
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0.0;
}

__device__ inline double curve(double x) {
    switch (CURVE) {
        case 0: return fmax(1 - fabs(x), 0.0);
        case 1: return cubic(x, WIDENS ? -0.5 : -0.75);
        case 2: return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0.0;
        case 3: return x > -0.5 && x <= 0.5;
    }
    const double wave = 0.54f + 0.46f * cos(x * 3.14159265358979323846);
    return fabs(x) < 1 ? sinc(x) * wave : 0.0;
}

// Writes the weights of output sample i; returns the index of the first input sample.
__device__ inline int weigh(const Axis& s, int i, double* weights) {
    const double scale = (double)s.in_size / s.out_size;
    if (!WIDENS) {  // the taps of PyTorch without antialiasing
        double position = (i + 0.5) * scale - 0.5;
        if (CURVE == 0) position = fmax(position, 0.0);
        const double floors = fmin(floor(position), s.in_size - 1.0);
        const double fraction = fmin(fmax(position - floors, 0.0), 1.0);
        const int reach = s.taps / 2;
        for (int t = 0; t < s.taps; t++) weights[t] = curve(t + 1 - reach - fraction);
        return (int)floors + 1 - reach;
    }
    const double stretch = fmax(scale, 1.0), support = SUPPORT * stretch;
    const double center = (i + 0.5) * scale;
    const int from = max((int)(center - support + 0.5), 0);
    const int end = min((int)(center + support + 0.5), s.in_size);
    double sum = 0;
    for (int t = 0; t < s.taps; t++) {
        weights[t] = t < end - from ? curve((t + from - center + 0.5) * (1 / stretch)) : 0.0;
        sum += weights[t];
    }
    if (sum != 0)
        for (int t = 0; t < s.taps; t++) weights[t] /= sum;
    return from;
}

// A block computes the weights of an axis.
extern "C" __global__ void resize_weights(const Axis* axes) {
    extern __shared__ unsigned char shared_memory[];
    double* const largest = (double*)shared_memory;
    const Axis s = axes[blockIdx.x];
    double most = 0;
    for (int i = threadIdx.x; i < s.out_size; i += blockDim.x) {
        double* const weights = s.reals + (i64)i * s.taps;
        s.first[i] = weigh(s, i, weights);
        for (int t = 0; t < s.taps; t++) most = fmax(most, weights[t]);
    }
    largest[threadIdx.x] = most;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int thread = 1; thread < blockDim.x; thread++) most = fmax(most, largest[thread]);
        int bits = PILLOW ? 22 : 0;
        while (bits < 22 && (int)(0.5 + most * (1 << (bits + 1))) < 32768) bits++;
        *s.bits = bits;
    }
    __syncthreads();
    const double scale = 1 << *s.bits;
    for (i64 i = threadIdx.x; i < (i64)s.out_size * s.taps; i += blockDim.x) {
        const double scaled = s.reals[i] * scale;
        if (WHOLE)
            s.wholes[i] = (int)(scaled + (scaled < 0 ? -0.5 : 0.5));
        else
            ((float*)s.wholes)[i] = (float)s.reals[i];
    }
}
#else

extern "C" __global__ void resize_pass(const Pass* passes, const Axis* axes) {
    const Pass s = passes[blockIdx.y];
    const Axis& axis = axes[s.axis];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 pixel = quotient(i, s.channels), channel = i - pixel * s.channels;
        const i64 y = quotient(pixel, s.width), x = pixel - y * s.width;
        const i64 at = s.along ? x : y, other = s.along ? y : x;
        const In* const line = s.source + other * s.steps[1 - s.along] + channel;
        const i64 step = s.steps[s.along];
        const int from = axis.first[at];
#if WHOLE
        const int bits = *axis.bits;
        int sum = 1 << bits >> 1;
        for (int t = 0; t < axis.taps; t++) {
            const int index = min(max(from + t, 0), axis.in_size - 1);
            sum += axis.wholes[at * axis.taps + t] * (int)line[index * step];
        }
        s.out[i] = (Out)min(max(sum >> bits, 0), 255);
#else
        float sum = 0;
        for (int t = 0; t < axis.taps; t++) {
            const int index = min(max(from + t, 0), axis.in_size - 1);
            sum += ((const float*)axis.wholes)[at * axis.taps + t] * (float)line[index * step];
        }
        s.out[i] = saturated<Out>(Type<Out>::kind == FLOATING ? sum : rintf(sum));
#endif
    }
}
#endif
