// Changes of colors as torchvision makes them, of its tensors or (PILLOW) of Pillow's images. In is
// u8 (BYTES) or float; pixels have 1 or 3 channels, and are computed as three floats.
#include "../kernels/common.cuh"
#include "../kernels/pillow.cuh"

struct Color {
    float r, g, b;
};

__device__ inline float clamped(float value) {
    return fminf(fmaxf(value, 0.0f), BYTES ? 255.0f : 1.0f);
}
__device__ inline float stored(float value) { return BYTES ? truncf(clamped(value)) : clamped(value); }

__device__ inline float gray_of(const Color& c, int channels) {
    if (channels == 1) return c.r;
    if (PILLOW) return (float)luma_of((int)c.r, (int)c.g, (int)c.b);
    const float gray = fmaf(c.b, 0.114f, fmaf(c.g, 0.587f, __fmul_rn(c.r, 0.2989f)));
    return BYTES ? floorf(gray) : gray;
}

__device__ inline float mixed(float value, float other, float ratio, float rest) {
    if (PILLOW) return stored(blend(other, value, ratio));
    return stored(fmaf(other, rest, __fmul_rn(value, ratio)));
}

__device__ inline Color in_sector(int sector, float v, float p, float q, float t) {
    switch (sector % 6) {
        case 0: return {v, t, p};
        case 1: return {q, v, p};
        case 2: return {p, v, t};
        case 3: return {p, q, v};
        case 4: return {t, p, v};
    }
    return {v, p, q};
}

__device__ inline Color turned(const Color& c, float factor, int step) {
    const float scale = PILLOW || !BYTES ? 1.0f : (float)(1.0 / 255);
    const float red = __fmul_rn(c.r, scale), green = __fmul_rn(c.g, scale);
    const float blue = __fmul_rn(c.b, scale);
    const float most = fmaxf(red, fmaxf(green, blue)), least = fminf(red, fminf(green, blue));
    const float span = most - least;
#if PILLOW
    int hue = 0, saturation = 0;
    if (span != 0) {
        const float rc = (most - red) / span, gc = (most - green) / span, bc = (most - blue) / span;
        float h = bc - gc;
        if (red != most) h = green == most ? (float)(2.0 + rc - bc) : (float)(4.0 + gc - rc);
        h = (float)fmod(h / 6.0 + 1.0, 1.0);
        hue = min(max((int)(h * 255.0), 0), 255);
        saturation = min(max((int)((span / most) * 255.0), 0), 255);
    }
    if (saturation == 0) return {most, most, most};
    hue = (hue + step) & 255;
    const int sector = (int)floor(hue * 6.0 / 255.0);
    const float f = (float)(hue * 6.0 / 255.0 - sector), fs = (float)(saturation / 255.0);
    const float p = (float)round(most * (1.0 - fs));
    const float q = (float)round(most * (1.0 - (double)__fmul_rn(fs, f)));
    const float t = (float)round(most * (1.0 - fs * (1.0 - f)));
    return in_sector(sector, most, p, q, t);
#else
    const bool gray = span == 0;
    const float saturation = span / (gray ? 1.0f : most), divisor = gray ? 1.0f : span;
    const float rc = (most - red) / divisor, gc = (most - green) / divisor;
    const float bc = (most - blue) / divisor;
    float h = bc - gc;
    if (red != most) h = green == most ? rc + 2.0f - bc : gc + 4.0f - rc;
    h = __fadd_rn(fmodf(__fadd_rn(__fmul_rn(h, (float)(1.0 / 6)), 1.0f), 1.0f), factor);
    h = fmodf(h, 1.0f);
    if (h < 0) h += 1.0f;
    h = __fmul_rn(h, 6.0f);
    const float sector = floorf(h), part = __fmul_rn(saturation, h - sector);
    const float q = fminf(fmaxf(__fmul_rn(1.0f - part, most), 0.0f), 1.0f);
    const float t = fminf(fmaxf(__fmul_rn(__fadd_rn(part, 1.0f - saturation), most), 0.0f), 1.0f);
    const float p = fminf(fmaxf(__fmul_rn(1.0f - saturation, most), 0.0f), 1.0f);
    Color result = in_sector((int)sector, most, p, q, t);
    if (!BYTES) return result;
    const float whole = (float)(256.0 - 1e-3);
    return {truncf(__fmul_rn(result.r, whole)), truncf(__fmul_rn(result.g, whole)),
            truncf(__fmul_rn(result.b, whole))};
#endif
}

__device__ inline Color loaded(const Image& s, i64 pixel) {
    const In* const at = s.source + pixel * s.channels;
    if (s.channels == 1) return {(float)at[0], (float)at[0], (float)at[0]};
    return {(float)at[0], (float)at[1], (float)at[2]};
}

// The color after the changes, or after those before the contrast.
__device__ inline Color changed(const Image& s, Color c, float mean, bool before_contrast) {
    for (int i = 0; i < 4; i++) {
        const int change = s.changes[i];
        if (change < 0) continue;
        const float factor = s.factors[change], rest = s.rests[change];
        if (change == 3) {
            if (s.channels == 3) c = turned(c, factor, s.hue_step);
            continue;
        }
        if (change == 1 && before_contrast) return c;
        if (change == 2 && s.channels == 1) continue;
        const float gray = change == 2 ? gray_of(c, s.channels) : 0.0f;
        if (change == 2 && factor == 0) {  // not clamped
            c = {gray, gray, gray};
            continue;
        }
        const float other = change == 1 ? mean : gray;
        c = {mixed(c.r, other, factor, rest), mixed(c.g, other, factor, rest),
             mixed(c.b, other, factor, rest)};
    }
    return c;
}

// Sums of grays are whole numbers, so that the order of the threads changes nothing.
#define FRACTION (BYTES ? 1.0 : 1048576.0)

extern "C" __global__ void sum_gray(const Image* images) {
    const Image s = images[blockIdx.y];
    if (s.factors[1] == 1) return;
    i64 sum = 0;
    for (i64 i = first_element(); i < s.pixels; i += element_step())
        sum += (i64)rint(gray_of(changed(s, loaded(s, i), 0, true), s.channels) * FRACTION);
    atomicAdd(s.sum, (u64)sum);
}

extern "C" __global__ void change(const Image* images) {
    const Image s = images[blockIdx.y];
    if (s.pixels == 0) return;
    const double exact = (double)(i64)*s.sum / FRACTION / (double)s.pixels;
    const float mean = PILLOW ? (float)(int)(exact + 0.5) : (float)exact;
    for (i64 i = first_element(); i < s.pixels; i += element_step()) {
        const Color c = changed(s, loaded(s, i), mean, false);
        In* const at = s.out + i * s.channels;
        at[0] = (In)c.r;
        if (s.channels == 3) at[1] = (In)c.g, at[2] = (In)c.b;
    }
}
