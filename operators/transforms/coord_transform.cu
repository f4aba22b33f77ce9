// Maps vectors of `in_length` numbers to vectors of `length` numbers. A map is a matrix [M T], row by
// row. A thread makes whole vectors.
#include "../kernels/common.cuh"

extern "C" __global__ void coord_transform(const Sample* samples, const Work* maps) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.points; i += element_step()) {
        const In* in = s.source + i * s.in_length;
        Out* out = s.out + i * s.length;
        const Work* map = maps + s.first;
        for (int k = 0; k < s.length; k++, map += s.in_length + 1) {
            Work sum = map[s.in_length];
            for (int j = 0; j < s.in_length; j++) sum += map[j] * (Work)in[j];
            out[k] = saturated<Out>(sum);
        }
    }
}
