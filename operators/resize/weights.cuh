// The weights of the input samples of an axis, as in operators/resize/axes.py.
#include "../kernels/resampling.cuh"

// The table declares the struct Axis (`axis_table` in operators/resize/gpu_tables.py). Its `way` is
// WEIGH, COPY or COPY_STEPWISE. `curve` is the start of the filter's table, or -1 for the triangle,
// which needs no table.

__device__ inline int clamped(int i, int size) { return min(max(i, 0), size - 1); }

// The input samples of an output sample: `taps` samples from `from` on.
struct Weighed {
    const Axis& axis;
    const float* curves;
    int low, from;
    float offset;
    Work share;  // what 1 weighs

    __device__ Weighed(const Axis& axis, const float* curves, int i) : axis(axis), curves(curves) {
        // Each operation is rounded, because the last bit decides which samples count.
        const float begin = __fadd_rn(__fmul_rn((float)i, axis.scale), axis.start);
        const float ceiling = ceilf(begin);
        offset = ceiling - begin;
        low = axis.way == WEIGH ? (int)ceiling : copied(i);
        from = min(clamped(low, axis.inputs), axis.inputs - axis.taps);
        share = 1;
        if (axis.way != WEIGH) return;
        Work sum = 0;
#pragma unroll 1
        for (int t = 0; t < axis.support; t++) sum += at((float)t + offset);
        share = 1 / sum;
    }
    // The weight of the sample at `tap` after the first.
    __device__ Work weight(int tap) const {
        const int sample = from + tap;
        if (axis.way != WEIGH) return sample == low;
        // Samples beyond the border count as the border sample.
        const int begin = sample == 0 ? 0 : max(sample - low, 0);
        const int end =
            sample == axis.inputs - 1 ? axis.support : min(sample - low + 1, axis.support);
        Work weight = 0;
#pragma unroll 1
        for (int t = begin; t < end; t++) weight += at((float)t + offset);
        return weight * share;
    }

   private:
    __device__ int copied(int i) const {
        float place = __fadd_rn(__fmul_rn(__fadd_rn((float)i, 0.5f), axis.scale), axis.start);
        if (axis.way == COPY_STEPWISE) {
            place = __fadd_rn(axis.start, __fmul_rn(0.5f, axis.scale));
            for (int k = 0; k < i; k++) place = __fadd_rn(place, axis.scale);
        }
        return clamped((int)floorf(place), axis.inputs);
    }
    __device__ float at(float offset) const {
        const float place = offset * axis.step;
        if (axis.curve < 0) return fmaxf(0.0f, 1.0f - fabsf(place - 1.0f));
        if (place >= axis.last + 1.0f) return 0.0f;
        const int i = (int)place;
        const float* values = curves + axis.curve + i;
        return values[0] + (place - i) * (values[1] - values[0]);
    }
};
