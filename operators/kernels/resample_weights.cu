// For each output sample of an axis: the input samples that it weighs, and the weights, as
// operators/resampling/filters.py makes them. Block (x, i, k) works on axis k of sample i.
#include "common.cuh"

enum Way { WEIGH, COPY, COPY_STEPWISE };

struct Axis {
    u64 first, weights;  // int (outputs,) and Work (taps, outputs)
    int inputs, outputs, base, support, taps, way;
    int curve;  // where the kernel's table begins; -1: the triangle, which needs none
    float last, step, scale, start;
};

// Rounded after each operation: the last bit decides which samples count.
__device__ inline float position(int i, float scale, float start) {
    return __fadd_rn(__fmul_rn((float)i, scale), start);
}

__device__ inline int clamped(int i, int size) { return min(max(i, 0), size - 1); }

__device__ inline int copied(const Axis& a, int i) {
    float place = __fadd_rn(__fmul_rn(__fadd_rn((float)i, 0.5f), a.scale), a.start);
    if (a.way == COPY_STEPWISE) {
        place = __fadd_rn(a.start, __fmul_rn(0.5f, a.scale));
        for (int k = 0; k < i; k++) place = __fadd_rn(place, a.scale);
    }
    return clamped((int)floorf(place) + a.base, a.inputs);
}

__device__ inline float weight_at(const Axis& a, const float* curves, float offset) {
    const float place = offset * a.step;
    if (a.curve < 0) return fmaxf(0.0f, 1.0f - fabsf(place - 1.0f));
    if (place >= a.last + 1.0f) return 0.0f;
    const int i = (int)place;
    const float* values = curves + a.curve + i;
    return values[0] + (place - i) * (values[1] - values[0]);
}

extern "C" __global__ void resample_weights(const Axis* axes, const float* curves) {
    const Axis a = axes[blockIdx.z * gridDim.y + blockIdx.y];
    int* first = (int*)a.first;
    for (i64 i = first_element(); i < a.outputs; i += element_step()) {
        Work* weights = (Work*)a.weights + i;
        if (a.way != WEIGH) {
            const int source = copied(a, (int)i);
            first[i] = min(source, a.inputs - a.taps);
            for (int t = 0; t < a.taps; t++) weights[(i64)t * a.outputs] = t == source - first[i];
            continue;
        }
        const float begin = position((int)i, a.scale, a.start);
        const float ceiling = ceilf(begin);
        const int low = (int)ceiling + a.base;
        // Taps beyond the border fall on the border sample.
        const int from = min(clamped(low, a.inputs), a.inputs - a.taps);
        for (int t = 0; t < a.taps; t++) weights[(i64)t * a.outputs] = 0;
        Work sum = 0;
        for (int t = 0; t < a.support; t++) {
            const Work weight = weight_at(a, curves, (float)t + (ceiling - begin));
            weights[(i64)(clamped(low + t, a.inputs) - from) * a.outputs] += weight;
            sum += weight;
        }
        for (int t = 0; t < a.taps; t++) weights[(i64)t * a.outputs] /= sum;
        first[i] = from;
    }
}
