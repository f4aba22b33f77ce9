// Resamples an axis before other axes: samples are (images, inputs, inner), and the result is
// (images, outputs, inner). A thread makes a strip of outputs of one inner element.
#include "../kernels/resampling.cuh"

extern "C" __global__ void resample_outer(const Stack* samples, int strip) {
    const Stack s = samples[blockIdx.y];
    for (i64 item = first_element(); item < s.items; item += element_step()) {
        const i64 place = item % s.inner, rest = item / s.inner;
        const i64 image = rest / s.strips;
        const int from = (int)(rest % s.strips) * strip, end = min(from + strip, s.outputs);
        const In* in = s.source + image * s.inputs * s.inner + place;
        Out* out = s.out + image * s.outputs * s.inner + place;
        for (int i = from; i < end; i++) {
            const In* taps = in + s.first[i] * s.inner;
            Work sum = 0;
#pragma unroll 4
            for (int t = 0; t < s.taps; t++)
                sum += s.weights[(i64)t * s.outputs + i] * (Work)taps[t * s.inner];
            out[i * s.inner] = stored<Out>(sum);
        }
    }
}
