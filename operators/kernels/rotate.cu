// Rotates images (height, width, channels): OpenCV's warpAffine, with its precision. It computes
// positions in float32, or, for some types and for two channels, in steps of 1/32 of a pixel
// (1/1024 for nearest neighbour).
#include "common.cuh"

struct Sample {
    u64 in, out;
    i64 first_matrix;  // one a frame
    i64 pixels;        // of all frames of the result
    int in_height, in_width, height, width, channels;
};

const int TOGETHER = 4;  // channels that OpenCV takes at a time
const int STEP_BITS = 10, LINEAR_BITS = 5;

struct Place {  // the pixel at or above and left of a position, and how far that is beyond it
    int x, y;
    Work right, down;
};

__device__ inline int in_steps(const double* row, int x, int y) {
    const double steps = 1 << STEP_BITS;
    const double start = (row[1] * y + row[2]) * steps;
    return (int)(rint(row[0] * x * steps) + rint(start));
}

__device__ inline float in_float(const double* row, int x, int y) {
    return __fmaf_rn((float)row[0], (float)x,
                     __fadd_rn(__fmul_rn((float)row[1], (float)y), (float)row[2]));
}

__device__ inline Place place_of(const double* matrix, int x, int y, bool stepwise) {
    if (stepwise) {
        const int rest = STEP_BITS - (NEAREST ? 0 : LINEAR_BITS), half = 1 << (STEP_BITS - 1);
        const int middle = NEAREST ? half : half >> LINEAR_BITS;
        const int a = in_steps(matrix, x, y) + middle, b = in_steps(matrix + 3, x, y) + middle;
        if (NEAREST) return {a >> STEP_BITS, b >> STEP_BITS, 0, 0};
        const int u = a >> rest, v = b >> rest, most = (1 << LINEAR_BITS) - 1;
        const Work part = (Work)1 / (1 << LINEAR_BITS);
        return {u >> LINEAR_BITS, v >> LINEAR_BITS, (u & most) * part, (v & most) * part};
    }
    const float a = in_float(matrix, x, y), b = in_float(matrix + 3, x, y);
    if (NEAREST) return {(int)rintf(a), (int)rintf(b), 0, 0};
    const float left = floorf(a), top = floorf(b);
    return {(int)left, (int)top, a - left, b - top};
}

__device__ inline Work pixel(const Sample& s, const In* in, int x, int y, Work fill) {
    const int column = min(max(x, 0), s.in_width - 1), row = min(max(y, 0), s.in_height - 1);
    if (FILLED && (column != x || row != y)) return fill;
    return (Work)in[((i64)row * s.in_width + column) * s.channels];
}

__device__ inline Out result(Work value) {
#if HALVES_TO_EVEN
    value = sizeof(Work) == 4 ? (Work)rintf((float)value) : (Work)rint((double)value);
#endif
    return saturated<Out>(value);
}

extern "C" __global__ void rotate(const Sample* samples, const double* matrices, double fill) {
    const Sample s = samples[blockIdx.y];
    const i64 area = (i64)s.height * s.width, in_area = (i64)s.in_height * s.in_width;
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const i64 frame = i / area;
        const unsigned at = (unsigned)(i - frame * area);
        const int y = at / (unsigned)s.width, x = at % (unsigned)s.width;
        const double* matrix = matrices + 6 * (s.first_matrix + frame);
        const In* in = (const In*)s.in + frame * in_area * s.channels;
        Out* out = (Out*)s.out + i * s.channels;
        for (int first = 0; first < s.channels; first += TOGETHER) {
            const int count = min(TOGETHER, s.channels - first);
            const Place p = place_of(matrix, x, y, STEPWISE || count == 2);
            for (int c = first; c < first + count; c++) {
                Work value = pixel(s, in + c, p.x, p.y, (Work)fill);
                if (!NEAREST) {
                    const Work right = pixel(s, in + c, p.x + 1, p.y, (Work)fill);
                    const Work below = pixel(s, in + c, p.x, p.y + 1, (Work)fill);
                    const Work both = pixel(s, in + c, p.x + 1, p.y + 1, (Work)fill);
                    value += p.right * (right - value);
                    value += p.down * (below + p.right * (both - below) - value);
                }
                out[c] = result(value);
            }
        }
    }
}
