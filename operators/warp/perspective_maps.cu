// Turns matrices of perspective maps between coordinates into those of maps between indices of
// pixels: see operators/warp/warp_perspective.py. A thread makes the map of a sample.
#include "../kernels/common.cuh"

__device__ inline void invert(double (&m)[3][3]) {
    double inverse[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[i][j] = m[j1][i1] * m[j2][i2] - m[j1][i2] * m[j2][i1];
        }
    for (int k = 0; k < 3; k++) determinant += m[0][k] * inverse[k][0];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = inverse[i][j] / determinant;
}

extern "C" __global__ void perspective_maps(const Sample* samples, double* maps, double shift) {
    const Sample s = samples[blockIdx.y];
    if (first_element() > 0 || !s.possible) return;
    double m[3][3];
    for (int k = 0; k < 9; k++) m[k / 3][k % 3] = (double)s.source[k];
    if (INVERT) invert(m);
    for (int i = 0; i < 3; i++) m[i][2] += shift * (m[i][0] + m[i][1]);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 2; i++) m[i][j] -= shift * m[2][j];
    for (int k = 0; k < 9; k++) maps[9 * blockIdx.y + k] = m[k / 3][k % 3];
}
