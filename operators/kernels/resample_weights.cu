// For each output sample of an axis: the input samples that it weighs, and the weights, as
// operators/resampling/filters.py makes them. Block (x, i, k) works on axis k of sample i.
//
// Weights come in one of three orders: those of all outputs for one tap after the other; the same,
// but as whole numbers of 16 bits, those of two taps in a word; or all of an output side by side, the
// weight of input sample r in number r % slots, and 0 where there is none.
#include "common.cuh"

enum Way { WEIGH, COPY, COPY_STEPWISE };

struct Axis {
    u64 first, weights;  // int (outputs,), and Work (taps, outputs) or (outputs, slots)
    int inputs, outputs, base, support, taps, way;
    int slots, one;  // if not 0: how many; what stands for 1 in whole numbers
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

// The weight of the input sample `tap` places behind the first.
__device__ inline Work weight_of(const Axis& a, const float* curves, int from, int low, int tap,
                                 float offset) {
    if (a.way != WEIGH) return from + tap == low;
    // What is beyond the border falls on the border sample.
    const int sample = from + tap;
    const int begin = sample == 0 ? 0 : max(sample - low, 0);
    const int end = sample == a.inputs - 1 ? a.support : min(sample - low + 1, a.support);
    Work weight = 0;
    for (int t = begin; t < end; t++) weight += weight_at(a, curves, (float)t + offset);
    return weight;
}

extern "C" __global__ void resample_weights(const Axis* axes, const float* curves) {
    const Axis a = axes[blockIdx.z * gridDim.y + blockIdx.y];
    int* first = (int*)a.first;
    for (i64 i = first_element(); i < a.outputs; i += element_step()) {
        const float begin = position((int)i, a.scale, a.start), ceiling = ceilf(begin);
        const float offset = ceiling - begin;
        const int low = a.way == WEIGH ? (int)ceiling + a.base : copied(a, (int)i);
        const int from = min(clamped(low, a.inputs), a.inputs - a.taps);
        first[i] = from;
        Work sum = a.way != WEIGH;
        for (int t = 0; a.way == WEIGH && t < a.support; t++)
            sum += weight_at(a, curves, (float)t + offset);
        Work* weights = (Work*)a.weights + i * a.slots;
        for (int t = a.taps; t < a.slots; t++) weights[(from + t) % a.slots] = 0;
        unsigned pair = 0;
        for (int t = 0; t < a.taps; t++) {
            const Work weight = weight_of(a, curves, from, low, t, offset) / sum;
            if (a.slots) {
                weights[(from + t) % a.slots] = weight;
            } else if (a.one) {
                const unsigned whole = (unsigned)__float2int_rn((float)weight * a.one) & 0xffff;
                pair = t % 2 ? pair | whole << 16 : whole;
                ((unsigned*)a.weights)[(i64)(t / 2) * a.outputs + i] = pair;
            } else {
                weights[(i64)t * a.outputs + i] = weight;
            }
        }
    }
}
