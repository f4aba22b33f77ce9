// The TAPS pixels of an axis that make a position, and their weights. Work is their type.
#include "../kernels/borders.cuh"

const double FURTHEST = 1e6;  // further outside, positions are as good as this one; so is NaN

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

// The element of a channel at a position: `step` elements lie between those of adjacent pixels.
__device__ inline Work weighed(const In* in, const Axis& x, const Axis& y, int in_width, i64 step,
                               Work fill) {
    Work sum = 0;
    for (int k = 0; k < TAPS; k++)
        for (int j = 0; j < TAPS; j++) {
            const int line = y.indices[k], at = x.indices[j];
            const bool seen = line >= 0 && at >= 0;
            const Work value = seen ? (Work)in[((i64)line * in_width + at) * step] : fill;
            sum += y.weights[k] * x.weights[j] * value;
        }
    return sum;
}
