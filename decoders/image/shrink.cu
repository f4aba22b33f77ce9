// Shrinks whole images: each element of the result is the mean of its area, in which elements at the
// edges count in parts. Edges lie at multiples of 1 / height and 1 / width, so weights are integers.
extern "C" __global__ void shrink(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const int line = s.width * s.channels, elements = s.height * line;
    const float area = (float)s.in_height * (float)s.in_width;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) {
        if (s.in_height == s.height && s.in_width == s.width) {
            s.out[i] = s.source[i];
            continue;
        }
        const int y = i / line, x = (i - y * line) / s.channels, channel = i % s.channels;
        const long long top = (long long)y * s.in_height, bottom = top + s.in_height;
        const long long left = (long long)x * s.in_width, right = left + s.in_width;
        float sum = 0;
        for (long long v = top / s.height; v * s.height < bottom; v++) {
            const long long from = v * s.height;
            const int down = (int)((from + s.height < bottom ? from + s.height : bottom) - (from > top ? from : top));
            const Element* row = s.source + v * s.in_width * s.channels + channel;
            float of_row = 0;
            for (long long u = left / s.width; u * s.width < right; u++) {
                const long long start = u * s.width;
                const int across =
                    (int)((start + s.width < right ? start + s.width : right) - (start > left ? start : left));
                of_row += (float)across * (float)row[u * s.channels];
            }
            sum += (float)down * of_row;
        }
#if WHOLE
        s.out[i] = (Element)rintf(sum / area);
#else
        s.out[i] = (Element)(sum / area);
#endif
    }
}
