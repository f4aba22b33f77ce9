// 8-bit Lab colors in fixed point, by the tables of operators/color/lab.py.

struct LabColor {
    int light, a, b;
};

__device__ inline int byte_of(int value) { return min(max(value, 0), 255); }
__device__ inline int descaled(int value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

__device__ inline int lab_root(const LabTables& t, const int* weights, const int (&linear)[3]) {
    const int sum = weights[0] * linear[0] + weights[1] * linear[1] + weights[2] * linear[2];
    return t.root[descaled(sum, 12)];
}

__device__ inline LabColor lab_of(const LabTables& t, const u8* rgb) {
    const int linear[3] = {t.linear[rgb[0]], t.linear[rgb[1]], t.linear[rgb[2]]};
    const int x = lab_root(t, t.to_xyz, linear);
    const int y = lab_root(t, t.to_xyz + 3, linear);
    const int z = lab_root(t, t.to_xyz + 6, linear);
    const int scale = (116 * 255 + 50) / 100, shift = (16 * 255 * (1 << 15) + 50) / 100;
    return {byte_of(descaled(scale * y - shift, 15)),
            byte_of(descaled(500 * (x - y) + (128 << 15), 15)),
            byte_of(descaled(200 * (y - z) + (128 << 15), 15))};
}

// A linear color, given its root.
__device__ inline int lab_cube(int root) {
    const int base = 1 << 14;
    if (root <= 3390) return root * 108 / 841 - base * 16 / 116 * 108 / 841;
    return root * root / base * root / base;
}

__device__ inline void rgb_of(const LabTables& t, const LabColor& color, u8* rgb) {
    const int base = 1 << 14, root = t.height_root[color.light];
    const int red_green = ((5 * color.a * 53687 + (1 << 7)) >> 13) - 128 * base / 500;
    const int yellow_blue = ((color.b * 41943 + (1 << 4)) >> 9) - 128 * base / 200 + 1;
    const int x = lab_cube(root + red_green), z = lab_cube(root - yellow_blue);
    const int y = t.height[color.light];
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const int* weights = t.from_xyz + 3 * c;
        const int linear = descaled(weights[0] * x + weights[1] * y + weights[2] * z, 14);
        rgb[c] = t.gamma[min(max(linear, 0), 4095)];
    }
}
