// Makes images (height, width, channels) of the pixels at positions in other images. Outside of those
// lies `fill`.
#include "../kernels/common.cuh"
#include "taps.cuh"

struct Position {  // in indices of pixels
    float x, y;
};

// The position, in indices of pixels, of coordinates that are 0 at the corner of the first pixel.
__device__ inline float index_at(float coordinate) {
    return TAPS == 1 ? floorf(coordinate) : __fadd_rn(coordinate, -0.5f);
}

// Calls position_of(i, x, y) for each pixel of a result. Samples that do not move are copied.
template <class Find>
__device__ inline void displace(const Sample& s, double fill, Find position_of) {
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const i64 line = quotient(i, (i64)s.width);
        In* out = s.out + i * s.channels;
        if (!s.moves) {
            for (int c = 0; c < s.channels; c++) out[c] = s.source[i * s.channels + c];
            continue;
        }
        const Position p = position_of(i, (int)(i - line * s.width), (int)line);
        const Axis x(p.x, s.in_width), y(p.y, s.in_height);
        const bool seen = x.indices[0] >= 0 && y.indices[0] >= 0;
        const i64 at = (i64)y.indices[0] * s.in_width + x.indices[0];
        for (int c = 0; c < s.channels; c++) {
            const In* in = s.source + c;
            if (TAPS == 1)
                out[c] = seen ? in[at * s.channels] : saturated<In>(fill);
            else
                out[c] = saturated<In>(weighed(in, x, y, s.in_width, s.channels, (Work)fill));
        }
    }
}
