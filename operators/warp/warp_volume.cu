// Maps volumes (depth, height, width, channels). A thread makes whole voxels; positions are double.
#include "../kernels/common.cuh"

const double FURTHEST = 1e6;  // further outside, positions are as good as this one; so is NaN

struct Axis {  // the voxel at or before a position on one axis, and how far that is beyond it
    i64 first;
    Work weight;

    __device__ Axis(const double* row, double x, double y, double z) {
        double at = row[0] * x + (row[1] * y + (row[2] * z + row[3]));
        at = fmin(fmax(at, -FURTHEST), FURTHEST);
        const double whole = NEAREST ? rint(at) : floor(at);
        first = (i64)whole;
        weight = (Work)(at - whole);
    }
};

// An element of the volume, or the fill value outside of the volume.
__device__ inline Work element(const Sample& s, const In* in, i64 x, i64 y, i64 z, Work fill) {
    const i64 near_x = min(max(x, (i64)0), (i64)s.in_width - 1);
    const i64 near_y = min(max(y, (i64)0), (i64)s.in_height - 1);
    const i64 near_z = min(max(z, (i64)0), (i64)s.in_depth - 1);
    if (FILLED && (near_x != x || near_y != y || near_z != z)) return fill;
    return (Work)in[((near_z * s.in_height + near_y) * s.in_width + near_x) * s.channels];
}

__device__ inline Work between(Work a, Work b, Work weight) { return a + weight * (b - a); }

__device__ inline Work weighed(const Sample& s, const In* in, const Axis& x, const Axis& y,
                               const Axis& z, Work fill) {
    if (NEAREST) return element(s, in, x.first, y.first, z.first, fill);
    Work planes[2];
    for (int k = 0; k < 2; k++) {
        Work lines[2];
        for (int j = 0; j < 2; j++)
            lines[j] = between(element(s, in, x.first, y.first + j, z.first + k, fill),
                               element(s, in, x.first + 1, y.first + j, z.first + k, fill),
                               x.weight);
        planes[k] = between(lines[0], lines[1], y.weight);
    }
    return between(planes[0], planes[1], z.weight);
}

extern "C" __global__ void warp_volume(const Sample* samples, const double* matrices, double fill) {
    const Sample s = samples[blockIdx.y];
    const i64 of_plane = (i64)s.height * s.width, of_volume = of_plane * s.depth;
    const i64 in_volume = (i64)s.in_depth * s.in_height * s.in_width * s.channels;
    for (i64 i = first_element(); i < s.voxels; i += element_step()) {
        const i64 frame = quotient(i, of_volume), in_frame = i - frame * of_volume;
        const i64 plane = quotient(in_frame, of_plane), in_plane = in_frame - plane * of_plane;
        const i64 line = quotient(in_plane, (i64)s.width), column = in_plane - line * s.width;
        const double* matrix = matrices + 12 * (s.first_matrix + frame);
        const double at_x = (double)column, at_y = (double)line, at_z = (double)plane;
        const Axis x(matrix, at_x, at_y, at_z), y(matrix + 4, at_x, at_y, at_z);
        const Axis z(matrix + 8, at_x, at_y, at_z);
        const In* in = s.source + frame * in_volume;
        for (int c = 0; c < s.channels; c++)
            s.out[i * s.channels + c] = saturated<Out>(weighed(s, in + c, x, y, z, (Work)fill));
    }
}
