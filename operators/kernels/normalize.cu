// (number - mean) * factor + shift, with means and factors that are broadcast.
#include "common.cuh"
#include "lanes.cuh"

struct Sample {
    u64 in, out, means, factors;
    i64 elements;
    i64 extents[DIMS], mean_strides[DIMS], factor_strides[DIMS];
};

constexpr int LARGEST = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
constexpr int LANES = lanes_of(LARGEST);

__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }

extern "C" __global__ void normalize(const Sample* samples, Exact shift) {
    const Sample s = samples[blockIdx.y];
    Out* out = (Out*)s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements);
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const Lanes lanes = Lanes::number<Out, LANES>(out, s.elements, group);
        In numbers[LANES];
        lanes.read((const In*)s.in, numbers);
        Walk<DIMS> mean(s.extents, s.mean_strides, lanes.first + lanes.from);
        Walk<DIMS> factor(s.extents, s.factor_strides, lanes.first + lanes.from);
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (!lanes.has(j)) continue;
            const Exact centred = (Exact)numbers[j] - ((const Exact*)s.means)[mean.offset];
            const Exact scaled = product(centred, ((const Exact*)s.factors)[factor.offset]);
            results.values[j] = saturated<Out>(scaled + shift);
            mean.next();
            factor.next();
        }
        lanes.write(out, results);
    }
}
