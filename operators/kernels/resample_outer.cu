// Resamples an axis in front of others: samples are (images, inputs, inner), and the result is
// (images, outputs, inner). A thread makes a strip of outputs of one inner element.
#include "resampling.cuh"

struct Sample {
    u64 in, out, first, weights;
    i64 inner, items;
    int inputs, outputs, taps, strips;
};

extern "C" __global__ void resample_outer(const Sample* samples, int strip) {
    const Sample s = samples[blockIdx.y];
    const int* first = (const int*)s.first;
    const Work* weights = (const Work*)s.weights;
    for (i64 item = first_element(); item < s.items; item += element_step()) {
        const i64 place = item % s.inner, rest = item / s.inner;
        const i64 image = rest / s.strips;
        const int from = (int)(rest % s.strips) * strip, end = min(from + strip, s.outputs);
        const In* in = (const In*)s.in + image * s.inputs * s.inner + place;
        Out* out = (Out*)s.out + image * s.outputs * s.inner + place;
        for (int i = from; i < end; i++) {
            const In* taps = in + first[i] * s.inner;
            Work sum = 0;
#pragma unroll 4
            for (int t = 0; t < s.taps; t++)
                sum += weights[(i64)t * s.outputs + i] * (Work)taps[t * s.inner];
            out[i * s.inner] = stored<Out>(sum);
        }
    }
}
