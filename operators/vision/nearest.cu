// Copies pixels of images HWC by tables of rows and columns.
#include "../kernels/common.cuh"

extern "C" __global__ void copy_nearest(const Copy* copies) {
    const Copy s = copies[blockIdx.y];
    for (i64 i = first_element(); i < s.elements; i += element_step()) {
        const i64 pixel = quotient(i, s.channels), channel = i - pixel * s.channels;
        const i64 y = quotient(pixel, s.width), x = pixel - y * s.width;
        s.out[i] = s.source[s.rows[y] * s.row_stride + s.columns[x] * s.channels + channel];
    }
}
