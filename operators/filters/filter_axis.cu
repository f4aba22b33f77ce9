// Filters samples along one axis of `extent` elements, `step` apart. Beyond the border the sample is
// mirrored, without the border element twice.
#include "../kernels/common.cuh"

__device__ inline i64 mirrored(i64 at, i64 extent) {
    if (extent == 1) return 0;
    while (at < 0 || at >= extent) at = at < 0 ? -at : 2 * (extent - 1) - at;
    return at;
}

extern "C" __global__ void filter_axis(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 line = quotient(i, s.step), own = line - quotient(line, s.extent) * s.extent;
        const In* source = s.source + i;
        Exact sum = 0;
        if (own >= s.radius && own + s.radius < s.extent) {
            for (i64 k = -s.radius; k <= s.radius; k++)
                sum += (Exact)s.weights[k + s.radius] * (Exact)source[k * s.step];
        } else {
            for (i64 k = -s.radius; k <= s.radius; k++)
                sum += (Exact)s.weights[k + s.radius] *
                       (Exact)source[(mirrored(own + k, s.extent) - own) * s.step];
        }
        s.out[i] = saturated<Out>(sum);
    }
}
