// Converts numbers from type In to type Out.
#include "common.cuh"
#include "lanes.cuh"

struct Sample {
    u64 in, out;
    i64 elements;
};

constexpr int LANES = lanes_of(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));
constexpr int ROUNDS = 2;  // groups of lanes that a thread reads before it writes any

extern "C" __global__ void cast(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    Out* out = (Out*)s.out;
    const i64 groups = Lanes::count<Out, LANES>(out, s.elements), step = element_step();
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
            Pack<Out, LANES> results;
#pragma unroll
            for (int j = 0; j < LANES; j++) results.values[j] = saturated<Out>(numbers[r][j]);
            Lanes::number<Out, LANES>(out, s.elements, group + r * step).write(out, results);
        }
    }
}
