// (number - mean) * factor + shift, with means and factors that are broadcast.

struct Sample {
    u64 in, out, means, factors;
    i64 elements;
    i64 extents[DIMS], mean_strides[DIMS], factor_strides[DIMS];
};

constexpr int LARGEST = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out);
constexpr int LANES = lanes_of(LARGEST);

__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }

// Normalises one of some blocks' share of a sample, once `wait()` says that statistics are there.
// If a sample has but ONE of each they are read once; SAME says that they lie alike.
template <int ROUNDS, bool FINAL, class Wait>
__device__ inline void normalize_sample(
    const Sample& s, Exact shift, int block, int blocks, const Wait& wait) {
    const Exact *means = (const Exact*)s.means, *factors = (const Exact*)s.factors;
    const bool is_one = ONE && s.elements;
    each_pack<LANES, ROUNDS, FINAL>(
        (const In*)s.in, (Out*)s.out, (Index)s.elements, block, blocks, [&] {
            wait();
            const Exact mean = is_one ? *means : 0, factor = is_one ? *factors : 0;
            return [=, &s](Index place, const auto& numbers, auto& results) {
                Walk<DIMS, Index> of_mean(s.extents, s.mean_strides, ONE ? 0 : place);
                Walk<DIMS, Index> of_factor(s.extents, s.factor_strides, ONE ? 0 : place);
#pragma unroll
                for (int j = 0; j < sizeof(results) / sizeof(Out); j++) {
                    const Index second = SAME ? of_mean.offset : of_factor.offset;
                    const Exact off = (Exact)numbers.values[j] - (ONE ? mean : means[of_mean.offset]);
                    results.values[j] =
                        saturated<Out>(product(off, ONE ? factor : factors[second]) + shift);
                    of_mean.next();
                    of_factor.next();
                }
            };
        });
}
