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
constexpr int ROUNDS = 2;  // groups of lanes that a thread reads before it writes any

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

// Takes the last samples first: the device's cache may still have them, if they have just been read.
extern "C" __global__ void normalize(const Sample* samples, Exact shift) {
    const Sample s = samples[gridDim.y - 1 - blockIdx.y];
    Out* out = (Out*)s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements), step = element_step();
    const Values means(s.means, s.extents, s.mean_strides, s.elements);
    const Values factors(s.factors, s.extents, s.factor_strides, s.elements);
    for (i64 group = first_element(); group < groups; group += ROUNDS * step) {
        In numbers[ROUNDS][LANES];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (group + r * step < groups)
                Lanes::number<Out, LANES>(out, s.elements, group + r * step)
                    .read((const In*)s.in, numbers[r]);
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            if (group + r * step >= groups) break;
            const Lanes lanes = Lanes::number<Out, LANES>(out, s.elements, group + r * step);
            Exact mean[LANES], factor[LANES];
            means.read(lanes, mean);
            factors.read(lanes, factor);
            Pack<Out, LANES> results;
#pragma unroll
            for (int j = 0; j < LANES; j++)
                results.values[j] = saturated<Out>(
                    product((Exact)numbers[r][j] - mean[j], factor[j]) + shift);
            lanes.write(out, results);
        }
    }
}
