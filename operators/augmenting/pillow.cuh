// What Pillow computes, to the last digit.

// The luma of a pixel in whole levels.
template <int COUNT>
__device__ inline int luma_of(const u8* pixel) {
    if (COUNT < 3) return pixel[0];
    return (pixel[0] * 19595 + pixel[COUNT / 2] * 38470 + pixel[COUNT - 1] * 7471 + 32768) >> 16;
}

__device__ inline float blend(float first, float second, float factor) {
    return __fadd_rn(first, __fmul_rn(factor, second - first));
}

// A level on the way from one to another, without its digits after the point.
__device__ inline u8 blended(float first, float second, float factor) {
    return (u8)fminf(fmaxf(blend(first, second, factor), 0.0f), 255.0f);
}
