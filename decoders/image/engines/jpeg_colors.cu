// From the samples of JPEG to RGB, or to gray, of the window (y0, x0) to (y1, x1), as libjpeg computes
// colors. Chroma is enlarged plainly, or with SMOOTH by weights of 3/4 and 1/4.
#include "jpeg.cuh"

// One component, of `height` x `width` samples without padding; lines are `stride` samples apart.
struct Plane {
    const u8* samples;
    int height, width, stride;

    __device__ Plane(const Sample& s, const Planes& planes, int component)
        : samples(s.samples + (long long)planes.first(component) * BLOCK),
          height(component ? (s.height + planes.down - 1) / planes.down : s.height),
          width(component ? (s.width + planes.across - 1) / planes.across : s.width),
          stride(planes.line(component) * 8) {}

    __device__ int at(int y, int x) const { return samples[(long long)y * stride + x]; }

    // The nearer sample, times 3, and the next one above or below.
    __device__ int of_lines(int near, int next, int x) const { return 3 * at(near, x) + at(next, x); }

    // The value at a pixel of the image.
    __device__ int enlarged(int y, int x, int down, int across) const {
#if SMOOTH
        const int up = y / down, left = x / across;
        const int next_y = min(max(up + (y & 1 ? 1 : -1), 0), height - 1);
        const int next_x = min(max(left + (x & 1 ? 1 : -1), 0), width - 1);
        const bool wide = across == 2 && width > 2;
        if (across == 2 && down == 2 && wide) {
            const int near = of_lines(up, next_y, left), next = of_lines(up, next_y, next_x);
            return (3 * near + next + (x & 1 ? 7 : 8)) >> 4;
        }
        if (down == 1 && wide) {
            if (next_x == left) return at(y, left);
            return (3 * at(y, left) + at(y, next_x) + (x & 1 ? 2 : 1)) >> 2;
        }
        if (down == 2 && across == 1) return (of_lines(up, next_y, x) + (y & 1 ? 2 : 1)) >> 2;
#endif
        return at(y / down, x / across);
    }
};

__device__ inline u8 clamped(int value) { return min(max(value, 0), 255); }

#define FIXED(x) ((int)((x) * 65536 + 0.5))
#define HALF 32768

extern "C" __global__ void convert_colors(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const Planes planes(s.height, s.width, s.sampling);
    const Plane luma(s, planes, 0), blue(s, planes, 1), red(s, planes, 2);
    const int width = s.x1 - s.x0, pixels = (s.y1 - s.y0) * width;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        const int line = i / width, y = s.y0 + line, x = s.x0 + i - line * width;
        const int light = luma.at(y, x);
#if LUMA_ONLY
        s.out[i] = light;
#else
        const bool is_gray = planes.components == 1;
        const int b = is_gray ? 0 : blue.enlarged(y, x, planes.down, planes.across) - 128;
        const int r = is_gray ? 0 : red.enlarged(y, x, planes.down, planes.across) - 128;
        u8* const out = s.out + 3LL * i;
        out[0] = clamped(light + ((FIXED(1.40200) * r + HALF) >> 16));
        out[1] = clamped(light + ((-FIXED(0.34414) * b - FIXED(0.71414) * r + HALF) >> 16));
        out[2] = clamped(light + ((FIXED(1.77200) * b + HALF) >> 16));
#endif
    }
}
