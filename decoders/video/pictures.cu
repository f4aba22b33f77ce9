// Frames of videos to pictures of three interleaved channels, one struct a picture. Chroma is interpolated
// linearly. With 8 bits, numbers are those of formats/video/pictures.py on the CPU, where OpenCV computes in
// integers: chroma with weights of 11 bits, colors with a matrix of 10 bits. With more bits, nothing is
// rounded before the end.

// Where a line or a column of the picture lies between two of the chroma.
struct Between {
    int low, high;      // numbers of the two
    int first, second;  // their weights, which make 2048
};

__device__ inline Between between(int i, double scale, int count, bool across, float shift) {
    const float place = (float)__dadd_rn(__dmul_rn(i + 0.5, scale), -0.5) + shift;
    int low = (int)floorf(place);
    float part = place - low;
    if (across && (low < 0 || low >= count - 1)) part = 0;
    Between b;
    b.first = __float2int_rn((1.0f - part) * 2048.0f);
    b.second = __float2int_rn(part * 2048.0f);
    b.low = min(max(low, 0), count - 1);
    b.high = min(max(low + 1, 0), count - 1);
    return b;
}

template <class T>
__device__ inline const T* line(const unsigned char* plane, int number, int pitch) {
    return (const T*)(plane + (long long)number * pitch);
}

// A number of a plane of chroma: rounded to 8 bits.
__device__ inline int rounded(const unsigned char* plane, int pitch, int step, Between y, Between x) {
    const unsigned char* upper = line<unsigned char>(plane, y.low, pitch);
    const unsigned char* lower = line<unsigned char>(plane, y.high, pitch);
    const int a = upper[x.low * step] * x.first + upper[x.high * step] * x.second;
    const int b = lower[x.low * step] * x.first + lower[x.high * step] * x.second;
    return (((y.first * (a >> 4)) >> 16) + ((y.second * (b >> 4)) >> 16) + 2) >> 2;
}

// The same of a plane of 16 bits: not rounded, in units of the plane.
__device__ inline float blended(const unsigned char* plane, int pitch, int step, Between y, Between x) {
    const unsigned short* upper = line<unsigned short>(plane, y.low, pitch);
    const unsigned short* lower = line<unsigned short>(plane, y.high, pitch);
    const float left = x.first / 2048.0f, right = x.second / 2048.0f;
    const float a = upper[x.low * step] * left + upper[x.high * step] * right;
    const float b = lower[x.low * step] * left + lower[x.high * step] * right;
    return a * (y.first / 2048.0f) + b * (y.second / 2048.0f);
}

__device__ inline int byte_of(int value) { return min(max(value, 0), 255); }

__device__ inline void store(int value, Out* out) {
    *out = NORMALIZED ? (Out)(value * (1.0 / 255)) : (Out)value;
}

__device__ inline void store_planes(const Picture& s, int y, int x, Out* out) {
    const Between down = between(y, s.scale[0], s.chroma[0], false, 0);
    const Between across = between(x, s.scale[1], s.chroma[1], true, s.shift);
    if (s.integers) {
        const int luma = line<unsigned char>(s.luma, y, s.pitch[0])[x];
        const int blue = rounded(s.blue, s.pitch[1], s.step, down, across);
        const int red = rounded(s.red, s.pitch[1], s.step, down, across);
        for (int c = 0; c < 3; c++) {
            const int* m = s.rounded_matrix + 4 * c;
            store(byte_of((m[0] * luma + m[1] * blue + m[2] * red + m[3]) >> 10), out + c);
        }
        return;
    }
    float luma, blue, red;
    if (s.is_wide) {
        luma = line<unsigned short>(s.luma, y, s.pitch[0])[x] * s.unit;
        blue = blended(s.blue, s.pitch[1], s.step, down, across) * s.unit;
        red = blended(s.red, s.pitch[1], s.step, down, across) * s.unit;
    } else {
        luma = line<unsigned char>(s.luma, y, s.pitch[0])[x];
        blue = rounded(s.blue, s.pitch[1], s.step, down, across);
        red = rounded(s.red, s.pitch[1], s.step, down, across);
    }
    for (int c = 0; c < 3; c++) {
        const float* m = s.matrix + 4 * c;
        store(byte_of(__float2int_rn(m[0] * luma + m[1] * blue + m[2] * red + m[3])), out + c);
    }
}

extern "C" __global__ void pictures(const Picture* all) {
    const Picture& s = all[blockIdx.y];
    const long long step = (long long)gridDim.x * blockDim.x;
    const int height = s.size[0], width = s.size[1];  // of the frame as it is stored
    const int columns = s.turns & 1 ? height : width;
    const long long elements = (long long)height * width;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += step) {
        Out* out = s.out + 3 * i;
        if (s.luma == 0) {  // a filled picture
            for (int c = 0; c < 3; c++) store(s.color[c], out + c);
            continue;
        }
        if (s.blue == 0) {  // a picture that is upright and has its colors already
            for (int c = 0; c < 3; c++) store(s.luma[3 * i + c], out + c);
            continue;
        }
        const int row = (int)(i / columns), column = (int)(i - (long long)row * columns);
        int y = row, x = column;
        if (s.turns == 1) y = column, x = width - 1 - row;
        if (s.turns == 2) y = height - 1 - row, x = width - 1 - column;
        if (s.turns == 3) y = height - 1 - column, x = row;
        store_planes(s, y, x, out);
    }
}
