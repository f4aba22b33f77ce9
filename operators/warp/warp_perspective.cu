// Moves the pixels of images, (height, width, channels) or PLANES, by perspective maps. A thread
// makes whole pixels, of TAPS x TAPS pixels of the input.
#include "../kernels/resampling.cuh"
#include "taps.cuh"

extern "C" __global__ void warp_perspective(const Sample* samples, const double* maps,
                                            const float* fills) {
    const Sample s = samples[blockIdx.y];
    double m[9];
    for (int k = 0; k < 9; k++) m[k] = maps[9 * blockIdx.y + k];
    const i64 in_plane = (i64)s.in_height * s.in_width;
    const i64 step = PLANES ? 1 : s.channels, in_channel = PLANES ? in_plane : 1;
    const i64 out_channel = PLANES ? s.pixels : 1;
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const i64 down = quotient(i, (i64)s.width), across = i - down * s.width;
        const double w = m[6] * across + m[7] * down + m[8], inverse = w == 0 ? 0 : 1 / w;
        const Axis x((m[0] * across + m[1] * down + m[2]) * inverse, s.in_width);
        const Axis y((m[3] * across + m[4] * down + m[5]) * inverse, s.in_height);
        for (int c = 0; c < s.channels; c++) {
            const In* in = s.source + c * in_channel;
            const Work fill = fills[FILLS == 1 ? 0 : c];
            s.out[i * step + c * out_channel] =
                stored<In>(weighed(in, x, y, s.in_width, step, fill));
        }
    }
}
