// From decoded pixels, RGB or gray, uint8, as stored in the file, to what the user asked for:
// turned upright, in another color space and another type. `height` and `width` are those of the result.
// Stored lines are `stride` pixels apart. `flip_rows` and `flip_columns` mirror the stored pixels;
// `exchange` then swaps the two axes.
// Scales 255 to the type's full range; integers round half up.
__device__ inline Out typed(float value) {
#if WHOLE
    return (Out)(value * SCALE + 0.5f);
#else
    return (Out)(value * SCALE);
#endif
}

extern "C" __global__ void finish(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const int pixels = s.height * s.width;
    const int in_height = s.exchange ? s.width : s.height;
    const int in_width = s.exchange ? s.height : s.width;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x) {
        int y = i / s.width, x = i - y * s.width;
        if (s.exchange) {
            int keep = y;
            y = x;
            x = keep;
        }
        if (s.flip_rows) y = in_height - 1 - y;
        if (s.flip_columns) x = in_width - 1 - x;
        const unsigned char* pixel = s.source + ((long long)y * s.stride + x) * CHANNELS;
        Out* to = s.out + (long long)i * CHANNELS;
#if CHANNELS == 1
        to[0] = typed(pixel[0]);
#else
        float r = pixel[0], g = pixel[1], b = pixel[2];
#if YCBCR  // ITU-R BT.601
        to[0] = typed(rintf((65.481f * r + 128.553f * g + 24.966f * b) / 255.0f + 16.0f));
        to[1] = typed(rintf((-37.797f * r - 74.203f * g + 112.0f * b) / 255.0f + 128.0f));
        to[2] = typed(rintf((112.0f * r - 93.786f * g - 18.214f * b) / 255.0f + 128.0f));
#else
        to[BGR ? 2 : 0] = typed(r);
        to[1] = typed(g);
        to[BGR ? 0 : 2] = typed(b);
#endif
#endif
    }
}
