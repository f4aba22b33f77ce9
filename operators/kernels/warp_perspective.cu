// Moves the pixels of images, (height, width, channels) or PLANES, by perspective maps. A thread
// makes whole pixels, of TAPS x TAPS pixels of the input.
#include "resampling.cuh"

enum Border { CONSTANT, REPLICATE, REFLECT, REFLECT_101, WRAP };

const double FURTHEST = 1e6;  // further outside, positions are as good as this one; so is NaN

__device__ inline int remainder_of(int i, int period) {
    const int rest = i % period;
    return rest < 0 ? rest + period : rest;
}

// The index of the pixel that stands for index i, or -1 for the constant.
__device__ inline int index_of(int i, int extent) {
    if ((unsigned)i < (unsigned)extent) return i;
    if (BORDER == CONSTANT) return -1;
    if (BORDER == REPLICATE) return i < 0 ? 0 : extent - 1;
    if (BORDER == WRAP) return remainder_of(i, extent);
    if (BORDER == REFLECT) {
        const int rest = remainder_of(i, 2 * extent);
        return rest < extent ? rest : 2 * extent - 1 - rest;
    }
    if (extent == 1) return 0;
    const int rest = remainder_of(i, 2 * extent - 2);
    return rest < extent ? rest : 2 * extent - 2 - rest;
}

struct Axis {  // the pixels that make a position on one axis, with their weights
    int indices[TAPS];
    Work weights[TAPS];

    __device__ Axis(double position, int extent) {
        const double at = fmin(fmax(position, -FURTHEST), FURTHEST);
        const double whole = TAPS == 1 ? rint(at) : floor(at);
        const int first = (int)whole - (TAPS == 4);
        const Work t = (Work)(at - whole);
        for (int k = 0; k < TAPS; k++) {
            indices[k] = index_of(first + k, extent);
            weights[k] = TAPS == 1 ? 1 : k ? t : 1 - t;
        }
        if (TAPS == 4) {  // OpenCV's cubic
            const Work a = -0.75f, s = t + 1, u = 1 - t;
            weights[0] = ((a * s - 5 * a) * s + 8 * a) * s - 4 * a;
            weights[1 % TAPS] = ((a + 2) * t - (a + 3)) * t * t + 1;
            weights[2 % TAPS] = ((a + 2) * u - (a + 3)) * u * u + 1;
            weights[3 % TAPS] = 1 - weights[0] - weights[1 % TAPS] - weights[2 % TAPS];
        }
    }
};

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
            Work sum = 0;
            for (int k = 0; k < TAPS; k++)
                for (int j = 0; j < TAPS; j++) {
                    const int line = y.indices[k], at = x.indices[j];
                    const bool seen = line >= 0 && at >= 0;
                    const Work value =
                        seen ? (Work)in[((i64)line * s.in_width + at) * step] : fill;
                    sum += y.weights[k] * x.weights[j] * value;
                }
            s.out[i * step + c * out_channel] = stored<In>(sum);
        }
    }
}
