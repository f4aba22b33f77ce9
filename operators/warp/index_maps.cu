// Turns the matrices [M T] of affine maps between coordinates into those of maps between indices of
// pixels: see index_maps in operators/warp/warp_affine.py. A thread makes the map of a frame.
#include "../kernels/common.cuh"

const int WIDTH = NDIM * (NDIM + 1);

// Replaces M by its inverse, and T by what the inverse map adds.
__device__ inline void invert(double (&map)[NDIM][NDIM + 1]) {
    double inverse[NDIM][NDIM];
#if NDIM == 2
    const double factor = 1 / (map[0][0] * map[1][1] - map[0][1] * map[1][0]);
    inverse[0][0] = map[1][1] * factor;
    inverse[0][1] = -map[0][1] * factor;
    inverse[1][0] = -map[1][0] * factor;
    inverse[1][1] = map[0][0] * factor;
#else
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[i][j] = map[j1][i1] * map[j2][i2] - map[j1][i2] * map[j2][i1];
        }
    for (int k = 0; k < 3; k++) determinant += map[0][k] * inverse[k][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i][j] /= determinant;
#endif
    double offset[NDIM];
    for (int i = 0; i < NDIM; i++) {
        offset[i] = 0;
        for (int j = 0; j < NDIM; j++) offset[i] -= inverse[i][j] * map[j][NDIM];
    }
    for (int i = 0; i < NDIM; i++) {
        for (int j = 0; j < NDIM; j++) map[i][j] = inverse[i][j];
        map[i][NDIM] = offset[i];
    }
}

extern "C" __global__ void index_maps(const Sample* samples, double* maps, double shift,
                                      double largest) {
    const Sample s = samples[blockIdx.y];
    for (i64 frame = first_element(); frame < s.frames; frame += element_step()) {
        const In* given = s.source + (s.alike ? 0 : frame * WIDTH);
        double map[NDIM][NDIM + 1];
        for (int k = 0; k < WIDTH; k++) map[k / (NDIM + 1)][k % (NDIM + 1)] = (double)given[k];
        if (INVERT) invert(map);
        double* out = maps + (s.first + frame) * WIDTH;
        for (int i = 0; i < NDIM; i++) {
            double half = 0;
            for (int j = 0; j < NDIM; j++) half += map[i][j] / 2;
            map[i][NDIM] += half - shift;
            for (int j = 0; j <= NDIM; j++)  // NaN becomes a number as well
                out[i * (NDIM + 1) + j] = fmin(fmax(map[i][j], -largest), largest);
        }
    }
}
