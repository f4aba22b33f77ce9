// Random bits of a sample's elements, and numbers made of them: see operators/noise/random_bits.py
// and operators/noise/events.py.

// Philox4x64-10: word `i % 4` of block `i / 4 + 1`.
__device__ inline u64 random_bits(i64 i, u64 key0, u64 key1) {
    const u64 factor0 = 0xD2E7470EE14C6C93ull, factor1 = 0xCA5A826395121157ull;
    u64 words[4] = {(u64)(i >> 2) + 1, 0, 0, 0};
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const u64 high0 = __umul64hi(factor0, words[0]), high1 = __umul64hi(factor1, words[2]);
        const u64 low0 = factor0 * words[0], low1 = factor1 * words[2];
        words[0] = high1 ^ words[1] ^ key0;
        words[1] = low1;
        words[2] = high0 ^ words[3] ^ key1;
        words[3] = low0;
        key0 += 0x9E3779B97F4A7C15ull;
        key1 += 0xBB67AE8584CAA73Bull;
    }
    const int word = i & 3;
    return word < 2 ? (word ? words[1] : words[0]) : (word & 1 ? words[3] : words[2]);
}

// A number of the standard normal distribution.
__device__ inline float normal(u64 bits) {
    const float step = 5.9604644775390625e-08f;  // 2^-24
    const float distance = __fmul_rn(__fadd_rn((float)(unsigned)(bits >> 40), 0.5f), step);
    const float angle = __fmul_rn(__fmul_rn((float)((unsigned)bits >> 8), step), 6.2831855f);
    return __fmul_rn(cosf(angle), sqrtf(__fmul_rn(logf(distance), -2.0f)));
}

// The same in double, made of all bits.
__device__ inline double precise_normal(u64 bits) {
    const double half = 2.3283064365386962890625e-10;  // 2^-32
    const double distance = ((double)(unsigned)(bits >> 32) + 0.5) * half;
    const double angle = (double)(unsigned)bits * (6.283185307179586 * half);
    return cos(angle) * sqrt(log(distance) * -2);
}

// A number of events of a Poisson distribution, of a mean that is finite and not negative.
__device__ inline double events(u64 bits, double mean) {
    if (mean < 12) {
        double term = exp(-mean);
        double left = __dadd_rn((double)(bits >> 11) * 1.1102230246251565404e-16, -term);  // 2^-53
        int number = 0;
        while (left >= 0 && number < 64) {
            number++;
            term = __dmul_rn(term, __dmul_rn(mean, 1.0 / number));
            left = __dadd_rn(left, -term);
        }
        return number;
    }
    const double z = precise_normal(bits), root = sqrt(mean);
    const double square = z * z, inverse = 1 / root;
    double result = ((square * (1.0 / 270) + 7.0 / 810) * square - 8.0 / 405) * inverse;
    result = (result + (square * (-1.0 / 72) - 1.0 / 36) * z) * inverse;
    result = result + square * (1.0 / 6) + 1.0 / 3 + root * z;
    return fmax(floor(result + mean), 0.0);
}
