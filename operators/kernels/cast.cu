// Converts numbers from type In to type Out.
#include "common.cuh"

struct Sample {
    u64 in, out;
    i64 elements;
};

extern "C" __global__ void cast(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const In* in = (const In*)s.in;
    Out* out = (Out*)s.out;
    for (i64 i = first_element(); i < s.elements; i += element_step())
        out[i] = saturated<Out>(in[i]);
}
