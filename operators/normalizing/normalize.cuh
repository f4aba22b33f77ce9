// (number - mean) * factor + shift.
constexpr int HELD = ONE ? 1 : LANES;  // means, and factors, of a pack

__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }

__device__ inline Out normalized(In number, Exact mean, Exact factor, Exact shift) {
    return saturated<Out>(product((Exact)number - mean, factor) + shift);
}
