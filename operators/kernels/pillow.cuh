// What Pillow computes, to the last digit.

// The luma of a color, in whole levels.
__device__ inline int luma_of(int red, int green, int blue) {
    return (red * 19595 + green * 38470 + blue * 7471 + 32768) >> 16;
}

// The luma of a pixel with 1 or 3 channels.
template <int COUNT>
__device__ inline int luma_of(const u8* pixel) {
    if (COUNT < 3) return pixel[0];
    return luma_of(pixel[0], pixel[COUNT / 2], pixel[COUNT - 1]);
}

__device__ inline float blend(float first, float second, float factor) {
    return __fadd_rn(first, __fmul_rn(factor, second - first));
}

// A level on the way from one to another, without its digits after the point.
__device__ inline u8 blended(float first, float second, float factor) {
    return (u8)fminf(fmaxf(blend(first, second, factor), 0.0f), 255.0f);
}
