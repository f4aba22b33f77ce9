// Normalizes samples with means and factors that are broadcast. If REPEATED, means and factors
// repeat after `repeat` numbers, in whole packs. The last samples come first, because the device's
// cache may still hold them. A thread processes PACKS packs at a time.
#include "../kernels/common.cuh"
#include "../kernels/lanes.cuh"
#include "normalize.cuh"

// Gets means and factors of neighboring numbers. SAME means that both have the same strides.
template <int COUNT>
__device__ inline void find(
    const Sample& s, Index place, Exact (&means)[COUNT], Exact (&factors)[COUNT]) {
    Walk<DIMS, Index> of_mean(s.extents, s.mean_strides, place);
    Walk<DIMS, Index> of_factor(s.extents, s.factor_strides, place);
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        means[j] = s.means[of_mean.offset];
        factors[j] = s.factors[SAME ? of_mean.offset : of_factor.offset];
        of_mean.next();
        of_factor.next();
    }
}

// If REPEATED, the packs of a thread lie so far apart that all have the same means and factors.
extern "C" __global__ void normalize(const Sample* samples, Exact shift) {
    const Sample s = samples[gridDim.y - 1 - blockIdx.y];
    Index step = (Index)gridDim.x * blockDim.x * LANES;
    if (REPEATED) step -= step % (Index)s.repeat;
    const auto begin = [&](Index first, const auto&) {
        Exact held_means[HELD] = {}, held_factors[HELD] = {};
        if (first < 0) first += step;
        if (REPEATED && first + LANES <= s.elements) find(s, first, held_means, held_factors);
        return [=, &s](Index place, const auto& numbers, auto& results) {
            constexpr int COUNT = sizeof(results) / sizeof(Out);
            constexpr bool held = REPEATED && COUNT == LANES;
            Exact means[COUNT], factors[COUNT];
            if (!held) find(s, place, means, factors);
#pragma unroll
            for (int j = 0; j < COUNT; j++)
                results.values[j] =
                    normalized(numbers.values[j], held ? held_means[j % HELD] : means[j],
                               held ? held_factors[j % HELD] : factors[j], shift);
        };
    };
    each_pack<LANES, PACKS, false>(s.source, s.out, (Index)s.elements, blockIdx.x, step, begin);
}
