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

// Values of neighbouring elements. If a sample has but ONE, it is read once.
struct Values {
    const Exact* values;
    const i64 (&extents)[DIMS], (&strides)[DIMS];
    Exact first;

    __device__ Values(u64 address, const i64 (&extents)[DIMS], const i64 (&strides)[DIMS], i64 some)
        : values((const Exact*)address), extents(extents), strides(strides),
          first(ONE && some ? *values : 0) {}
    __device__ void read(const Lanes& lanes, Exact (&read)[LANES]) const {
        Walk<DIMS> walk(extents, strides, ONE ? 0 : lanes.first + lanes.from);
#pragma unroll
        for (int j = 0; j < LANES; j++) {
            if (ONE) read[j] = first;
            if (ONE || !lanes.has(j)) continue;
            read[j] = values[walk.offset];
            walk.next();
        }
    }
};

extern "C" __global__ void normalize(const Sample* samples, Exact shift) {
    const Sample s = samples[blockIdx.y];
    Out* out = (Out*)s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements);
    const Values means(s.means, s.extents, s.mean_strides, s.elements);
    const Values factors(s.factors, s.extents, s.factor_strides, s.elements);
    for (i64 group = first_element(); group < groups; group += element_step()) {
        const Lanes lanes = Lanes::number<Out, LANES>(out, s.elements, group);
        In numbers[LANES];
        Exact mean[LANES], factor[LANES];
        lanes.read((const In*)s.in, numbers);
        means.read(lanes, mean);
        factors.read(lanes, factor);
        Pack<Out, LANES> results;
#pragma unroll
        for (int j = 0; j < LANES; j++)
            results.values[j] = saturated<Out>(
                product((Exact)numbers[j] - mean[j], factor[j]) + shift);
        lanes.write(out, results);
    }
}
