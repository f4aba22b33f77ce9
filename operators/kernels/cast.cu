// Converts numbers from type In to type Out.
#include "common.cuh"
#include "lanes.cuh"

struct Sample {
    u64 in, out;
    i64 elements;
};

constexpr int LANES = lanes_of(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));

extern "C" __global__ void cast(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    each_pack<LANES, 2, false>(
        (const In*)s.in, (Out*)s.out, s.elements, blockIdx.x, element_step() * LANES,
        [](i64, const auto&) {
            return [](i64, const auto& numbers, auto& results) {
#pragma unroll
                for (int j = 0; j < sizeof(results) / sizeof(Out); j++)
                    results.values[j] = saturated<Out>(numbers.values[j]);
            };
        });
}
