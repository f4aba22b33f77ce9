// From the coefficients of JPEG to samples: one thread computes one block of 8x8, as libjpeg's accurate
// integer method does, bit by bit. Blocks that the windows do not touch are left out.
//
// Source: Loeffler, Ligtenberg and Moschytz, Practical Fast 1-D DCT Algorithms with 11
// Multiplications, 1989.
#include "jpeg.cuh"

#define BITS 13  // of the fractions of constants
#define FIRST 2  // more bits that the first pass keeps
#define FIXED(x) ((int)((x) * (1 << BITS) + 0.5))

// Transforms eight values, `STEP` apart, and drops `SHIFT` bits of the results.
template <int STEP, int SHIFT>
__device__ inline void transform(int* v) {
    const int half = 1 << (SHIFT - 1);
    int z1 = (v[2 * STEP] + v[6 * STEP]) * FIXED(0.541196100);
    const int even2 = z1 - v[6 * STEP] * FIXED(1.847759065);
    const int even3 = z1 + v[2 * STEP] * FIXED(0.765366865);
    const int even0 = (v[0] + v[4 * STEP]) << BITS, even1 = (v[0] - v[4 * STEP]) << BITS;
    const int sums[4] = {even0 + even3, even1 + even2, even1 - even2, even0 - even3};

    int t0 = v[7 * STEP], t1 = v[5 * STEP], t2 = v[3 * STEP], t3 = v[STEP];
    const int z5 = (t0 + t2 + t1 + t3) * FIXED(1.175875602);
    const int z3 = z5 - (t0 + t2) * FIXED(1.961570560), z4 = z5 - (t1 + t3) * FIXED(0.390180644);
    z1 = (t0 + t3) * -FIXED(0.899976223);
    const int z2 = (t1 + t2) * -FIXED(2.562915447);
    t0 = t0 * FIXED(0.298631336) + z1 + z3;
    t1 = t1 * FIXED(2.053119869) + z2 + z4;
    t2 = t2 * FIXED(3.072711026) + z2 + z3;
    t3 = t3 * FIXED(1.501321110) + z1 + z4;

    const int odd[4] = {t3, t2, t1, t0};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i * STEP] = (sums[i] + odd[i] + half) >> SHIFT;
        v[(7 - i) * STEP] = (sums[i] - odd[i] + half) >> SHIFT;
    }
}

__device__ inline unsigned packed(const int* v) {
    unsigned result = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) result |= (unsigned)min(max(v[i] + 128, 0), 255) << (8 * i);
    return result;
}

// Whether a window needs the block in this line and column of a component, which has a sample for
// `down` x `across` pixels. Smooth enlargement also needs the samples around.
__device__ inline bool is_needed(const Sample& s, int y, int x, int down, int across) {
    const int top = 8 * y * down, left = 8 * x * across;
    return top - down < s.y1 && top + 9 * down > s.y0 &&
           left - across < s.x1 && left + 9 * across > s.x0;
}

extern "C" __global__ void transform_blocks(const Sample* samples) {
    const Sample s = samples[blockIdx.y];
    const Planes planes(s.height, s.width, s.sampling);
    const int blocks = LUMA_ONLY ? planes.first(1) : planes.blocks();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += gridDim.x * blockDim.x) {
        const int component = (i >= planes.first(1)) + (i >= planes.first(2));
        const int number = i - planes.first(component), line = planes.line(component);
        const int y = number / line, x = number - y * line;
        if (!is_needed(s, y, x, component ? planes.down : 1, component ? planes.across : 1)) continue;
        int v[BLOCK];
        const uint4* const from = (const uint4*)(s.coefficients + (long long)i * BLOCK);
        const uint4* const steps = (const uint4*)(s.quantization + component * BLOCK);
#pragma unroll
        for (int row = 0; row < 8; row++) {
            const uint4 two = from[row], step = steps[row];
            const unsigned values[4] = {two.x, two.y, two.z, two.w};
            const unsigned factors[4] = {step.x, step.y, step.z, step.w};
#pragma unroll
            for (int k = 0; k < 4; k++) {
                v[8 * row + 2 * k] = (short)values[k] * (int)(factors[k] & 0xFFFF);
                v[8 * row + 2 * k + 1] = ((int)values[k] >> 16) * (int)(factors[k] >> 16);
            }
        }
#pragma unroll
        for (int column = 0; column < 8; column++) transform<8, BITS - FIRST>(v + column);
#pragma unroll
        for (int row = 0; row < 8; row++) transform<1, BITS + FIRST + 3>(v + 8 * row);
        u8* to = s.samples + (long long)planes.first(component) * BLOCK;
        to += (long long)y * 8 * line * 8 + x * 8;
#pragma unroll
        for (int row = 0; row < 8; row++)
            *(uint2*)(to + (long long)row * line * 8) =
                make_uint2(packed(v + 8 * row), packed(v + 8 * row + 4));
    }
}
